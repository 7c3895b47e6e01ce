"""A factor in single precision, for half of the time, and a solution in double."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from widemargin.kernels.row_blocks import row_blocks
from widemargin.unlocked_lapack import factorise

from .singular_system import EPSILON

__all__ = ["solve_refined"]

Matrix = NDArray[np.float64]

STEPS, HELPFUL = 30, 0.25
"""Refinements at most; one that leaves more than this share of the residual is the last."""


def solve_refined(M: Matrix, ridge: float, T: Matrix) -> Matrix | None:
    """(M + ridge I)^-1 T with the residual that double precision allows, or None if that cannot be had.

    The Cholesky factor is one in single precision; what it leaves, T - (M + ridge I) Z in double precision,
    is solved for again as long as that helps. Each step gains the digits by which the condition number stays
    below 10^7. The end is checked: the residual is of the size of rounding, as with a factor in double.

    Langou, Luszczek, Kurzak, Buttari and Dongarra, Exploiting the performance of 32 bit floating point
    arithmetic in obtaining 64 bit accuracy, SC 2006.

    Parameters
    ----------
    M : array of shape (n, n), C order
        Only its lower triangle is read; it stays as it is.
    """
    factor = _single_factor(M, ridge)
    if factor is None:
        return None
    sizes = np.linalg.norm(T, axis=0)
    sizes[sizes == 0] = 1.0
    Z, R, left = np.zeros_like(T), T, np.inf
    for _ in range(STEPS):
        scale = np.linalg.norm(R, axis=0)
        scale[scale == 0] = 1.0
        step, _ = lapack.spotrs(factor, np.asfortranarray(R / scale, dtype=np.float32), lower=0)
        further = Z + scale * step
        R_further = T - _product(M, further) - ridge * further
        now = float((np.linalg.norm(R_further, axis=0) / sizes).max())
        if not now < left:
            break
        Z, R, before, left = further, R_further, left, now
        if left > HELPFUL * before:
            break
    bound = EPSILON * (np.trace(M) + ridge) * np.linalg.norm(Z, axis=0)
    return Z if (np.linalg.norm(R, axis=0) <= bound).all() else None


def _single_factor(M: Matrix, ridge: float) -> NDArray[np.float32] | None:
    """The Cholesky factor of M + ridge I in single precision, if there is one."""
    S = np.empty(M.shape, dtype=np.float32)
    with np.errstate(over="ignore"):
        for block in row_blocks(*M.shape):
            S[block, : block.stop] = M[block, : block.stop]
        np.einsum("ii->i", S)[...] = np.diagonal(M) + ridge
    return S.T if factorise(S.T) == 0 else None


def _product(M: Matrix, V: Matrix) -> Matrix:
    """M V, from the lower triangle of M."""
    if V.shape[1] == 1:
        return blas.dsymv(1.0, M.T, V[:, 0], lower=0)[:, None]
    return blas.dsymm(1.0, M.T, np.asfortranarray(V), lower=0)
