"""The kernel matrix among the points of a program, and systems with K + diag(d)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError

from widemargin import _core
from widemargin.memory import available_bytes
from widemargin.pivoted_cholesky import pivoted_cholesky
from widemargin.problems import Vector
from widemargin.solvers.interior.cholesky import PIECE, CholeskyFactor
from widemargin.threads import for_each

Matrix = NDArray[np.float64]
Solve = Callable[[Matrix], Matrix]
"""From right-hand sides, one per column, to solutions."""

Look = Callable[[], bool]

BLOCK_ENTRIES, BLOCK_WORK = 2**20, 2**26
"""Entries of K computed between two looks at the clock, and multiplications behind them."""

SHARE, MOST = 4, 2000
"""Ranks up to a fourth of the number of points are low: then thin matrices take fewer operations. So large at
most where the whole matrix does not fit."""

NOTHING, FAR, CHECKED = 1e-14, 1e-8, 64
"""Relative to the largest K_ii: what is left of the diagonal when nothing is left, and how far L L' may be
from K in so many columns."""

LIFTS = (0.0, 1e-15, 1e-13, 1e-11, 1e-9, 1e-7, 1e-5)
"""What is added to the diagonal, relative to its largest entry, until it is positive definite."""


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
        self._room = np.empty_like(K)
        self.diagonal = np.diagonal(K).copy()
        self.rank, self.kernel_evaluations = len(K), K.size

    def times(self, w: Matrix) -> Matrix:
        return self._K @ w

    def solver(self, d: Vector, look: Look) -> Solve:
        return _lifted(self._factor_of, d, self.largest, look).solve

    def check_convex(self, look: Look) -> None:
        """Refuse eigenvalues that are clearly negative."""
        try:
            self._factor_of(np.full(self.rank, LIFTS[-1] * self.largest), look)
        except LinAlgError:
            raise _not_convex() from None

    def _factor_of(self, d: Vector, look: Look) -> CholeskyFactor:
        return CholeskyFactor(self._K, d, self._room, look)


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
        L, S = self._L, 1.0 / d[:, None]
        inner = self._weighted_product(S, look)
        room, largest = np.empty_like(inner), float(np.diagonal(inner).max(initial=1.0))
        factor = _lifted(
            lambda d, look: CholeskyFactor(inner, d, room, look), np.ones(self.rank), largest, look
        )

        def solve(b: Matrix) -> Matrix:
            return S * b - S * (L @ factor.solve(L.T @ (S * b)))

        return solve

    def _weighted_product(self, S: Matrix, look: Look) -> Matrix:
        """L'S L, by blocks of rows."""
        inner = np.zeros((self.rank, self.rank))
        size = max(1, PIECE // max(self.rank**2, 1))
        for begin in range(0, len(S), size):
            look()
            some = self._L[begin : begin + size]
            inner += some.T @ (S[begin : begin + size] * some)
        return inner


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


def kernel_matrix(
    gram: _core.Gram, rows: NDArray[np.int32], threads: int, look: Look, low_rank: bool = True
) -> KernelMatrix:
    """K[rows, rows], as a product of thin matrices if its rank is low and that is welcome.

    Raises
    ------
    ValueError
        If it has entries that are not finite, is far from positive semi-definite, or has full rank and does
        not fit with its factor into the memory that is free.
    """
    n = rows.size
    if n == 0:
        return LowRankMatrix(np.zeros((0, 0)), 0)
    diagonal = np.asarray(gram.diagonal())[rows]
    if not np.isfinite(diagonal).all():
        raise ValueError(
            "kernel values of these points are not finite: scale X (StandardScaler or MinMaxScaler)."
        )
    if diagonal.min(initial=0.0) < 0:
        raise _not_convex()
    needed, free = 2 * 8 * n * n, available_bytes()
    if low_rank:
        most = n // SHARE if needed <= free else min(n // SHARE, MOST, free // (16 * n))
        thin = _thin_matrix(gram, rows, diagonal, most, threads, look)
        if thin is not None:
            return thin
    if needed > free:
        raise ValueError(
            f"interior-point methods hold the kernel matrix and its Cholesky factor, {needed / 2**20:.0f} MB "
            f"for {n} points, and only {free / 2**20:.0f} MB are free: use the default solver."
        )
    matrix = DenseMatrix(_block(gram, rows, rows, threads, look))
    matrix.check_convex(look)
    return matrix


def _thin_matrix(
    gram: _core.Gram, rows: NDArray[np.int32], diagonal: Vector, most: int, threads: int, look: Look
) -> LowRankMatrix | None:
    """K[rows, rows] of a rank up to `most`; None if it has a larger one."""
    n, evaluations = rows.size, 0

    def factor(points: NDArray[np.int32], diagonal: Vector) -> Matrix | None:
        def entries(some: NDArray[np.intp], others: NDArray[np.intp]) -> Matrix:
            nonlocal evaluations
            evaluations += some.size * others.size
            return _block(gram, points[others], points[some], threads, look).T

        largest = float(diagonal.max(initial=0.0))
        try:
            found = pivoted_cholesky(entries, diagonal, most + 1, NOTHING)
        except LinAlgError:
            return None  # it is indefinite
        if found.L.shape[1] > most or found.residual.max() > NOTHING * largest:
            return None
        # An indefinite matrix may have a diagonal like that of L L'.
        some = np.unique(np.linspace(0, points.size - 1, CHECKED).astype(np.intp))
        error = np.abs(entries(np.arange(points.size), some) - found.L @ found.L[some].T).max()
        return found.L if error <= FAR * largest else None

    some = np.arange(0, n, max(1, n // max(2 * most, 1)))  # their rank is no larger than that of all
    if n > SHARE * (most + 1) and factor(rows[some], diagonal[some]) is None:
        return None
    L = factor(rows, diagonal)
    return None if L is None else LowRankMatrix(L, evaluations)


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


def _not_convex() -> ValueError:
    return ValueError(
        "the kernel matrix is not positive semi-definite, so the problem is not convex and interior-point "
        "methods cannot solve it: use the default solver, or another kernel."
    )
