"""A kernel matrix as a product of thin matrices, if it is one."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular
from scipy.linalg.lapack import dpstrf

Matrix = NDArray[np.float64]

BLOCK = 64
"""Pivots considered together."""

ENOUGH = 1e-14
"""What is left of the diagonal, relative to its largest entry, when nothing is left."""

CHECKED = 64
"""Columns that a factor is compared with, and how far apart they may be relative to the largest K_ii."""
FAR = 1e-8


def low_rank_factor(
    columns: Callable[[NDArray[np.intp]], Matrix], diagonal: Matrix, most: int
) -> Matrix | None:
    """L with K = L L' up to rounding; None if K has a larger rank than `most`, or no such factor at all.

    Parameters
    ----------
    columns : callable
        ``columns(which)`` are the columns of K with these numbers.
    diagonal : array of shape (n,)
    most : int

    Notes
    -----
    Pivots are the points with the largest residuals, a block at a time; those of a block that depend on each
    other are left for later by LAPACK's own pivoting. Needs n entries of K for each pivot.
    """
    n, residual = diagonal.size, diagonal.copy()
    floor = ENOUGH * float(diagonal.max(initial=0.0))
    L, rank = np.empty((n, min(most + BLOCK, n))), 0
    while residual.max(initial=0.0) > floor:
        width = min(BLOCK, L.shape[1] - rank)
        if rank > most or width == 0:
            return None
        candidates = np.argpartition(residual, n - width)[n - width :]
        part = columns(candidates) - L[:, :rank] @ L[candidates, :rank].T
        small, order, found, _ = dpstrf(part[candidates], tol=max(0.1 * residual.max(), floor), lower=1)
        found = max(found, 1)
        chosen = order[:found] - 1
        corner = np.tril(small[:found, :found])
        new = slice(rank, rank + found)
        L[:, new] = solve_triangular(corner, part[:, chosen].T, lower=True, check_finite=False).T
        residual -= np.einsum("ij,ij->i", L[:, new], L[:, new])
        residual[candidates[chosen]] = 0.0
        np.maximum(residual, 0.0, out=residual)
        rank = new.stop
    L = L[:, :rank]
    return L.copy() if rank <= most and _holds(columns, L, FAR * float(diagonal.max(initial=0.0))) else None


def _holds(columns: Callable[[NDArray[np.intp]], Matrix], L: Matrix, rounding: float) -> bool:
    """Whether L L' is what it should be in some columns: an indefinite matrix may have a diagonal like it."""
    some = np.unique(np.linspace(0, len(L) - 1, CHECKED).astype(np.intp))
    return bool(np.abs(columns(some) - L @ L[some].T).max(initial=0.0) <= rounding)
