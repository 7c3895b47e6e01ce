"""A kernel matrix computed beforehand, for the problems of a fit to share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels import Precomputed
from widemargin.kernels.row_blocks import for_blocks, row_blocks

MIRRORED_WORK = 128
"""With more multiplications than these behind an entry, it is cheaper copied across the diagonal."""

USES = 4
"""A table pays if the problems could read each entry of the kernel matrix so often, on the average; they read
the rows of their support vectors only."""

CHEAP_WORK, CHEAPEST_WORK = 128, 32
"""With no more multiplications than these behind an entry, to compute it takes no longer than to fetch it
from far memory, in double precision or in single."""

NEAR_BYTES = 2**25
"""Tables of this size lie in a cache, or nearly."""

SMALL_PROBLEM, SMALL_USES = 512, 1.5
"""Up to this many variables a problem has support vectors mostly."""

WHOLE_SHARE, TRIANGLE_SHARE = 2 / 3, 0.9
"""The part of the budget that a table may take; large problems keep rows of their own."""


class Sized(Protocol):
    """A problem, or one to come."""

    @property
    def size(self) -> int: ...


class WholeTable:
    """All entries, each row as it lies."""

    def __init__(self, n: int) -> None:
        self.K = np.empty((n, n))

    @staticmethod
    def bytes_for(n: int) -> int:
        return 8 * n**2

    def fill(self, gram: Any, rows: slice) -> None:
        if gram.entry_work <= MIRRORED_WORK:
            gram.fill(_indices(rows), _indices(slice(0, len(self.K))), self.K[rows])
            return
        entries = _up_to_the_diagonal(gram, rows)
        self.K[rows, : rows.stop] = entries
        self.K[: rows.stop, rows] = entries.T

    def gram(self, exact: Any) -> Any:
        return Precomputed().bind(self.K)


class RoundedTable:
    """All entries in single precision, each row as it lies; those in double are computed when asked for."""

    def __init__(self, n: int) -> None:
        self.K = np.empty((n, n), np.float32)

    @staticmethod
    def bytes_for(n: int) -> int:
        return 4 * n**2

    def fill(self, gram: Any, rows: slice) -> None:
        gram.fill(_indices(rows), _indices(slice(0, len(self.K))), self.K[rows])

    def gram(self, exact: Any) -> Any:
        return _core.rounded_table(exact, self.K)


class TriangleTable:
    """The entries of each row up to the diagonal: half the memory, but rows have to be gathered."""

    def __init__(self, n: int) -> None:
        self.n, self.packed = n, np.empty(n * (n + 1) // 2)

    @staticmethod
    def bytes_for(n: int) -> int:
        return 4 * n * (n + 1)

    def fill(self, gram: Any, rows: slice) -> None:
        for r, entries in zip(range(rows.start, rows.stop), _up_to_the_diagonal(gram, rows), strict=True):
            begin = r * (r + 1) // 2
            self.packed[begin : begin + r + 1] = entries[: r + 1]

    def gram(self, exact: Any) -> Any:
        return _core.triangle(self.packed, self.n)


Table = WholeTable | RoundedTable | TriangleTable


def choose_table(problems: Sequence[Sized], gram: Any, budget: int) -> type[Table] | None:
    """The table to make beforehand; None if that does not pay or fit.

    It pays if the problems share many entries that are dear, or if they are small: those use most of their
    rows, and to compute many rows at a time is cheaper. Cheap entries pay in single precision, where problems
    of all points read whole rows.
    """
    if len(problems) <= 1 or gram.stored:
        return None
    n = gram.shape[0]
    small = max(problem.size for problem in problems) <= SMALL_PROBLEM
    uses = sum(problem.size**2 for problem in problems) / n**2
    dear = gram.entry_work > CHEAP_WORK or gram.preferred_block > 1
    if uses < (SMALL_USES if small else USES):
        return None
    if not (small or dear):
        bytes_needed = RoundedTable.bytes_for(n)
        pays = gram.entry_work > CHEAPEST_WORK or bytes_needed <= NEAR_BYTES
        whole = all(problem.size == n for problem in problems)
        return RoundedTable if pays and whole and bytes_needed <= WHOLE_SHARE * budget else None
    if WholeTable.bytes_for(n) <= WHOLE_SHARE * budget:
        return WholeTable
    return TriangleTable if small and TriangleTable.bytes_for(n) <= TRIANGLE_SHARE * budget else None


def tabulate(gram: Any, kind: type[Table], workers: int, told_to_stop: Callable[[], bool]) -> Any:
    """The same Gram with every entry computed once, by blocks of rows in threads; None if told to stop."""
    n = gram.shape[0]
    table = kind(n)
    blocks = row_blocks(n, n, gram.entry_work, gram.preferred_block)
    finished = for_blocks(partial(table.fill, gram), blocks, workers, told_to_stop)
    return table.gram(gram) if finished else None


def _up_to_the_diagonal(gram: Any, rows: slice) -> NDArray[np.float64]:
    """The entries of these rows in the columns up to the last of them."""
    entries = np.empty((rows.stop - rows.start, rows.stop))
    gram.fill(_indices(rows), _indices(slice(0, rows.stop)), entries)
    return entries


def _indices(part: slice) -> NDArray[np.int32]:
    return np.arange(part.start, part.stop, dtype=np.int32)
