"""Support vector classification with a price on margin violations."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin import losses, problems
from widemargin.estimators import parameters
from widemargin.estimators.base import start_from
from widemargin.estimators.classifier import Code, KernelClassifier
from widemargin.estimators.differentiable import Differentiable
from widemargin.estimators.documentation import documented
from widemargin.problems import Problem, Vector
from widemargin.solvers import Status

LOSSES: dict[str, Callable[[Any, Any], Problem]] = {
    "hinge": problems.soft_margin,
    "squared_hinge": problems.squared_soft_margin,
    "least-squares": problems.least_squares,
}
OWN_LOSSES = {"hinge": losses.Hinge, "squared_hinge": losses.SquaredHinge, "least-squares": losses.Square}


@dataclass(frozen=True)
class SoftMargin:
    """A two-class machine with a price C on losses."""

    problem: Problem
    has_bias: bool

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept."""
        return self.problem.by_point(solution.alpha, n), float(solution.offsets[0]) if self.has_bias else 0.0

    def start(self, coefficients: Vector) -> Vector:
        """A feasible start near the function with these coefficients."""
        return start_from(self.problem, coefficients)


@documented
class SVC(Differentiable, KernelClassifier):
    """Support vector classifier.

    For two classes, y_i = -1 or +1, it minimises over w, b

        1/2 |w|^2 + sum_i C_i loss(y_i (<w, Phi(x_i)> + b)),    C_i = C * sample_weight_i * class_weight(y_i),

    with the hinge loss max(0, 1 - z), half its square, or (1 - z)^2 / 2. C = inf is the hard margin. Several
    classes are several such problems on one shared kernel matrix.

    Parameters
    ----------
    C : float, default=1.0
        Price of a margin violation, positive; `numpy.inf` allows none.
    <kernel parameters>
    probability : bool, default=False
        Whether to fit `predict_proba`, by five-fold cross-fitting. Its most probable class is always the one
        `predict` names.
    <solver parameters>
    <classifier parameters>
    loss : {"hinge", "squared_hinge", "least-squares"}, default="hinge"
    fit_intercept : bool, default=True
        Whether the machine has a bias b.

    Attributes
    ----------
    <classifier attributes>
    <certificate attributes>

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], ["left", "left", "right", "right"]
    >>> machine = wm.SVC(kernel="linear").fit(X, y)
    >>> machine.predict([[-0.8, -1]]).item()
    'left'
    >>> machine.status_.name
    'OPTIMAL'
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelClassifier._rules | {
        "C": parameters.positive,
        "loss": parameters.one_of(*LOSSES),
        "fit_intercept": parameters.boolean,
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
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
        loss: str = "hinge",
        fit_intercept: bool = True,
        multiclass: Any = "all-pairs",
        decoding: Any = "auto",
        solver: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.C = C
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
        self.loss = loss
        self.fit_intercept = fit_intercept
        self.multiclass = multiclass
        self.decoding = decoding
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _own_loss(self) -> losses.Loss:
        return OWN_LOSSES[self.loss]()

    def _machine(
        self, y: Vector, weight: Vector, class_weight: Vector, rows: NDArray[np.integer]
    ) -> SoftMargin:
        problem = LOSSES[self.loss](y, self.C * weight * class_weight)
        if not self.fit_intercept:
            problem = problems.without_bias(problem)
        return SoftMargin(problem.on(rows), self.fit_intercept)

    def _check_separable(self, solutions: Any, M: Code, classes: NDArray) -> None:
        for column, solution in enumerate(solutions):
            if solution.status is Status.UNBOUNDED:
                sides = M[:, column % M.shape[1]]
                first, second = (classes[sides == side].tolist() for side in (-1, +1))
                raise ValueError(
                    f"C={self.C}: classes {first} and {second} cannot be separated without error by this "
                    "kernel; give a finite C."
                )
