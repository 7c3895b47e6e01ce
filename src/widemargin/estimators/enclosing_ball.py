"""The smallest ball around the data in feature space."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin import problems
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import SingleMachine
from widemargin.estimators.documentation import documented
from widemargin.estimators.outlier_detector import ROUND_OFF, KernelOutlierDetector
from widemargin.expansion import Expansion
from widemargin.problems import Problem, Vector

NU = 0.1
"""The share of points that may lie outside unless it is given."""


@documented
class EnclosingBall(KernelOutlierDetector):
    """Smallest enclosing ball; soft, it is the support vector data description, an outlier detector.

    It minimises over the centre c and the radius R

        R^2 + sum_i C_i max(0, |Phi(x_i) - c|^2 - R^2),

    with C_i = C * sample_weight_i, or 1 / (nu n) with sample weights counted as repetitions. An infinite C,
    or nu = 0, allows no point outside: the hard ball. Otherwise at most a share nu of the points is outside.

    Parameters
    ----------
    nu : float, optional
        In [0, 1]; 0.1 if neither it nor C is given.
    C : float, optional
        Price of a unit of squared distance outside the ball, in place of nu; `numpy.inf` allows none.
    <kernel parameters>
    <solver parameters>

    Attributes
    ----------
    radius_ : float
    center_ : Expansion
        The centre, as an element of the kernel's Hilbert space.
    center_squared_norm_ : float
    offset_ : float
        Minus the squared radius: ``decision_function = score_samples - offset_``.
    <single attributes>
    <certificate attributes>

    References
    ----------
    Tax and Duin, Support vector data description, Machine Learning 54, 2004.

    Examples
    --------
    >>> import widemargin as wm
    >>> ball = wm.EnclosingBall(nu=0, kernel="linear").fit([[0, 0], [2, 0], [1, 0.5]])
    >>> round(ball.radius_, 3)
    1.0
    >>> ball.predict([[1, 0], [3, 0]])
    array([ 1, -1])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = SingleMachine._rules | {
        "nu": parameters.none | parameters.fraction_or_zero,
        "C": parameters.none | parameters.positive,
    }

    def __init__(
        self,
        *,
        nu: float | None = None,
        C: float | None = None,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        shrinking: bool = True,
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
        self.tol = tol
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.nu is not None and self.C is not None:
            raise ValueError(f"nu={self.nu} and C={self.C} say the same thing in two ways: give one of them.")

    def _problem(self, y: Any, weight: Vector, diagonal: Callable[[], Vector]) -> Problem:
        nu = NU if self.nu is None else self.nu
        if self.C is not None:
            C = self.C * weight
        else:
            C = weight / (nu * weight.sum()) if nu > 0 else np.full(weight.size, np.inf)
        return problems.enclosing_ball(diagonal(), C)

    def _keep_function(self, problem: Problem, solution: Any) -> None:
        a, G, diagonal = solution.alpha, solution.gradient, 2 * problem.linear
        self.center_squared_norm_ = float(a @ (problem.linear - G))
        hard = (problem.upper == 1.0).all()  # nothing may lie outside, not even by the solver's tolerance
        boundary = G.max() + ROUND_OFF * np.abs(G).max() if hard else self._boundary(problem, solution)
        squared = 2 * boundary + self.center_squared_norm_
        self.radius_ = float(np.sqrt(max(squared, 0.0)))
        self.offset_ = -(self.radius_**2)
        self.intercept_ = np.zeros(1)
        self._common_diagonal = float(diagonal[0]) if np.ptp(diagonal) <= 1e-12 * abs(diagonal[0]) else None

    @property
    def center_(self) -> Expansion:
        """The centre c = sum_i dual_coef_i Phi(x_i)."""
        check_is_fitted(self)
        return self._expansion()

    def decision_function(self, X: Any, diagonal: ArrayLike | None = None) -> NDArray[np.float64]:
        """R^2 - |Phi(x) - c|^2 at each row of X: positive inside the ball.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples, or with the
            support vectors (in the order of `support_`) alone.
        diagonal : array-like of shape (n_samples,), optional
            k(x, x), for a precomputed kernel only; not needed if it was the same for all training samples.
        """
        values = self._values(X).ravel()
        squared_distance = self._diagonal(X, diagonal) - 2 * values + self.center_squared_norm_
        return self.radius_**2 - squared_distance

    def _diagonal(self, X: Any, diagonal: ArrayLike | None) -> Any:
        if not sample.is_precomputed(self.kernel_):
            return self.kernel_.diagonal(sample.read_prediction(self, X))
        if diagonal is not None:
            return np.asarray(diagonal, dtype=np.float64)
        if self._common_diagonal is None:
            raise ValueError(
                "a precomputed kernel with varying k(x, x) needs them for new samples: give diagonal."
            )
        return self._common_diagonal
