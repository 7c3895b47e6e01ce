"""Training accuracy against the price C, by both methods."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from widemargin.papers.barrier_accuracy import accuracies
from widemargin.papers.credit_study import NEEDS, PRICES, SOURCE, data_notes, kernels, two_ratings
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, LogBarrier, Stop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = 250
"""Training companies of a quick table, which has every other price."""


class BarrierPrices(Experiment):
    """BBB against BB: accuracy on training points, by both methods, and on test points against C, for all
    kernels of the study; "apart" is the relative difference of the two objectives. The study prints curves
    only."""

    title = "Barrier and pair methods: sweeps over C"
    source = f"{SOURCE}, figures 4.1 and 4.2"
    needs = NEEDS
    columns = (
        Column("kernel"),
        Column("C", ".3g"),
        Column("barrier", ".4f", "train, barrier"),
        Column("SMO", ".4f", "train, SMO"),
        Column("test", ".4f"),
        Column("apart", ".1e"),
        Column("steps"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        parts = two_ratings(scope.data_dir, None if scope.full else QUICK)
        for name, (kernel, _) in kernels().items():
            say(name)
            gram = kernel.bind(parts.train.X)
            for C in PRICES if scope.full else PRICES[::2]:
                problem = soft_margin(parts.train.y, C)
                barrier = LogBarrier().solve(problem, gram, stop=Stop(tol=1e-3))
                pairs = SMO(finish="newton").solve(problem, gram, stop=Stop(tol=1e-5))
                train, test = accuracies(kernel, barrier, parts)
                apart = abs(barrier.dual_objective / pairs.dual_objective - 1)
                yield name, C, train, accuracies(kernel, pairs, parts)[0], test, apart, barrier.iterations

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [
            *data_notes(scope.data_dir),
            "Claimed: polynomials are flat from C = 0.1 to 100 (C = 10 was chosen); Gaussians rise, the "
            "narrower the higher, s = 0.01 to 100 per cent from C = 10 on (C = 100 was chosen).",
            f"The largest relative difference of the objectives is {max(table['apart']):.0e}.",
        ]


def draw(table: Table) -> Figure:
    """Training and test accuracy against C, polynomials and Gaussians apart (needs matplotlib)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(10, 4), layout="constrained")
    for ax, kind, number in zip(figure.subplots(1, 2), ("poly", "gauss"), ("4.1", "4.2"), strict=True):
        names = [name for name in dict.fromkeys(table["kernel"]) if name.startswith(kind)]
        for k, name in enumerate(names):
            rows = [record for record in table.records() if record["kernel"] == name]
            prices = [row["C"] for row in rows]
            ax.plot(prices, [row["barrier"] for row in rows], f"C{k}-", label=name)
            ax.plot(prices, [row["SMO"] for row in rows], f"C{k}x")
            ax.plot(prices, [row["test"] for row in rows], f"C{k}:")
        ax.set(xscale="log", xlabel="C", ylabel="accuracy", title=f"figure {number}")
        ax.legend(title="line: train (x: SMO), dots: test", fontsize=8)
    return figure
