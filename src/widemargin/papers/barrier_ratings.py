"""Seven ordered classes, one against all, by barrier and pair methods."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from widemargin.comparison import class_report
from widemargin.datasets.credit_ratings import RATINGS
from widemargin.estimators import SVC
from widemargin.papers.credit_study import (
    NEEDS,
    SOURCE,
    Split,
    best_kernels,
    companies,
    data_notes,
    split,
)
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

QUICK = 500
"""Training companies of a quick table."""

SOLVERS = {"LogBarrier": "log-barrier", "Mehrotra": "mehrotra", "SMO": None}
PRINTED = {("gauss s = 0.5", "SMO"): 0.7208, ("poly p = 2", "SMO"): 0.5437}


class BarrierRatings(Experiment):
    """All seven ratings, one machine against all others each, on a random fifth of the companies: accuracy,
    accuracy within one rating, the mean share of right ones over the classes, and the largest relative
    difference of decision values from those of SMO. "printed" are the best accuracies of the study, which
    has them for SMO; with both methods at the optimum there is nothing to choose. "balanced" has prices
    inverse to the class sizes, for the imbalance that the study only mentions."""

    title = "Barrier and pair methods: seven ratings"
    source = f"{SOURCE}, section 4.3, figures 4.9 and 4.10 (whose entries are lost)"
    needs = NEEDS
    columns = (
        Column("kernel"),
        Column("solver"),
        Column("prices"),
        Column("accuracy", ".4f"),
        Column("printed", ".4f"),
        Column("within one", ".4f"),
        Column("balanced accuracy", ".4f", "mean recall"),
        Column("apart", ".0e"),
        Column("seconds", ".1f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        parts = ratings(scope)
        for name in best_kernels():
            usual = None
            for prices in (None, "balanced"):
                for solver in reversed(SOLVERS) if prices is None else ["SMO"]:
                    say(f"{name}, {solver}")
                    begin = time.perf_counter()
                    machine = trained(name, solver, prices, parts)
                    seconds = time.perf_counter() - begin
                    values = machine.decision_function(parts.test.X)
                    usual = values if usual is None else usual
                    predictions = machine.predict(parts.test.X)
                    report = class_report(parts.test.y, predictions, classes=machine.classes_)
                    yield (
                        name,
                        solver,
                        prices or "equal",
                        float(np.mean(predictions == parts.test.y)),
                        PRINTED.get((name, solver)) if prices is None else None,
                        float(np.mean(np.abs(predictions - parts.test.y) <= 1)),
                        float(np.mean(report.recall)),
                        float(np.abs(values - usual).max() / np.abs(usual).max()) if prices is None else None,
                        seconds,
                    )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        notes = [
            *data_notes(scope.data_dir),
            "Claimed: errors concentrate between neighbouring ratings.",
        ]
        if table.complete:
            parts = ratings(scope)
            for name in best_kernels():
                counts = confusion_matrix(name, parts)
                rows = "; ".join(f"{RATINGS[k]} {counts[k].tolist()}" for k in range(len(RATINGS)))
                notes.append(f"Confusions with {name}, true ratings and what they are given: {rows}.")
        return notes


def ratings(scope: Scope) -> Split:
    """All companies: four fifths, or fewer in a quick table, for training."""
    return split(companies(scope.data_dir), None if scope.full else QUICK, 0)


def trained(kernel: str, solver: str, prices: str | None, parts: Split) -> SVC:
    """Seven machines, one against all."""
    chosen, C = best_kernels()[kernel]
    machine = SVC(
        kernel=chosen,
        C=C,
        solver=SOLVERS[solver],
        class_weight=prices,
        multiclass="one-vs-all",
        tol=1e-4,
    )
    return machine.fit(parts.train.X, parts.train.y)


def confusion_matrix(kernel: str, parts: Split) -> np.ndarray:
    """Companies by true rating and by the one that they are given."""
    machine = trained(kernel, "SMO", None, parts)
    report = class_report(parts.test.y, machine.predict(parts.test.X), classes=machine.classes_)
    return report.confusion


def draw(scope: Scope | None = None) -> Figure:
    """The confusion matrices, figures 4.9 and 4.10 (needs matplotlib)."""
    from matplotlib.figure import Figure

    from widemargin.display import confusion

    parts = ratings(scope or Scope())
    names = np.array(RATINGS)
    figure = Figure(figsize=(11, 5.5), layout="constrained")
    for ax, (kernel, number) in zip(
        figure.subplots(1, 2), zip(best_kernels(), ("4.9", "4.10"), strict=True), strict=True
    ):
        predictions = trained(kernel, "SMO", None, parts).predict(parts.test.X)
        confusion(names[parts.test.y], names[predictions], ax, classes=names)
        ax.set_title(f"figure {number}: {kernel}")
    return figure
