"""The least empirical risk within a ball."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators import TikhonovEstimator, parameters
from widemargin.estimators.base import start_from
from widemargin.least_squares import Frame, LeastSquares, RidgeCurve, choose_solver
from widemargin.least_squares.singular_system import SingularSystem
from widemargin.losses import Square
from widemargin.memory import cache_bytes
from widemargin.problems import Problem, Vector
from widemargin.regularization import Regularization

DECADE = 10.0
"""Factor between the values of lam until one is found whose function leaves the ball."""

LONGEST = 100
"""Steps of the search at most; it takes about ten."""

ROUNDING = 1e-10
"""Norms from eigenvalues and from kernel values agree to this, relatively."""

NARROWEST = 1e-12
"""Values of lam nearer to each other than this, relatively, are the same."""


class IvanovEstimator(TikhonovEstimator):
    """The function with the least mean loss among those with a norm of at most A.

    It minimises over f in the Hilbert space of the kernel, plus b if there is a bias,

        1/n sum_i w_i V(f(x_i), y_i)   subject to   |f| <= A,      n = sum_i w_i.

    If the constraint is active, f is the `TikhonovEstimator` of one lam, its multiplier; |f_lam| falls as lam
    grows, and lam is found by a search between two values, each fit starting from the last one; the square
    loss needs one decomposition into eigenvectors for all of them (up to 2,000 points, or kernels of low
    rank). The search ends with a proof: because f_lam is optimal for its lam, no g in the ball has a risk
    below

        risk(f_lam) - lam (A^2 - |f_lam|^2),

    and the last term is at most `tol` times the risk of f = 0. It begins at lam = risk(0) / A^2, whose
    function is always in the ball. If the functions of all lam are, down to tol times that or until there is
    no risk left, the constraint is not active: f minimises the risk without it.

    Unlike Tikhonov's for a fixed lam this machine is not stable: one point of many can change it by a
    constant (see `ChunkBagging`).

    Parameters
    ----------
    loss, kernel, degree, gamma, coef0, bias, cache_size, n_jobs
        As for `TikhonovEstimator`.
    radius : float, default=1.0
        The largest norm A, positive. A free bias is no part of the norm, a penalised one is.
    tol : float, default=1e-6
        What the risk may exceed the least one by, relative to that of f = 0; also the tolerance of each fit.

    Attributes
    ----------
    lam_ : float
        The multiplier of the constraint |f|^2 <= A^2, 0 if it is not active.
    active_ : bool
        Whether the constraint keeps the risk from being less.
    norm_ : float
        |f|, at most A.
    risk_ : float
        The mean loss.
    gap_ : float
        A bound on what `risk_` exceeds the least risk in the ball by.
    n_fits_ : int
        Values of lam that were tried; with one decomposition for all of them, they are no fits of their own.
    regularization_, objective_, support_, support_vectors_, dual_coef_, intercept_, kernel_
        As for `TikhonovEstimator`, with lam = `lam_`, or the smallest one tried if that is 0.

    References
    ----------
    Ivanov, On linear problems which are not well-posed, Soviet Math. Doklady 3, 1962.
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]
    >>> machine = wm.IvanovEstimator("hinge", kernel="linear", radius=0.5).fit(X, y)
    >>> round(machine.norm_, 4), machine.active_
    (0.5, True)
    >>> round(wm.IvanovEstimator("hinge", kernel="linear", radius=9.0).fit(X, y).norm_, 4)  # the hard margin
    1.0
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        name: rule for name, rule in TikhonovEstimator._rules.items() if name != "lam"
    } | {"radius": parameters.positive_and_finite}

    _advice = "lower radius or raise tol"

    def __init__(
        self,
        loss: Any = "hinge",
        kernel: Any = "rbf",
        radius: float = 1.0,
        *,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "none",
        tol: float = 1e-6,
        cache_size: float | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.radius = radius
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def _weight_of_norm(self) -> float:
        return self.lam_

    def _fit_function(self, X: Any, y: Vector, weight: Vector) -> str | None:
        """Search for the lam whose function has the norm A."""
        at_zero = float(weight @ self._loss.value(np.zeros(y.size), y) / weight.sum())
        allowed, aim = self.tol * at_zero, (1 - self.tol / 4) * self.radius
        self._last: Vector | None = None
        self.n_fits_ = 0
        shortcoming: str | None = None

        curve, total = self._curve(X, y, weight), float(weight.sum())

        def fit() -> None:
            nonlocal shortcoming
            try:
                shortcoming = super(IvanovEstimator, self)._fit_function(X, y, weight)
            except SingularSystem:
                raise ValueError(
                    f"radius={self.radius:g} is so large that double precision cannot tell the ball from no "
                    "bound at all: lower it, or use a kernel that is positive semi-definite."
                ) from None
            self.gap_ = min(self.lam_ * (self.radius**2 - self.norm_**2), self.risk_)

        def excess(lam: float) -> float:
            """By how much the norm exceeds the one aimed at, a little inside the ball."""
            self.lam_ = lam
            self.n_fits_ += 1
            if curve is None:
                fit()
            else:
                ridge = Regularization(lam, total).ridge
                self.risk_, self.norm_ = curve.risk(ridge), (1 + ROUNDING) * curve.norm(ridge)
                self.gap_ = min(lam * (self.radius**2 - self.norm_**2), self.risk_)
            return self.norm_ - aim

        def is_found() -> bool:
            return self.norm_ <= self.radius and self.gap_ <= allowed

        inside = at_zero / self.radius**2 or 1.0
        while (above := excess(inside)) > 0 and not is_found():  # never, but for rounding
            inside *= 2
        floor = self.tol * inside
        outside, below = inside, above
        # where a solver has ended short of tol, it would for less regularisation, or not end at all
        while below <= 0 and not is_found() and outside > floor and shortcoming is None:
            inside, above = outside, below
            outside = max(inside / DECADE, floor)
            below = excess(outside)
        if below > 0:
            self._close_in(excess, is_found, (outside, below), (inside, above))
        self.active_ = below > 0 or self.norm_ >= (1 - self.tol) * self.radius
        if curve is not None:
            fit()
        if not self.active_:
            self.lam_ = 0.0
        del self._last
        return shortcoming

    def _curve(self, X: Any, y: Vector, weight: Vector) -> RidgeCurve | None:
        """Risk and norm for all lam, for the square loss if that takes less time and memory than fits do."""
        rows = np.flatnonzero(weight).astype(np.int32)
        budget = cache_bytes(self.cache_size, rows.size)
        if not isinstance(self._loss, Square) or choose_solver(rows.size, None, False, budget) == "cg":
            return None
        kernel, _ = self._bind(X, weight)
        wide = kernel + 1.0 if self.bias == "penalised" else kernel
        frame = Frame(weight[rows], "free" if self.bias == "free" else "none")
        return LeastSquares(wide.bind(X), rows, frame, None, self.n_jobs).curve(y[rows, None])

    def _close_in(
        self,
        excess: Callable[[float], float],
        is_found: Callable[[], bool],
        outside: tuple[float, float],
        inside: tuple[float, float],
    ) -> None:
        """Regula falsi on log lam; a side that stays loses half of its weight (the Illinois rule)."""
        (low, below), (high, above), side = outside, inside, 0
        for _ in range(LONGEST):
            if is_found() or high <= low * (1 + NARROWEST):
                break
            share = below / (below - above)
            lam = low * (high / low) ** share
            value = excess(lam)
            if value > 0:
                low, below, above = lam, value, above / 2 if side > 0 else above
                side = 1
            else:
                high, above, below = lam, value, below / 2 if side < 0 else below
                side = -1
        if not is_found():
            excess(high)

    def _start(self, problem: Problem) -> Vector | None:
        return None if self._last is None else start_from(problem, self._last)

    def _by_program(
        self, problem: Problem, gram: Any, rows: NDArray[np.int32]
    ) -> tuple[Vector, float, str | None]:
        found = super()._by_program(problem, gram, rows)
        self._last = found[0]
        return found
