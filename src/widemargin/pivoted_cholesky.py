"""Matrices that a few of their columns represent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import solve_triangular

__all__ = ["PivotedCholesky", "pivoted_cholesky"]

BLOCK = 64
"""Pivots considered together."""

WORTHY = 0.5
"""Of a block, the pivots are taken that still have this share of the largest residual there is."""

Indices = NDArray[np.intp]


@dataclass(frozen=True)
class PivotedCholesky:
    """K is nearly L L', exactly so in the rows and columns of the pivots.

    K - L L' is positive semi-definite; `residual` is its diagonal, whose sum bounds its largest eigenvalue.
    L has a column for each pivot; where K is zero there is no pivot, and L is a column of zeros.
    """

    L: NDArray[np.float64]
    pivots: Indices
    residual: NDArray[np.float64]


def pivoted_cholesky(
    entries: Callable[[Indices, Indices], NDArray[np.float64]],
    diagonal: NDArray[np.float64],
    rank: int,
    tol: float = 1e-14,
) -> PivotedCholesky:
    """Cholesky with pivots of the largest residuals, a block at a time, from n x rank entries of K.

    Parameters
    ----------
    entries : callable
        ``entries(rows, columns)`` is K[rows, columns].
    diagonal : array of shape (n,)
        That of K.
    rank : int
        Pivots at most.
    tol : float
        Stop once no residual exceeds this, relative to the largest K_ii.

    Notes
    -----
    Candidates are the points with the largest residuals; neighbours among them are sorted out by Cholesky of
    their own small matrix. All of the work is in matrix products, O(n rank^2).
    """
    n, residual = diagonal.size, diagonal.copy()
    rank, every = min(rank, n), np.arange(n)
    floor = tol * float(residual.max(initial=0.0))
    L, pivots = np.empty((n, rank)), np.empty(rank, dtype=np.intp)
    done = 0
    while done < rank and residual.max() > floor:
        width = min(BLOCK, rank - done)
        candidates = np.sort(np.argpartition(residual, n - width)[n - width :])
        small = entries(candidates, candidates) - L[candidates, :done] @ L[candidates, :done].T
        residual[candidates] = np.maximum(np.diag(small), 0.0)  # free of the rounding of many updates
        chosen = candidates[_worthy(small, max(WORTHY * residual.max(), floor))]
        if not chosen.size:
            continue
        part = entries(every, chosen) - L[:, :done] @ L[chosen, :done].T
        corner = np.linalg.cholesky(part[chosen])
        new = slice(done, done + chosen.size)
        L[:, new] = solve_triangular(corner, part.T, lower=True, check_finite=False).T
        pivots[new] = chosen
        residual = np.maximum(residual - np.einsum("ij,ij->i", L[:, new], L[:, new]), 0.0)
        residual[chosen] = 0.0
        done = new.stop
    return PivotedCholesky(L[:, :done] if done else np.zeros((n, 1)), pivots[:done], residual)


def _worthy(S: NDArray[np.float64], floor: float) -> NDArray[np.intp]:
    """Indices of pivots of S, the largest residual first, as long as it exceeds `floor`."""
    S = S.copy()
    chosen: list[int] = []
    while len(chosen) < len(S):
        diagonal = np.diag(S)
        p = int(np.argmax(diagonal))
        if diagonal[p] <= floor:
            break
        chosen.append(p)
        S -= np.outer(S[p], S[p]) / diagonal[p]
        S[p] = S[:, p] = 0.0
    return np.array(chosen, dtype=np.intp)
