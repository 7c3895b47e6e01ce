"""Smooth convex losses, minimised over the functions that a kernel matrix spans."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import scipy.linalg
from numpy.typing import NDArray
from scipy.optimize import minimize

from widemargin.losses import Loss

__all__ = ["SmoothFit", "minimize_smooth"]

Vector = NDArray[np.float64]

MEMORY, STEPS = 30, 20_000
"""Pairs of steps that L-BFGS remembers, and steps that it may take."""


@dataclass(frozen=True)
class SmoothFit:
    """Coefficients, bias, and the largest entry of the gradient at the end, relative to the start."""

    coefficients: Vector
    intercept: float
    gradient: float


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
    conditioned as the ridge makes it. Where the gradient in v vanishes, the coefficients are

        c_i = -weight_i V'(f(x_i), y_i) / (2 ridge)

    (v = F'c): the representer theorem with its coefficients. By L-BFGS.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.losses import Logistic
    >>> from widemargin.representer import minimize_smooth
    >>> K, y = np.eye(2), np.array([1.0, -1.0])
    >>> minimize_smooth(Logistic(), K, y, np.ones(2), ridge=0.5).coefficients.round(4)
    array([ 0.4011, -0.4011])
    """
    values, U = scipy.linalg.eigh(K)
    F = U * np.sqrt(np.maximum(values, 0.0))

    def objective(x: Vector) -> tuple[float, Vector]:
        v, b = x[: len(y)], x[len(y) :].sum()
        f = F @ v + b
        slope = weight * loss.subgradient(f, y)
        gradient = F.T @ slope + 2 * ridge * v
        return (
            float(weight @ loss.value(f, y) + ridge * v @ v),
            np.append(gradient, slope.sum()) if bias else gradient,
        )

    start = np.zeros(len(y) + bias)
    scale = max(float(np.abs(objective(start)[1]).max()), 1e-300)
    found = minimize(
        objective,
        start,
        jac=True,
        method="L-BFGS-B",
        options={"maxcor": MEMORY, "maxiter": STEPS, "maxfun": 2 * STEPS, "gtol": tol * scale, "ftol": 0.0},
    )
    b = float(found.x[len(y) :].sum())
    c = -weight * loss.subgradient(F @ found.x[: len(y)] + b, y) / (2 * ridge)
    return SmoothFit(c, b, float(np.abs(found.jac).max()) / scale)
