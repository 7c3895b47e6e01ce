"""The smoothed span bound."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from widemargin.estimators import SVC
from widemargin.problems import Vector
from widemargin.selection.objectives.leave_one_out import (
    add_held_out,
    held_values,
    retrained,
)
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.span_rule import check_margins
from widemargin.selection.objectives.spans import spans
from widemargin.selection.objectives.whole import BoundWhole
from widemargin.selection.workbench import Bench, Gradient, Machine


class SpanBound(Objective):
    """A smooth count of leave-one-out errors, at most the number of support vectors.

    S = sum over support vectors of s_i,    s_i = 1 - f^i(x_i) / f(x_i)  if y_i f^i(x_i) > 0,  else 1

    with f^i trained without x_i. The fast mode puts f(x_i) - y_i alpha_i S_i^2 in the place of the held-out
    value, with the spans S_i: one factorisation instead of a training for each support vector, exact where
    removing a point makes no other point free or bounded. There are kinks where a held-out value changes its
    sign; in the fast mode also jumps where a point becomes free or bounded, which changes the spans of all
    others, and a plateau without gradient where no point is free. A search by its gradient is easily trapped
    in local minima; it is here for comparison.

    Several classes: the sum over all two-class problems.

    Parameters
    ----------
    exact : bool, default=True

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, PhD thesis, Bochum, 2008.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import SpanBound
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> bound = SpanBound().bind(wm.SVC(C=5, gamma=0.2), X, y)
    >>> round(bound.value(bound.parameters.start), 2)
    10.54
    """

    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def __init__(self, exact: bool = True) -> None:
        self.exact = exact

    def _bind(self, task: Task) -> BoundObjective:
        check_margins(task)
        task.check_two_of_each()
        return BoundExactSpan(task) if self.exact else BoundFastSpan(task)


class BoundExactSpan(BoundWhole):
    """With the machines trained without each support vector."""

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        support = machine.active.support
        values = machine.values(support)
        if gradient is None:
            held = held_values(bench, machine)[support]
            return float(_falls(machine, values, held).sum())
        others = retrained(bench, machine)
        held = np.array([others[int(i)].values(np.array([i], dtype=np.int32))[0] for i in support])
        falls = _falls(machine, values, held)
        smooth = (falls > 0) & (falls < 1)
        by_held, by_value = np.zeros(bench.n), np.zeros(support.size)
        by_held[support[smooth]] = -1 / values[smooth]
        by_value[smooth] = held[smooth] / values[smooth] ** 2
        gradient.add(machine, support, by_value)
        add_held_out(gradient, machine, {i: other for i, other in others.items() if by_held[i]}, by_held)
        return float(falls.sum())


class BoundFastSpan(BoundWhole):
    """With the spans of the support vectors."""

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        found, n = spans(machine), bench.n
        if found is None:
            return float(machine.active.support.size)
        rows, S2, active = found.points, found.squares, machine.active
        c = machine.coefficients[rows]
        values = machine.values(rows)
        with np.errstate(invalid="ignore"):
            falls = _falls(machine, values, np.where(np.isfinite(S2), values - c * S2, 0.0), rows)
        if gradient is None:
            return float(falls.sum())
        # s_i = c_i S_i^2 / f(x_i) wherever it is below 1
        smooth = (falls > 0) & (falls < 1)
        by_value, by_coefficient, by_square = np.zeros((3, rows.size))
        by_value[smooth] = -(c * S2)[smooth] / values[smooth] ** 2
        by_coefficient[smooth] = S2[smooth] / values[smooth]
        by_square[smooth] = c[smooth] / values[smooth]
        everywhere = np.zeros(n)
        everywhere[rows] = by_coefficient
        gradient.add(machine, rows, by_value, everywhere)
        for weight, z in zip(by_square[smooth], found.Z[smooth], strict=True):
            gradient.weights.add(weight * z, z)
        ridge = active.ridge
        by_ridge = (by_square[smooth, None] * found.Z[smooth] ** 2).sum(axis=0)
        by_ridge[rows] -= by_square
        gradient.by_log_C -= float(ridge @ by_ridge)
        return float(falls.sum())


def _falls(machine: Machine, values: Vector, held: Vector, rows: np.ndarray | None = None) -> Vector:
    """1 - held / value, within [0, 1], and 1 where the held-out value is on the wrong side."""
    c = machine.coefficients[machine.active.support if rows is None else rows]
    y = np.sign(c)
    right = (y * held > 0) & (y * values > 0)
    falls = np.ones(values.size)
    falls[right] = np.clip(1 - held[right] / values[right], 0.0, 1.0)
    return falls
