"""The upper triangle of a kernel matrix, by blocks of rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.kernels import Kernel
from widemargin.kernels.points import count, take
from widemargin.memory import cache_bytes
from widemargin.problems import Vector

Matrix = NDArray[np.float64]

BLOCK_ENTRIES = 2**22
PARTS, SMALLEST = 8, 64
"""The more blocks, the less of the lower triangle is computed; small ones take long for what they do."""


class Block(NamedTuple):
    """Some rows of a symmetric matrix, from the diagonal on: entries beyond the square stand for two."""

    rows: slice
    columns: slice
    K: Matrix

    def doubled(self, W: Matrix) -> Matrix:
        """W, in place, with entries beyond the square counted twice."""
        W[:, len(W) :] *= 2
        return W


class KernelBlocks:
    """The symmetric kernel matrices of points, a block at a time, each pair of points once.

    Parameters
    ----------
    X : data
    """

    def __init__(self, X: Any) -> None:
        self.X = X
        self.n = count(X)

    def of(self, kernel: Kernel, keep: bool = False) -> Iterable[Block]:
        """The blocks, for any number of passes; to `keep` them, if memory allows, saves their time."""
        gram, every = kernel.bind(self.X), np.arange(self.n, dtype=np.int32)

        def blocks() -> Iterator[Block]:
            size = max(1, min(BLOCK_ENTRIES // self.n, max(SMALLEST, -(-self.n // PARTS))))
            for begin in range(0, self.n, size):
                rows, columns = slice(begin, min(begin + size, self.n)), slice(begin, self.n)
                yield Block(rows, columns, gram.block(every[rows], every[columns]))

        if keep and 8 * self.n**2 <= cache_bytes("auto", self.n):
            return list(blocks())
        return _Again(blocks)

    def contract(self, kernel: Kernel, block: Block, W: Matrix) -> Vector:
        """The derivative of the entries of a block, weighted by W, which is overwritten."""
        every = np.arange(self.n)
        X, Y = take(self.X, every[block.rows]), take(self.X, every[block.columns])
        return kernel.contract(X, Y, block.doubled(W), block.K)


class _Again:
    """What can be gone over again and again."""

    def __init__(self, begin: Callable[[], Iterator[Any]]) -> None:
        self._begin = begin

    def __iter__(self) -> Iterator[Any]:
        return self._begin()
