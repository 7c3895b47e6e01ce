"""The quotient of radius and margin."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np

from widemargin import problems
from widemargin.estimators import SVC
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.whole import BoundWhole
from widemargin.selection.workbench import Bench, Gradient, Machine


class RadiusMargin(Objective):
    """R^2 / rho^2, the squared radius of the smallest ball around the points over the squared margin.

    1 / rho^2 = max_a  2 y'a - a'Ka          s.t.  sum a = 0,  y_i a_i >= 0
    R^2       = max_b  b'diag(K) - b'Kb      s.t.  sum b = 1,  b >= 0

    for hard margins, and with K + diag(1 / C) for the squared hinge loss, which makes C a parameter of the
    kernel. Both are maxima, so that their derivatives need none of a and b:

    d(1 / rho^2) = -a'dKa,    dR^2 = b'diag(dK) - b'dKb

    There is no such thing for a soft hinge loss. Several classes: the sum over all two-class problems, each
    with the ball around its own points.

    References
    ----------
    Chapelle, Vapnik, Bousquet and Mukherjee, Choosing multiple parameters for support vector machines,
    Machine Learning 46, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import RadiusMargin
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> bound = RadiusMargin().bind(wm.SVC(loss="squared_hinge"), X, y)
    >>> value, gradient = bound.value_and_gradient([0.0, -1.0])
    >>> bool(value > 1), gradient.shape
    (True, (2,))
    """

    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def _searches_C(self, estimator: Any) -> bool:
        return estimator.loss == "squared_hinge"

    def _bind(self, task: Task) -> BoundObjective:
        machine = task.estimator
        if machine.loss == "least-squares" or (machine.loss == "hinge" and np.isfinite(machine.C)):
            raise ValueError(
                "RadiusMargin is for loss='squared_hinge' or hard margins (C=inf), not for a soft hinge loss "
                "or least squares."
            )
        return BoundRadiusMargin(task)


class BoundRadiusMargin(BoundWhole):
    """Two programs on one matrix."""

    def _of_machine(self, bench: Bench, machine: Machine, gradient: Gradient | None) -> float:
        n, active = bench.n, machine.active
        rows = np.unique(machine.problem.rows[machine.problem.rows >= 0])
        ridge, a = active.ridge[rows], active.coefficients
        diagonal = bench.gram.diagonal()[rows] + ridge
        ball = replace(problems.enclosing_ball(diagonal).on(rows), ridge=ridge)
        solution = bench.workbench.solve(bench.estimator, ball, bench.gram, None)
        b = solution.alpha
        squared_radius = 2 * solution.dual_objective
        inverse_squared_margin = 2 * machine.solution.dual_objective
        if gradient is not None:
            everywhere = np.zeros(n)
            everywhere[rows] = b
            gradient.weights.add(-squared_radius * a, a)
            gradient.weights.add(-inverse_squared_margin * everywhere, everywhere)
            gradient.weights.add_diagonal(inverse_squared_margin * everywhere)
            by_ridge = -squared_radius * a[rows] ** 2 + inverse_squared_margin * (b - b**2)
            gradient.by_log_C -= float(ridge @ by_ridge)
        return squared_radius * inverse_squared_margin
