"""The support of a distribution."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin import problems
from widemargin.estimators import parameters
from widemargin.estimators.base import SingleMachine
from widemargin.estimators.documentation import documented
from widemargin.estimators.outlier_detector import KernelOutlierDetector
from widemargin.problems import Problem, Vector

ON_BOUNDARY = 1e-8
"""Decision values below this, relative to the largest, are zero in exact arithmetic."""


@dataclass(frozen=True)
class HalfSpace:
    """A one-class problem and how to read it."""

    problem: Problem

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept, -rho."""
        return self.problem.by_point(solution.alpha, n), float(solution.offsets[0])


@documented
class OneClassSVM(KernelOutlierDetector):
    """Outlier detection by the half-space that holds most points far from the origin of feature space.

    It minimises over w, rho

        1/2 |w|^2 - nu rho n + sum_i max(0, rho - <w, Phi(x_i)>),

    sample weights counted as repetitions. At most a share nu of the points are outliers.

    Parameters
    ----------
    <kernel parameters>
    tol : float, default=1e-3
        KKT violation to stop at.
    nu : float, default=0.5
        In (0, 1].
    <solver parameters>

    Attributes
    ----------
    offset_ : array of shape (1,)
        rho: ``decision_function = score_samples - offset_``.
    <single attributes>
    <certificate attributes>

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.OneClassSVM(gamma="auto").fit_predict([[0], [0.44], [0.45], [0.46], [1]])
    array([-1,  1,  1,  1, -1])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = SingleMachine._rules | {"nu": parameters.fraction}

    def __init__(
        self,
        *,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        tol: float = 1e-3,
        nu: float = 0.5,
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
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.tol = tol
        self.nu = nu
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.solver = solver
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.max_time = max_time
        self.callback = callback

    def _problem(self, y: Any, weight: Vector, diagonal: Callable[[], Vector]) -> Problem:
        return problems.one_class(weight.size, self.nu, weight)

    def _keep_function(self, problem: Problem, solution: Any) -> None:
        self.intercept_ = np.array([self._boundary(problem, solution)])
        self.offset_ = -self.intercept_

    def _read_targets(self, y: Any, part: NDArray[np.integer] | None = None) -> None:
        """There are none."""

    def _machines(self, targets: None, weight: Vector, rows: NDArray[np.integer]) -> list[HalfSpace]:
        """The machine of these rows of the Gram."""
        return [HalfSpace(problems.one_class(rows.size, self.nu, weight[rows]).on(rows))]

    def _answers(self, targets: None, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """+1 and -1 for values of accurate machines; the boundary belongs to the inliers."""
        scale = np.abs(values).max(initial=0.0)
        return np.where(values[:, 0] >= -ON_BOUNDARY * scale, 1, -1).astype(np.intp)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """sum_i dual_coef_i k(x_i, x) - rho at each row of X: positive for inliers.

        For a precomputed kernel X is the kernel of these samples with all training samples, or with the
        support vectors (in the order of `support_`) alone.
        """
        return self._values(X).ravel()
