"""The picture: our fit time over the best peer's for each workload, and the growth with n."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from widemargin.benchmarks.contender import CONTENDERS
from widemargin.benchmarks.growth import lines
from widemargin.display.style import INK, colour, pyplot, quiet_axes


def draw(outcome: dict[str, Any], path: Path) -> None:
    """Write the picture of all that was measured."""
    records = [record for record in outcome["workloads"] if "fit" in record["ratios"]]
    growth = lines(outcome["growth"])
    panels = sorted({line["workload"] for line in growth})
    plt = pyplot()
    names = list(dict.fromkeys(record["workload"] for record in records))
    count = max(1, bool(names) + len(panels))
    figure, axes = plt.subplots(
        1,
        count,
        figsize=(4.5 * count + 1, max(3.5, 0.32 * len(names) + 1.5)),
        squeeze=False,
        layout="constrained",
    )
    places = list(axes[0])
    if names:
        _draw_ratios(plt, places.pop(0), records, names)
    for ax, workload in zip(places, panels, strict=False):
        _draw_growth(plt, ax, [line for line in growth if line["workload"] == workload])
    figure.savefig(path, dpi=120)
    plt.close(figure)


def _draw_ratios(plt: Any, ax: Any, records: list[dict[str, Any]], names: list[str]) -> None:
    settings = sorted({record["threads"] for record in records})
    height = 0.8 / len(settings)
    for s, threads in enumerate(settings):
        here = [record for record in records if record["threads"] == threads]
        places = [names.index(record["workload"]) + (s - (len(settings) - 1) / 2) * height for record in here]
        ratios = [record["ratios"]["fit"] for record in here]
        label = f"{threads} thread{'s' * (threads > 1)}"
        ax.barh(places, [ratio - 1 for ratio in ratios], height, left=1, color=colour(s), label=label)
    ax.set_xscale("log")
    _label_plainly(plt, ax.xaxis)
    ax.axvline(1, color=INK, linewidth=1)
    ax.set_yticks(range(len(names)), names)
    ax.invert_yaxis()
    ax.set_title("fit time / best peer's", loc="left", fontsize=11)
    ax.legend(frameon=False, fontsize=9)
    quiet_axes(ax, grid=True)


def _label_plainly(plt: Any, axis: Any) -> None:
    """0.5 instead of 5 x 10^-1."""
    axis.set_major_locator(plt.LogLocator(subs=(1, 2, 5)))
    axis.set_major_formatter(plt.FormatStrFormatter("%g"))
    axis.set_minor_formatter(plt.NullFormatter())


def _draw_growth(plt: Any, ax: Any, growth: list[dict[str, Any]]) -> None:
    for line in growth:
        if line["threads"] == growth[-1]["threads"] and line["sizes"]:
            p = line["exponent"]
            label = line["contender"] + ("" if p is None else f", n^{p:.2f}")
            k = list(CONTENDERS).index(line["contender"])
            ax.loglog(line["sizes"], line["seconds"], "o-", color=colour(k), label=label, markersize=4)
    for axis in (ax.xaxis, ax.yaxis):
        _label_plainly(plt, axis)
    ax.set_title(f"{growth[0]['workload']}: fit seconds by n", loc="left", fontsize=11)
    ax.legend(frameon=False, fontsize=9)
    quiet_axes(ax, grid=True)
