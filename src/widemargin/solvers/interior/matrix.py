"""The kernel matrix among the points of a program, and systems with K + diag(d)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from widemargin import _core
from widemargin.memory import available_bytes
from widemargin.problems import Vector
from widemargin.solvers.interior.cholesky import CholeskyFactor
from widemargin.solvers.interior.low_rank import SHARE, low_rank_factor
from widemargin.threads import for_each

Matrix = NDArray[np.float64]
Solve = Callable[[Matrix], Matrix]
Look = Callable[[], bool]

BLOCK_ENTRIES, BLOCK_WORK = 2**20, 2**26
"""Entries of K computed between two looks at the clock, and multiplications behind them."""

LIFTS = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)
"""What is added to the diagonal, relative to its largest entry, until rounding leaves it positive definite."""


class KernelMatrix(ABC):
    """K among n points."""

    rank: int
    """Columns of its factor, or n."""

    kernel_evaluations: int
    """Entries computed to make it."""

    diagonal: Vector

    @abstractmethod
    def times(self, w: Matrix) -> Matrix:
        """K w."""

    @abstractmethod
    def solver(self, d: Vector, look: Look) -> Solve:
        """Factorise K + diag(d), d > 0; returns what solves systems with it."""

    @property
    def largest(self) -> float:
        """The largest K_ii, or 1 if all are zero."""
        return float(self.diagonal.max(initial=0.0)) or 1.0


class DenseMatrix(KernelMatrix):
    """All n x n entries, and room for a factor: O(n^3 / 3) for each system."""

    def __init__(self, K: Matrix) -> None:
        self._K = K
        self._factor = np.empty_like(K)
        self.diagonal = np.diagonal(K).copy()
        self.rank, self.kernel_evaluations = len(K), K.size

    def times(self, w: Matrix) -> Matrix:
        return self._K @ w

    def solver(self, d: Vector, look: Look) -> Solve:
        return _lifted(self._factor_of, d, self.largest, look).solve

    def _factor_of(self, d: Vector, look: Look) -> CholeskyFactor:
        self._factor[...] = self._K
        self._factor[np.diag_indices_from(self._K)] += d
        return CholeskyFactor(self._factor, look)


class LowRankMatrix(KernelMatrix):
    """K = L L' with few columns: O(n r^2) for each system, by the identity of Woodbury.

    (L L' + D)^-1 = S - S L (I + L'S L)^-1 L'S,   S = D^-1
    """

    def __init__(self, L: Matrix, kernel_evaluations: int) -> None:
        self._L = L
        self.diagonal = np.einsum("ij,ij->i", L, L)
        self.rank, self.kernel_evaluations = L.shape[1], kernel_evaluations

    def times(self, w: Matrix) -> Matrix:
        return self._L @ (self._L.T @ w)

    def solver(self, d: Vector, look: Look) -> Solve:
        L, S = self._L, 1.0 / d
        root = L * np.sqrt(S)[:, None]
        look()
        inner = root.T @ root
        inner[np.diag_indices_from(inner)] += 1.0
        largest = float(np.diagonal(inner).max(initial=1.0))
        factor = _lifted(
            lambda lift, look: CholeskyFactor(inner + np.diag(lift), look), np.zeros(self.rank), largest, look
        )

        def solve(b: Matrix) -> Matrix:
            weighted = S[:, None] * b if b.ndim == 2 else S * b
            correction = L @ factor.solve(L.T @ weighted)
            return weighted - (S[:, None] * correction if b.ndim == 2 else S * correction)

        return solve


def _lifted(
    factorise: Callable[[Vector, Look], CholeskyFactor], d: Vector, largest: float, look: Look
) -> CholeskyFactor:
    """The factor with d, or with the least of `LIFTS` above it for which there is one."""
    for lift in LIFTS:
        try:
            return factorise(d + lift * largest, look)
        except LinAlgError:
            continue
    raise _not_convex()


def kernel_matrix(gram: _core.Gram, rows: NDArray[np.int32], threads: int, look: Look) -> KernelMatrix:
    """K[rows, rows], as a product of thin matrices if its rank is low.

    Raises
    ------
    MemoryError
        If the whole matrix and its factor do not fit into the memory that is free.
    ValueError
        If it has entries that are not finite, or is far from positive semi-definite.
    """
    n = rows.size
    diagonal = np.asarray(gram.diagonal())[rows]
    if not np.isfinite(diagonal).all():
        raise ValueError("kernel values of these points are not finite: scale X (StandardScaler or MinMaxScaler).")
    if diagonal.min(initial=0.0) < 0:
        raise _not_convex()
    tried = 0

    def columns(which: NDArray[np.intp]) -> Matrix:
        nonlocal tried
        tried += n * which.size
        return _block(gram, rows[which], rows, threads, look).T

    L = low_rank_factor(columns, diagonal, n // SHARE)
    if L is not None:
        return LowRankMatrix(L, tried)
    needed, free = 2 * 8 * n * n, available_bytes()
    if needed > free:
        raise MemoryError(
            f"the kernel matrix of {n:,} points and its Cholesky factor take {needed / 2**30:.1f} GB, but "
            f"{free / 2**30:.1f} GB are free: use the default solver, which needs no matrix."
        )
    matrix = DenseMatrix(_block(gram, rows, rows, threads, look))
    _check_convex(matrix, look)
    return matrix


def _block(
    gram: _core.Gram, which: NDArray[np.int32], columns: NDArray[np.int32], threads: int, look: Look
) -> Matrix:
    """K[which, columns], by pieces in threads."""
    K = np.empty((which.size, columns.size))
    size = max(1, int(min(BLOCK_ENTRIES, BLOCK_WORK / gram.entry_work) // max(columns.size, 1)))
    parts = [slice(begin, begin + size) for begin in range(0, which.size, size)]

    def fill(part: slice, abandoned: object) -> None:
        gram.fill(which[part], columns, K[part])

    for_each(fill, parts, min(threads, len(parts)) or 1, look)
    return K


def _check_convex(matrix: DenseMatrix, look: Look) -> None:
    """Refuse a matrix with eigenvalues that are clearly negative."""
    try:
        matrix._factor_of(np.full(matrix.rank, LIFTS[-1] * matrix.largest), look)
    except LinAlgError:
        raise _not_convex() from None


def _not_convex() -> ValueError:
    return ValueError(
        "the kernel matrix is not positive semi-definite, so the problem is not convex and interior-point "
        "methods cannot solve it: use the default solver, or another kernel."
    )
