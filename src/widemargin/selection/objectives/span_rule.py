"""The span rule."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from widemargin.estimators import SVC
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.spans import spans
from widemargin.selection.objectives.whole import BoundWhole
from widemargin.selection.workbench import Bench, Gradient, Machine


class SpanRule(Objective):
    """The estimated number of leave-one-out errors, #{i : alpha_i > 0, y_i f(x_i) <= alpha_i S_i^2}.

    One training and one factorisation; see `widemargin.bounds.span_rule`. A machine without free support
    vectors has no spans: all its support vectors count as errors then. Several classes: the sum over all
    two-class problems.

    References
    ----------
    Chapelle, Vapnik, Bousquet and Mukherjee, Choosing multiple parameters for support vector machines,
    Machine Learning 46, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import SpanRule
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> bound = SpanRule().bind(wm.SVC(C=5, gamma=0.2), X, y)
    >>> bound.value(bound.parameters.start), wm.leave_one_out(wm.SVC(C=5, gamma=0.2), X, y).errors
    (6.0, 6)
    """

    differentiable = False
    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def _bind(self, task: Task) -> BoundObjective:
        check_margins(task)
        return BoundSpanRule(task)


class BoundSpanRule(BoundWhole):
    """Support vectors whose fall by removal is larger than their margin."""

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        found, c = spans(machine), machine.coefficients
        if found is None:
            return float(machine.active.support.size)
        alpha = np.abs(c[found.points])
        margins = np.sign(c[found.points]) * machine.values(found.points)
        return float(np.count_nonzero(margins <= alpha * found.squares))


def check_margins(task: Task) -> None:
    """Raise a ValueError unless the loss of the machine is one of margin violations."""
    if task.estimator.loss == "least-squares":
        raise ValueError(
            f"{type(task.objective).__name__} is for loss='hinge' and 'squared_hinge', not 'least-squares'."
        )
