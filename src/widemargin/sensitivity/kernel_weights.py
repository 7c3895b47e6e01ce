"""The weights of kernel entries in a derivative."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from widemargin.kernels import Kernel
from widemargin.kernels.points import take
from widemargin.problems import Vector

BLOCK_ENTRIES = 2**18


class KernelWeights:
    """A matrix W = sum_k u_k c_k' + diag(w) on n points, by which kernel entries enter a derivative.

    It is never there as a whole: `contract` goes over blocks of its rows, without rows and columns of zeros.

    Parameters
    ----------
    n : int
    """

    def __init__(self, n: int) -> None:
        self.n = n
        self._left: list[Vector] = []
        self._right: list[Vector] = []
        self._diagonal: Vector | None = None

    def add(self, u: Vector, c: Vector) -> None:
        """Add u c'."""
        self._left.append(u)
        self._right.append(c)

    def add_diagonal(self, w: Vector) -> None:
        """Add diag(w)."""
        self._diagonal = w if self._diagonal is None else self._diagonal + w

    def contract(self, kernel: Kernel, X: Any, gram: Any) -> Vector:
        """The gradient of sum_ij W_ij k(x_i, x_j) in `kernel.theta`; `gram` has the entries of the kernel."""
        gradient = np.zeros(kernel.theta.size)
        if not gradient.size:
            return gradient
        if self._left:
            gradient += self._contract_products(kernel, X, gram)
        if self._diagonal is not None:
            gradient += kernel.contract_diagonal(X, self._diagonal)
        return gradient

    def _contract_products(self, kernel: Kernel, X: Any, gram: Any) -> Vector:
        rows, columns = _nonzero(self._left), _nonzero(self._right)
        U = np.stack([u[rows] for u in self._left], axis=1)
        C = np.stack([c[columns] for c in self._right])
        gradient = np.zeros(kernel.theta.size)
        if not (rows.size and columns.size):
            return gradient
        Y, size = take(X, columns), max(1, BLOCK_ENTRIES // columns.size)
        for begin in range(0, rows.size, size):
            block = slice(begin, begin + size)
            K = gram.block(rows[block], columns)
            gradient += kernel.contract(take(X, rows[block]), Y, U[block] @ C, K)
        return gradient


def _nonzero(vectors: Sequence[Vector]) -> np.ndarray:
    return np.flatnonzero(np.any([vector != 0 for vector in vectors], axis=0)).astype(np.int32)
