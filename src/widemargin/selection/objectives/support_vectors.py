"""The number of support vectors."""

from __future__ import annotations

from typing import ClassVar

from widemargin.estimators import SVC
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.whole import BoundWhole
from widemargin.selection.workbench import Bench, Gradient, Machine


class SupportVectorCount(Objective):
    """#{i : alpha_i > 0}, at least the number of leave-one-out errors; summed over two-class problems.

    It favours machines with hardly any regularisation, and is here for comparison.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import SupportVectorCount
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> bound = SupportVectorCount().bind(wm.SVC(), X, y)
    >>> machine = bound.parameters.estimator_with([2.0, -1.0]).fit(X, y)
    >>> bound.value([2.0, -1.0]) - int(machine.n_support_.sum())
    0.0
    """

    differentiable = False
    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def _bind(self, task: Task) -> BoundObjective:
        return BoundSupportVectorCount(task)


class BoundSupportVectorCount(BoundWhole):
    """The number of support vectors."""

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        return float(machine.active.support.size)
