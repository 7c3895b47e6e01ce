"""Regression in a tube whose width is found by a bound on the share of points outside it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from widemargin import problems
from widemargin.estimators import parameters
from widemargin.estimators.base import SingleMachine
from widemargin.estimators.documentation import documented
from widemargin.estimators.regressor import KernelRegressor
from widemargin.problems import Problem, Vector


@documented
class NuSVR(KernelRegressor):
    """Support vector regression in which nu replaces epsilon.

    It minimises over f = <w, Phi(.)> + b and epsilon >= 0

        1/2 |w|^2 + sum_i C_i (nu epsilon + max(0, |y_i - f(x_i)| - epsilon)),      C_i = C * sample_weight_i.

    At most a share nu of the points lies outside the tube, at least a share nu are support vectors.

    Parameters
    ----------
    nu : float, default=0.5
        In (0, 1].
    C : float, default=1.0
        Price of a unit of error, positive and finite.
    <kernel parameters>
    <solver parameters>

    Attributes
    ----------
    epsilon_ : float
        Half width of the tube found.
    <single attributes>
    <certificate attributes>

    Examples
    --------
    >>> import widemargin as wm
    >>> machine = wm.NuSVR(kernel="linear", C=100).fit([[0], [1], [2]], [1, 3, 5])
    >>> machine.predict([[3]]).round(3)
    array([7.])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = SingleMachine._rules | {
        "nu": parameters.fraction,
        "C": parameters.positive_and_finite,
    }

    def __init__(
        self,
        *,
        nu: float = 0.5,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        shrinking: bool = True,
        tol: float = 1e-3,
        cache_size: float | str = "auto",
        verbose: bool | int = False,
        max_iter: int = -1,
        solver: Any = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        max_time: float | None = None,
        callback: Callable[[Any], Any] | None = None,
    ) -> None:
        self.nu = nu
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.shrinking = shrinking
        self.tol = tol
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _regression(self, y: Vector, weight: Vector) -> Problem:
        return problems.nu_regression(y, self.C * weight, self.nu)

    def _intercept(self, solution: Any) -> float:
        return float(solution.offsets.mean())

    def _keep_function(self, problem: Problem, solution: Any) -> None:
        super()._keep_function(problem, solution)
        above, below = solution.offsets
        self.epsilon_ = float((above - below) / 2)
