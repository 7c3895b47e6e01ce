"""Support vector classification with a bound on the share of margin violations."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin import losses, problems
from widemargin.estimators import parameters
from widemargin.estimators.base import start_from
from widemargin.estimators.classifier import Code, KernelClassifier
from widemargin.estimators.documentation import documented
from widemargin.problems import Problem, Vector
from widemargin.solvers import Status

ROUNDING = 1e-13
"""A margin below this share of the values it is a difference of is none."""


@dataclass(frozen=True)
class NuMargin:
    """A two-class machine with a share nu of support vectors; `unit` is price 1 in the problem's scale."""

    problem: Problem
    unit: float

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept, scaled to margin 1."""
        b, rho = self._bias_and_margin(solution)
        if not rho > ROUNDING * np.abs(solution.alpha).sum() * size():
            if solution.status is Status.OPTIMAL:
                warnings.warn(
                    "nu is too small for these data: the margin found is zero and the decision values mean "
                    "little; raise nu.",
                    UserWarning,
                    stacklevel=6,
                )
            rho = 1.0  # no margin to scale to: the direction found may be of use nevertheless
        return self.problem.by_point(solution.alpha, n) / rho, b / rho

    def _bias_and_margin(self, solution: Any) -> tuple[float, float]:
        """b and rho from the multipliers b - rho of class +1 and b + rho of class -1.

        A class with all variables at their bound leaves its multiplier, and with it rho, open to one side.
        """
        plus, minus = solution.offsets
        rho = (minus - plus) / 2
        plus_open, minus_open = np.isinf(solution.offset_intervals).any(axis=1)
        wider = max(rho, self.unit) if plus_open or minus_open else rho
        if plus_open and not minus_open:
            return minus - wider, wider
        if minus_open and not plus_open:
            return plus + wider, wider
        return (plus + minus) / 2, wider

    def start(self, coefficients: Vector) -> Vector:
        """A feasible start near the function with these coefficients, scaled to the sum of a class."""
        plus = self.problem.groups[0]
        now, needed = coefficients[self.problem.rows[plus]].sum(), self.problem.start[plus].sum()
        return start_from(self.problem, coefficients * (needed / now if now > 0 else 1.0))


@documented
class NuSVC(KernelClassifier):
    """Support vector classifier in which nu replaces C.

    For two classes it minimises over w, b, rho >= 0

        1/2 |w|^2 - nu rho n + sum_i max(0, rho - y_i (<w, Phi(x_i)> + b)),

    sample and class weights counted as repetitions, and scales the result to margin 1. At most a share nu of
    the points violates the margin, at least a share nu are support vectors.

    nu is feasible up to twice the share of the smaller class. Where it is too large only because of
    `class_weight`, or for some pairs of several classes, those sub-problems take their largest feasible
    value, with a warning; their margin rho is open upwards and taken as 1 at least, so that no point costs
    more than its weight.

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
        cache_size: float | str = "auto",
        class_weight: dict[Any, float] | str | None = None,
        verbose: bool | int = False,
        max_iter: int = -1,
        decision_function_shape: str = "ovr",
        break_ties: bool = False,
        random_state: Any = None,
        multiclass: Any = "all-pairs",
        decoding: Any = "auto",
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
        self.decoding = decoding
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _check_feasible(
        self, labels: NDArray[np.integer], weight: Vector, class_weight: Vector, M: Code, classes: NDArray
    ) -> None:
        sides = [column[labels] for column in M.T]
        alone = max(problems.largest_nu(y[y != 0], weight[y != 0]) for y in sides)
        if self.nu > alone:
            raise ValueError(
                f"nu = {self.nu} is infeasible: with these class sizes it must lie in (0, {alone:.6g}]."
            )
        weight = weight * class_weight
        largest = np.array([problems.largest_nu(y[y != 0], weight[y != 0]) for y in sides])
        if (self.nu > largest).any():
            column = M[:, int(np.argmin(largest))]
            first, second = (classes[column == side].tolist() for side in (+1, -1))
            warnings.warn(
                f"nu = {self.nu} is infeasible for {(self.nu > largest).sum()} of {largest.size} problems, "
                f"which take their largest feasible value, {largest.min():.3g} for {first} against {second}.",
                UserWarning,
                stacklevel=4,
            )

    def _own_loss(self) -> losses.Loss:
        return losses.Hinge()

    def _machine(
        self, y: Vector, weight: Vector, class_weight: Vector, rows: NDArray[np.integer]
    ) -> NuMargin:
        weighted = weight * class_weight
        largest = problems.largest_nu(y, weighted)
        # The common scale of the weights matters to nothing but the solver's tolerance: the class that limits
        # nu keeps its own.
        unit = problems.largest_nu(y, weight) * weight.sum() / (largest * weighted.sum())
        problem = problems.nu_classification(y, min(self.nu, largest), unit * weighted)
        return NuMargin(problem.on(rows), unit)
