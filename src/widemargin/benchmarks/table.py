"""The printed table: a line per contender, ratios beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.benchmarks.contender import OURS

COLUMNS = (
    ("workload", 16),
    ("threads", 7),
    ("contender", 16),
    ("fit s", 9),
    ("cpu s", 9),
    ("/ best", 9),
    ("cpu/best", 8),
    ("rows/s", 10),
    ("x best", 7),
    ("x sklearn", 9),
    ("dual objective", 17),
    ("violation", 9),
    ("score", 7),
    ("peak MB", 8),
    ("limit s", 8),
    ("fit/limit", 9),
)


def header() -> str:
    """Names of the columns."""
    return _line([name for name, _ in COLUMNS])


def lines(record: dict[str, Any]) -> Iterator[str]:
    """The lines of one comparison."""
    ratios = record["ratios"]
    for name, result in record["results"].items():
        cells = [record["workload"], str(record["threads"]), name, *_measured(result)]
        if name == OURS:
            mark = "> " if "over_limit" in result else "< " if ratios.get("bounded") else ""
            cells[5] = mark + _number(ratios.get("fit"), ".3f")
            cells[6] = _number(ratios.get("cpu") if record["threads"] == 1 else None, ".3f")
            cells[8] = _number(_inverse(ratios.get("predict")), ".2f")
            cells[9] = _number(_inverse(ratios.get("predict_sklearn")), ".1f")
        note = result.get("left_out") or result.get("failed")
        yield _line(cells) + (f"  {note}" if note else "")


def _measured(result: dict[str, Any]) -> list[str]:
    over = f"> {result['over_limit']:g}" if "over_limit" in result else "-"
    seconds, limit = result.get("fit_seconds"), result.get("limit_seconds")
    rate = result["predicted_rows"] / result["predict_seconds"] if "predict_seconds" in result else None
    mark = " short" if result.get("short") else ""
    return [
        over if seconds is None else f"{seconds:.3f}",
        _number(result.get("fit_cpu_seconds"), ".3f"),
        "",
        "",
        _number(rate, ",.0f"),
        "",
        "",
        _number(result.get("dual_objective"), ".8g") + mark,
        _number(result.get("kkt_violation"), ".1e"),
        _number(result.get("score"), ".4f"),
        _number(result.get("peak_megabytes"), ".0f"),
        _number(limit, ".3f"),
        _number(seconds / limit if seconds and limit else None, ".1f"),
    ]


def growth_point(point: dict[str, Any]) -> str:
    """One contender's time at one size."""
    return _growth(point) + f"n = {point['n']:>7,}  {point['seconds']:>9.3f} s"


def growth_line(line: dict[str, Any]) -> str:
    """One contender's times by size and their exponent."""
    times = "  ".join(f"{n:,}: {s:.2f}" for n, s in zip(line["sizes"], line["seconds"], strict=True))
    exponent = _number(line["exponent"], ".2f") or "-"
    return _growth(line) + f"n^{exponent:<6} {times}"


def _growth(measured: dict[str, Any]) -> str:
    return f"{measured['workload']:<16} {measured['threads']:>7} {measured['contender']:<16} "


def grid_line(record: dict[str, Any]) -> str:
    """Seconds of both searches and how far their scores are apart."""
    parts = [f"{name} {_measured(result)[0]} s" for name, result in record["results"].items()]
    if "ratio" in record:
        parts.append(
            f"ratio {record['ratio']:.3f}, scores apart by {record['examples_apart']:g} examples per fold"
        )
    failures = [result["failed"] for result in record["results"].values() if "failed" in result]
    return f"grid: {', '.join(parts + failures)}"


def _inverse(ratio: float | None) -> float | None:
    return None if ratio is None else 1 / ratio


def _number(value: float | None, form: str) -> str:
    return "" if value is None else format(value, form)


def _line(cells: list[str]) -> str:
    padded = [
        cell.ljust(width) if k in (0, 2) else cell.rjust(width)
        for k, (cell, (_, width)) in enumerate(zip(cells, COLUMNS, strict=True))
    ]
    return " ".join(padded).rstrip()
