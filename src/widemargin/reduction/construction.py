"""Points that express an expansion better than any of its own."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.optimize import minimize

from widemargin.expansion import Expansion
from widemargin.kernels import ARDGaussian, Gaussian
from widemargin.kernels.points import take
from widemargin.reduction.projection import project, upper_factor
from widemargin.reduction.selection import select
from widemargin.threads import single_threaded_blas

Matrix = NDArray[np.float64]


def construct(f: Expansion, n_points: int, max_iter: int = 200) -> Expansion:
    """Move the points of a reduced expansion to where they express f best, for Gaussian kernels.

    The squared distance of f = sum_i a_i k(x_i, .) from its projection on the k(z_j, .),

        E(z) = |f|^2 - 2 b'K_zx a + b'K_zz b,      K_zz b = K_zx a,

    has, because b is optimal, the gradient

        dE/dz_j = -2 b_j [sum_i a_i dk(z_j, x_i)/dz_j - sum_l b_l dk(z_j, z_l)/dz_j],
        dk(z, x)/dz = -2 gamma (z - x) k(z, x),

    summed over the columns of f. L-BFGS descends on all z together, from the points that `select` chooses:
    the result is never farther from f than theirs.

    Parameters
    ----------
    f : Expansion
        With a `Gaussian` or an `ARDGaussian` kernel and dense points.
    n_points : int
    max_iter : int, default=200
        Steps of the descent.

    Returns
    -------
    g : Expansion

    References
    ----------
    Burges, Simplified support vector decision rules, ICML 1996.
    Schoelkopf et al., Input space versus feature space in kernel-based methods, IEEE TNN 10, 1999.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> x = np.array([[-0.1], [0.1]])
    >>> f = wm.Expansion(wm.Gaussian(1.0), x, np.ones((2, 1)), np.zeros(1))
    >>> abs(wm.reduction.construct(f, 1).points.round(4))
    array([[0.]])
    """
    check_movable(f)
    start = take(f.points, np.sort(select(f, n_points)))
    scale = np.sqrt(np.asarray(f.kernel.gamma, dtype=np.float64))
    distance = _Distance(f, np.asarray(f.points, dtype=np.float64) * scale)
    z = start * scale
    with single_threaded_blas():  # matrices are small, and there are many of them
        found = minimize(distance, z.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": max_iter})
    candidates = (project(f, points) for points in (found.x.reshape(z.shape) / scale, start))
    return min(candidates, key=lambda g: float((f.distance(g) ** 2).sum()))


def check_movable(f: Expansion) -> None:
    """Raise a ValueError unless the points of f can be moved by gradients."""
    if not isinstance(f.kernel, Gaussian | ARDGaussian):
        raise ValueError(
            f"construction needs a Gaussian or an ARDGaussian kernel, not {f.kernel!r}: use selection."
        )
    if sp.issparse(f.points):
        raise ValueError(
            "construction makes dense points, but those of the machine are sparse: use selection."
        )


class _Distance:
    """E(z) / |f|^2 and its gradient, in coordinates in which gamma is 1."""

    def __init__(self, f: Expansion, x: Matrix) -> None:
        self.kernel = Gaussian(1.0)
        self.x = x
        self.a = f.coefficients.toarray() if sp.issparse(f.coefficients) else f.coefficients
        self.squared = max(float((f.norm() ** 2).sum()), np.finfo(np.float64).tiny)

    def __call__(self, flat: Any) -> tuple[float, Matrix]:
        z = flat.reshape(-1, self.x.shape[1])
        K_zx, K_zz = self.kernel.gram(z, self.x), self.kernel.gram(z)
        values = K_zx @ self.a
        b = scipy.linalg.cho_solve((upper_factor(K_zz), False), values)
        pull, push = (b @ self.a.T) * K_zx, (b @ b.T) * K_zz
        gradient = (pull.sum(axis=1) - push.sum(axis=1))[:, None] * z - pull @ self.x + push @ z
        E = 1 - float((b * values).sum()) / self.squared
        return E, 4 * gradient.ravel() / self.squared
