"""How far bounds on leave-one-out errors are from leave-one-out errors."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin import bounds
from widemargin.deletion import leave_one_out
from widemargin.estimators import SVC, RLSClassifier
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.sets import Sets
from widemargin.papers.table import Column, Table

C, RIDGE = 1.0, 1.0
MOST = 500
"""Points of each set."""

TWO_CLASSES = (
    "breast-cancer-wisconsin",
    "twonorm",
    "ringnorm",
    "two-moons",
    "titanic",
    "heart",
    "pima",
    "ionosphere",
)
QUICK = 4


class LeaveOneOutBounds(Experiment):
    """Numbers of leave-one-out errors and what bounds say of them, for Gaussian machines without bias
    (gamma = 1 / number of features, C = 1, lam n = 1) on at most 500 standardised points of two classes.
    Hinge: Jaakkola and Haussler, the span bound, the support vectors; the span rule is an estimate, no
    bound. Squared hinge: radius and margin. Least squares: Rifkin's bound, from training outputs alone."""

    title = "Bounds on leave-one-out errors beside the errors"
    source = "Rifkin 2002, thesis, sections 3.3 and 4.4; no table is printed"
    needs = "Nothing; heart, pima and ionosphere are used if the data folder has them."
    columns = (
        Column("set"),
        Column("n"),
        Column("hinge errors", heading="hinge"),
        Column("span rule"),
        Column("Jaakkola-Haussler"),
        Column("span bound", ",.1f"),
        Column("support vectors"),
        Column("squared hinge errors", heading="squared hinge"),
        Column("radius-margin", ",.1f"),
        Column("least squares errors", heading="least squares"),
        Column("Rifkin"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        names = Sets(scope.data_dir).available(TWO_CLASSES)
        for name in names if scope.full else names[:QUICK]:
            say(name)
            sample = Sets(scope.data_dir).load(name, MOST)
            yield name, len(sample.y), *count(sample.X, np.where(sample.y == sample.y.max(), 1, -1))

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [f"Every bound holds on {holding(table)} of {len(table.rows)} sets."]


def count(X: np.ndarray, y: np.ndarray) -> tuple[float, ...]:
    """The columns of the table after the first two."""
    gamma = 1 / X.shape[1]
    hinge = SVC(C=C, gamma=gamma, fit_intercept=False, tol=1e-8).fit(X, y)
    squared = SVC(C=C, gamma=gamma, fit_intercept=False, tol=1e-8, loss="squared_hinge").fit(X, y)
    square = RLSClassifier(lam=RIDGE / len(y), gamma=gamma).fit(X, y)
    return (
        leave_one_out(hinge, X, y).errors,
        bounds.span_rule(hinge, X, y),
        bounds.jaakkola_haussler(hinge, X, y),
        bounds.span_bound(hinge, X, y),
        bounds.support_vector_count(hinge),
        leave_one_out(squared, X, y).errors,
        bounds.radius_margin(squared, X, y).bound,
        int(np.count_nonzero(square.loo_predictions_ != y)),
        bounds.rifkin(square, X, y),
    )


BOUNDS = {
    "hinge errors": ("Jaakkola-Haussler", "span bound", "support vectors"),
    "squared hinge errors": ("radius-margin",),
    "least squares errors": ("Rifkin",),
}


def holding(table: Table) -> int:
    """On how many sets no bound is below the errors."""
    return sum(
        all(record[bound] >= record[errors] - 1e-6 for errors, names in BOUNDS.items() for bound in names)
        for record in table.records()
    )
