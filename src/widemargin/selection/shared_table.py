"""Kernel matrices that differ in one parameter, held whole while they are in use."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels import Kernel, Precomputed
from widemargin.kernels.points import count
from widemargin.kernels.row_blocks import row_blocks

Work = Callable[[], Any]

ROW_BYTES, ROW_SHARE = 2**22, 1 / 8
"""Rows that a solver keeps beside a table: few enough for a near cache, and a small part of the budget. To
read a row of the table again costs less than fresh memory for it."""

ROUNDING = 2.0**-24
"""Relative error of an entry in single precision."""


class SharedTable:
    """The matrices of several kernels on the same points, in single precision, as many at a time as fit.

    For kernels exp(-gamma e(x, z)) the exponents e are computed once, and each matrix is one vectorised pass
    over them. Without room for a single matrix of n x n values there is no table: entries are then computed
    when they are asked for.

    Parameters
    ----------
    X : data
    kernels : sequence of Kernel
        Alike but for gamma.
    budget_bytes : int
        For all tables, and the rows that solvers keep.
    workers : int
        Solvers at work at a time.
    wanted : int
        Matrices that would be good to have at the same time.
    """

    def __init__(
        self, X: Any, kernels: Sequence[Kernel], budget_bytes: int, workers: int = 1, wanted: int = 1
    ) -> None:
        self.X, self.kernels = X, list(kernels)
        self.n = n = count(X)
        self.evaluations = 0
        row_bytes = min(workers * ROW_BYTES, int(budget_bytes * ROW_SHARE))
        room = (budget_bytes - row_bytes) // (4 * n * n)
        if isinstance(self.kernels[0], Precomputed):
            room = 0  # it is a table already
        can_share = len(self.kernels) > 1 and hasattr(self.kernels[0], "bind_exponent")
        self.exponents = np.empty((n, n), np.float32) if can_share and room > 1 else None
        tables = min(wanted, len(self.kernels), room - (self.exponents is not None))
        self.tables = [np.empty((n, n), np.float32) for _ in range(tables)]
        self.has_room_for_parts = room - tables - (self.exponents is not None) >= workers
        self.row_bytes = (row_bytes if self.tables else budget_bytes) // workers

    @property
    def at_once(self) -> int:
        """How many of the matrices can be in use at a time."""
        return len(self.tables) or len(self.kernels)

    def exact(self, k: int) -> _core.Gram:
        """The matrix of kernel k in double precision, computed as it is asked for."""
        return self.kernels[k].bind(self.X)

    def gram(self, k: int) -> _core.Gram:
        """The matrix of kernel k, once the parts of `fill(k)` are done; that of k - at_once is gone then."""
        return _core.precomputed(self._table(k)) if self.tables else self.exact(k)

    def part(self, k: int, rows: NDArray[np.integer]) -> _core.Gram | None:
        """The matrix of kernel k on these rows, one after the other in memory; None if there is no room.

        Sweeps over whole rows then read them as they lie, without picking and copying entries.
        """
        if not self.tables or not self.has_room_for_parts:
            return None
        K = np.empty((rows.size, rows.size), np.float32)
        some = rows.astype(np.int32)
        self.gram(k).fill(some, some, K)
        return _core.precomputed(K)

    def rounding(self, a: NDArray[np.float64], k: int) -> float:
        """What rounding of the table adds to the gradient at a, about: errors of entries are independent."""
        if not self.tables:
            return 0.0
        largest = np.abs(self._table(k).diagonal()).max()
        return ROUNDING * float(np.linalg.norm(a)) * float(largest)

    def prepare(self) -> list[Work]:
        """The parts of the work to do before the first `fill`, in any order."""
        if self.exponents is None:
            return []
        gram = self.kernels[0].bind_exponent(self.X)
        return [partial(_copy, gram, rows, self.exponents) for rows in self._blocks()]

    def fill(self, k: int) -> list[Work]:
        """The parts of the work to have matrix k, in any order."""
        if not self.tables:
            return []
        self.evaluations += self.n**2
        table = self._table(k)
        if self.exponents is None:
            gram = self.exact(k)
            return [partial(_copy, gram, rows, table) for rows in self._blocks()]
        gamma = self.kernels[k].gamma
        return [partial(_core.decay, self.exponents[rows], gamma, table[rows]) for rows in self._blocks()]

    def _table(self, k: int) -> NDArray[np.float32]:
        return self.tables[k % len(self.tables)]

    def _blocks(self) -> list[slice]:
        return row_blocks(self.n, self.n)


def _copy(gram: _core.Gram, rows: slice, table: NDArray[np.float32]) -> None:
    every = np.arange(len(table), dtype=np.int32)
    # In double first, so that the table is wrong by its own rounding only.
    table[rows] = gram.block(every[rows], every)
