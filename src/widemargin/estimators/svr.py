"""Regression with the epsilon-insensitive loss."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from widemargin import problems
from widemargin.estimators import parameters
from widemargin.estimators.base import SingleMachine
from widemargin.estimators.differentiable import Differentiable
from widemargin.estimators.documentation import documented
from widemargin.estimators.regressor import KernelRegressor
from widemargin.problems import Problem, Vector
from widemargin.solvers import Status


@documented
class SVR(Differentiable, KernelRegressor):
    """Support vector regression.

    It minimises over f = <w, Phi(.)> + b

        1/2 |w|^2 + sum_i C_i max(0, |y_i - f(x_i)| - epsilon),      C_i = C * sample_weight_i.

    Parameters
    ----------
    <kernel parameters>
    tol : float, default=1e-3
        KKT violation to stop at.
    C : float, default=1.0
        Price of a unit of error, positive.
    epsilon : float, default=0.1
        Half width of the tube in which errors cost nothing.
    <solver parameters>
    fit_intercept : bool, default=True
        Whether the machine has a bias b.

    Attributes
    ----------
    <single attributes>
    <certificate attributes>

    Examples
    --------
    >>> import widemargin as wm
    >>> machine = wm.SVR(kernel="linear", C=100, epsilon=0.0).fit([[0], [1], [2]], [1, 3, 5])
    >>> machine.predict([[3]]).round(3)
    array([7.])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = SingleMachine._rules | {
        "C": parameters.positive,
        "epsilon": parameters.not_negative,
        "fit_intercept": parameters.boolean,
    }

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        C: float = 1.0,
        epsilon: float = 0.1,
        shrinking: bool = True,
        cache_size: float | str = "auto",
        verbose: bool | int = False,
        max_iter: int = -1,
        fit_intercept: bool = True,
        solver: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.C = C
        self.epsilon = epsilon
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.fit_intercept = fit_intercept
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _regression(self, y: Vector, weight: Vector) -> Problem:
        problem = problems.epsilon_regression(y, self.C * weight, self.epsilon)
        return problem if self.fit_intercept else problems.without_bias(problem)

    def _intercept(self, solution: Any) -> float:
        if solution.status is Status.UNBOUNDED:
            raise ValueError(
                f"C={self.C}: no function of this kernel stays within epsilon={self.epsilon} of all targets; "
                "give a finite C or raise epsilon."
            )
        return float(solution.offsets[0]) if self.fit_intercept else 0.0
