"""Rows that come in blocks, as often as a machine wants to see them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .coordinates import Coordinates

__all__ = ["Rows", "Stream"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

BLOCK_ENTRIES, BLOCK_WORK = 2**21, 2**30
"""Kernel values held at a time, and multiplications with them: a tenth of a second, to hear Ctrl-C."""


@dataclass(frozen=True)
class Rows:
    """Some points with their targets, weights, and numbers of copies (see `Frame`)."""

    points: Any
    Y: Matrix
    weight: Vector
    copies: Vector

    @property
    def size(self) -> int:
        return len(self.Y)

    def part(self, block: slice) -> Rows:
        return Rows(self.points[block], self.Y[block], self.weight[block], self.copies[block])


@dataclass(frozen=True)
class Stream:
    """All rows, read once in each pass, and the basis in which the machine is sought.

    Memory does not grow with the number of rows: a block of kernel values, and what a solver keeps, a few
    matrices of m x m entries.

    Parameters
    ----------
    read : function
        Returns a fresh iterator over `Rows` of any size.
    size : int
        Number of rows.
    kernel_values : function
        From the points of some rows to their kernels with the centres, shape (rows, m).
    basis : Basis or Coordinates
    bias : one of `BIASES`
    watch : function
        Called with the name of a pass and the rows seen in it.
    """

    read: Callable[[], Iterator[Rows]]
    size: int
    kernel_values: Callable[[Any], Matrix]
    basis: Basis | Coordinates
    bias: str
    watch: Callable[[str, int], None] = lambda _, __: None

    def kernels(self, name: str, work: int) -> Iterator[tuple[Rows, Matrix]]:
        """Blocks of rows and their kernel values, `work` multiplications for each of which are to follow."""
        step = max(1, min(BLOCK_ENTRIES, BLOCK_WORK // work) // self.basis.size)
        seen = 0
        for rows in self.read():
            for begin in range(0, rows.size, step):
                part = rows.part(slice(begin, begin + step))
                yield part, self.kernel_values(part.points)
                seen += part.size
                self.watch(name, seen)
        if seen != self.size:
            raise ValueError(
                f"the chunks have {seen} rows in a later pass, but had {self.size} in the first: return the "
                "same rows each time."
            )

    def features(self, name: str) -> Iterator[tuple[Rows, Matrix]]:
        """Blocks of rows and their features."""
        for rows, K in self.kernels(name, self.basis.size):
            yield rows, self.basis.features(K)
