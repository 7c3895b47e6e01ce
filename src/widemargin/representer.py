"""Smooth convex losses, minimised over the functions that a kernel matrix spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.optimize import minimize

from widemargin.losses import Loss
from widemargin.unlocked_lapack import eigenvectors

__all__ = ["SmoothFit", "minimize_smooth"]

Vector = NDArray[np.float64]

MEMORY, STEPS = 30, 20_000
"""Pairs of steps that L-BFGS remembers, and steps that it may take."""

NEWTON_STEPS, HALVINGS = 100, 40
"""Newton steps that may follow, and how often one may be halved."""

GAIN, ROUNDING = 1e-14, 1e-14
"""The last Newton step gains less than this part of the objective; sums are right to that part."""


@dataclass(frozen=True)
class SmoothFit:
    """Coefficients, bias, and how far the objective of this very function may be above its minimum.

    The gap is relative to the objective, and infinite if that is not finite.
    """

    coefficients: Vector
    intercept: float
    gap: float


def minimize_smooth(
    loss: Loss,
    K: NDArray[np.float64],
    y: Vector,
    weight: Vector,
    ridge: float,
    *,
    bias: bool = False,
    tol: float = 1e-8,
) -> SmoothFit:
    """Minimise sum_i weight_i V(f(x_i), y_i) + ridge |f|^2 over f = sum_i c_i k(x_i, .), plus b with a bias.

    In features F with K = F F' the function is f = F v + b with norm |v|, so that the problem is as well
    conditioned as the ridge makes it: by L-BFGS, and by Newton steps if the loss has a `curvature`. Where the
    gradient in v vanishes, the coefficients are

        c_i = -weight_i V'(f(x_i), y_i) / (2 ridge)

    (v = F'c): the representer theorem with its coefficients. A small ridge enlarges in them what is left of
    the gradient; then the c of v = F'c in the range of K is the better one.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.losses import Logistic
    >>> from widemargin.representer import minimize_smooth
    >>> K, y = np.eye(2), np.array([1.0, -1.0])
    >>> minimize_smooth(Logistic(), K, y, np.ones(2), ridge=0.5).coefficients.round(4)
    array([ 0.4011, -0.4011])
    """
    U = np.array(np.asarray_chkfinite(K), order="F")
    values = eigenvectors(U)
    kept = values > values[-1] * len(y) * np.finfo(float).eps
    root, U = np.sqrt(values[kept]), U[:, kept]
    objective = _Objective(loss, U * root, y, weight, ridge, bias)
    x = _by_newton(objective, _by_gradients(objective, tol))
    v, b = objective.parts(x)
    exact = -weight * loss.subgradient(objective.values(x), y) / (2 * ridge)
    P, gap = _certify(loss, K, y, weight, ridge, exact, b, bias)
    if gap <= tol:
        return SmoothFit(exact, b, gap)
    spanned = U @ (v / root)
    P_spanned, gap_spanned = _certify(loss, K, y, weight, ridge, spanned, b, bias)
    if P * (1 + gap) <= P_spanned * (1 + gap_spanned):
        return SmoothFit(exact, b, gap)
    return SmoothFit(spanned, b, gap_spanned)


@dataclass(frozen=True)
class _Objective:
    """P(v, b) = sum_i weight_i V((F v)_i + b, y_i) + ridge |v|^2 of x = (v, b)."""

    loss: Loss
    F: NDArray[np.float64]
    y: Vector
    weight: Vector
    ridge: float
    bias: bool

    @property
    def size(self) -> int:
        return self.F.shape[1] + self.bias

    def parts(self, x: Vector) -> tuple[Vector, float]:
        """v and b."""
        return x[: self.F.shape[1]], float(x[self.F.shape[1] :].sum())

    def values(self, x: Vector) -> Vector:
        """f at the points."""
        v, b = self.parts(x)
        return np.asarray(self.F @ v + b)

    def __call__(self, x: Vector) -> tuple[float, Vector]:
        """P and its gradient."""
        (v, _), f = self.parts(x), self.values(x)
        with np.errstate(over="ignore", invalid="ignore"):
            slope = self.weight * self.loss.subgradient(f, self.y)
            gradient = self.F.T @ slope + 2 * self.ridge * v
            P = float(self.weight @ self.loss.value(f, self.y) + self.ridge * v @ v)
        return P, np.append(gradient, slope.sum()) if self.bias else gradient

    def hessian(self, x: Vector) -> NDArray[np.float64]:
        """The second derivatives of P."""
        G = np.column_stack([self.F, np.ones(len(self.y))]) if self.bias else self.F
        D = self.weight * self.loss.curvature(self.values(x), self.y)
        H = G.T @ (D[:, None] * G)
        r = self.F.shape[1]
        H[np.arange(r), np.arange(r)] += 2 * self.ridge
        return np.asarray(H)


def _by_gradients(objective: _Objective, tol: float) -> Vector:
    """Where L-BFGS comes from zero."""
    start = np.zeros(objective.size)
    scale = max(float(np.abs(objective(start)[1]).max(initial=0.0)), 1e-300)
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": MEMORY, "maxiter": STEPS, "maxfun": 2 * STEPS, "gtol": tol * scale, "ftol": 0.0},
    )
    return np.asarray(found.x)


def _by_newton(objective: _Objective, x: Vector) -> Vector:
    """Damped Newton steps from x, until there is nothing more to gain."""
    if not objective.loss.has_curvature:
        return x
    P, gradient = objective(x)
    for _ in range(NEWTON_STEPS):
        with np.errstate(all="ignore"):
            step = _solve(objective.hessian(x), -gradient)
        slope = float(gradient @ step)
        if not slope < 0:
            break
        for k in range(HALVINGS):
            length = 0.5**k
            after, gradient_after = objective(x + length * step)
            if after <= P * (1 + ROUNDING) + 1e-4 * length * slope:
                break
        else:
            break
        x, P, gradient = x + length * step, after, gradient_after
        if -slope <= GAIN * P:
            break
    return x


def _solve(H: NDArray[np.float64], right: Vector) -> Vector:
    """H^-1 right, or zero where H is no positive definite matrix to working precision."""
    try:
        return np.asarray(scipy.linalg.cho_solve(scipy.linalg.cho_factor(H), right))
    except (ValueError, np.linalg.LinAlgError):
        return np.zeros_like(right)


def _certify(
    loss: Loss,
    K: NDArray[np.float64],
    y: Vector,
    weight: Vector,
    ridge: float,
    c: Vector,
    b: float,
    bias: bool,
) -> tuple[float, float]:
    """P at c and b, and a bound on (P - min P) / P.

    The gradient of P in f is sum_i g_i k(x_i, .), g_i = weight_i V'(f(x_i), y_i) + 2 ridge c_i, and P is
    strongly convex: P - min P <= g'Kg / (4 ridge). In b there is no such bound, and the slope counts instead.
    """
    with np.errstate(all="ignore"):
        f = K @ c
        slope = weight * loss.subgradient(f + b, y)
        P = float(weight @ loss.value(f + b, y) + ridge * c @ f)
        g = slope + 2 * ridge * c
        excess = abs(float(g @ K @ g)) / (4 * ridge) + (abs(slope.sum()) * (1 + abs(b)) if bias else 0.0)
        gap = excess / P if P else excess
    return (P, gap) if 0 <= P < np.inf and gap < np.inf else (np.inf, np.inf)
