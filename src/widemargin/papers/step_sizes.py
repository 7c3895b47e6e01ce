"""How much longer planning steps are than Newton steps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from numpy.typing import ArrayLike

from widemargin.datasets import published
from widemargin.papers.benchmark import NEEDS, names, problem
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import announce
from widemargin.solvers import SMO

if TYPE_CHECKING:
    from matplotlib.figure import Figure

RATIOS_ONLY = 2**62  # a trace so sparse that it holds nothing but the planning ratios


def scale(t: np.ndarray) -> np.ndarray:
    """The study's axis: sign(t) (10^(t^2/2) - 1), fine around the Newton step and logarithmic far from it."""
    return np.sign(t) * (10 ** (t**2 / 2) - 1)


STEPS = np.arange(-1.875, 3.2, 0.25)  # of the axis; the middle bin is the Newton step within 2 %
REVERSED = -1.0
EDGES = np.sort([-np.inf, REVERSED, *scale(STEPS), np.inf])


class StepSizes(Experiment):
    """The histogram of mu_planned / mu_newton - 1 over the planning steps of one run: 0 is the Newton step, 1
    is twice as long, below -1 is reversed. Bars are logarithmic."""

    title = "Planning steps relative to Newton steps"
    source = "Glasmachers 2008, thesis, figure 7.3 (histograms, no numbers printed)"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("from", ".3g"),
        Column("to", ".3g"),
        Column("steps"),
        Column("share", ".2%"),
        Column("histogram"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in names(scope.data_dir, scope.full):
            task = problem(name, scope.data_dir)
            announce(task)
            solution = task.solve(SMO(step="planning-ahead", trace=RATIOS_ONLY))
            counts = histogram(cast(np.ndarray, solution.planning_ratios))
            for left, right, count in zip(EDGES[:-1], EDGES[1:], counts, strict=True):
                if count:
                    yield name, left, right, int(count), count / counts.sum(), bar(count)

    def notes(self, table: Table, scope: Scope) -> list[str]:
        def share(condition: Any) -> float:
            return sum(r["steps"] for r in table.records() if condition(r)) / sum(table["steps"])

        missing = published.missing(scope.data_dir)
        return [
            f"Over all sets: {share(lambda r: r['from'] > 0):.1%} are longer than Newton by more than 2 %, "
            f"{share(lambda r: r['to'] < 0):.2%} shorter by more than 2 %, "
            f"{share(lambda r: r['to'] <= REVERSED):.2%} reversed.",
            "Claimed: most are slightly longer, some by a factor of thousands, hardly any shorter.",
            *([missing] if missing else []),
        ]


def histogram(ratios: ArrayLike) -> np.ndarray:
    """How many planning steps, divided by their Newton steps, fall between the EDGES."""
    return np.histogram(np.asarray(ratios) - 1, bins=EDGES)[0]


def bar(count: int) -> str:
    return "#" * (1 + round(4 * np.log10(count)))


def draw(table: Table) -> Figure:
    """The histograms as a picture (needs matplotlib)."""
    from matplotlib.figure import Figure

    sets = list(dict.fromkeys(table["set"]))
    figure = Figure(figsize=(4 * min(3, len(sets)), 3 * -(-len(sets) // 3)), layout="constrained")
    for place, name in enumerate(sets, 1):
        axes = figure.add_subplot(-(-len(sets) // 3), min(3, len(sets)), place)
        steps = {record["from"]: record["steps"] for record in table.records() if record["set"] == name}
        axes.bar(range(len(EDGES) - 1), [steps.get(left, 0) for left in EDGES[:-1]], width=1.0)
        axes.set_yscale("symlog")
        axes.set_xticks(
            np.arange(len(EDGES)) - 0.5, [f"{edge:.2g}" for edge in EDGES], rotation=90, fontsize=6
        )
        axes.set_title(name)
    figure.supxlabel("planning step / Newton step - 1")
    figure.supylabel("steps")
    return figure
