"""Support vector classification with a bound on the share of margin violations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin import problems
from widemargin.estimators import parameters
from widemargin.estimators.classifier import KernelClassifier
from widemargin.estimators.code import Code
from widemargin.estimators.documentation import documented
from widemargin.problems import Problem, Vector
from widemargin.solvers import Status


@documented
class NuSVC(KernelClassifier):
    """Support vector classifier in which nu replaces C.

    For two classes it minimises over w, b, rho >= 0

        1/2 |w|^2 - nu rho n + sum_i max(0, rho - y_i (<w, Phi(x_i)> + b)),

    sample weights counted as repetitions, and scales the result to margin 1. At most a share nu of the points
    violates the margin, at least a share nu are support vectors. nu is feasible up to twice the share of the
    smaller class. With several classes a pair for which nu is too large takes its largest feasible value, with a
    warning, as long as nu is feasible for some pair. Class weights change the price of the points, while nu keeps
    its ratio to the largest feasible value.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1].
    <kernel parameters>
    probability : bool, default=False
        Whether to fit `predict_proba`, by five-fold cross-fitting. Its most probable class is always the one
        `predict` names.
    <solver parameters>
    <classifier parameters>

    Attributes
    ----------
    <classifier attributes>
    <certificate attributes>

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], [1, 1, 2, 2]
    >>> wm.NuSVC(nu=0.5).fit(X, y).predict([[-0.8, -1]])
    array([1])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelClassifier._rules | {"nu": parameters.fraction}

    def __init__(
        self,
        *,
        nu: float = 0.5,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        probability: bool = False,
        tol: float = 1e-3,
        cache_size: float = 200,
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multiclass: str = "all-pairs",
        solver: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.nu = nu
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.probability = probability
        self.tol = tol
        self.cache_size = cache_size
        self.class_weight = class_weight
        self.verbose = verbose
        self.max_iter = max_iter
        self.decision_function_shape = decision_function_shape
        self.break_ties = break_ties
        self.random_state = random_state
        self.multiclass = multiclass
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _check_feasible(self, labels: NDArray[np.integer], weight: Vector, M: Code, classes: NDArray) -> None:
        sides = [column[labels] for column in M.T]
        largest = np.array([problems.largest_nu(side[side != 0], weight[side != 0]) for side in sides])
        if (self.nu > largest).all():
            raise ValueError(
                f"nu = {self.nu} is infeasible: with these class sizes it must lie in (0, {largest.max():.6g}]."
            )
        if (self.nu > largest).any():
            column = M[:, int(np.argmin(largest))]
            first, second = (classes[column == side].tolist() for side in (+1, -1))
            warnings.warn(
                f"nu = {self.nu} is infeasible for {(self.nu > largest).sum()} of {largest.size} sub-problems, which "
                f"take their largest feasible value, {largest.min():.3g} for classes {first} against {second}.",
                UserWarning,
                stacklevel=4,
            )

    def _problem(self, y: Vector, weight: Vector, class_weight: Vector) -> Problem:
        largest, weighted = problems.largest_nu(y, weight), problems.largest_nu(y, weight * class_weight)
        nu = min(self.nu, largest) / largest * weighted
        return problems.nu_classification(y, nu, weight * class_weight)

    def _function(self, problem: Problem, solution: Any, n: int) -> tuple[Vector, float]:
        plus, minus = solution.offsets
        b, rho = (plus + minus) / 2, (minus - plus) / 2
        if not rho > 0:
            if solution.status is Status.OPTIMAL:
                raise ValueError(
                    f"nu = {self.nu} is too small for these data: the margin found is zero; raise nu."
                )
            rho = 1.0  # cut short before the margin showed: the direction found is of use nevertheless
        return problem.by_point(solution.alpha, n) / rho, float(b / rho)

    def _start(self, problem: Problem, coefficients: Vector) -> Vector:
        """The coefficients, scaled to margin 1, are scaled back until each class has its sum."""
        plus = problem.groups[0]
        sum_now, sum_needed = coefficients[problem.points[plus]].sum(), problem.start[plus].sum()
        return super()._start(problem, coefficients * (sum_needed / sum_now if sum_now > 0 else 1.0))
