"""Kernel values written into arrays, by blocks of rows in threads."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.threads import allowed_threads, for_each, single_threaded_blas

__all__ = ["columns_of", "lower_triangle", "row_blocks"]

BLOCK_ENTRIES, BLOCK_WORK = 2**20, 2**27
"""Entries computed at a time, and multiplications behind them: milliseconds, so that Ctrl-C is heard."""

THREADED_WORK = 2**24
"""Fewer multiplications than these are done before other threads would have started."""

Matrix = NDArray[np.float64]
Indices = NDArray[np.int32]


def row_blocks(rows: int, columns: int, entry_work: float = 1.0) -> list[slice]:
    """Consecutive rows, few enough at a time for a short block of entries."""
    size = max(1, int(min(BLOCK_ENTRIES, BLOCK_WORK / entry_work) // max(columns, 1)))
    return [slice(begin, min(begin + size, rows)) for begin in range(0, rows, size)]


def lower_triangle(gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Matrix:
    """K[rows, rows] in C order; entries above the diagonal blocks are left as they come, and never read."""
    n = rows.size
    K = np.empty((n, n))

    def fill(block: slice, abandoned: Event) -> None:
        if not abandoned.is_set():
            K[block, : block.stop] = gram.block(rows[block], rows[: block.stop])

    _run(fill, row_blocks(n, n, gram.entry_work), gram.entry_work * n * n / 2, n_jobs)
    return K


def columns_of(gram: _core.Gram, rows: Indices, columns: Indices, n_jobs: int | None = None) -> Matrix:
    """K[rows, columns]."""
    K = np.empty((rows.size, columns.size))

    def fill(block: slice, abandoned: Event) -> None:
        if not abandoned.is_set():
            gram.fill(rows[block], columns, K[block])

    blocks = row_blocks(rows.size, columns.size, gram.entry_work)
    _run(fill, blocks, gram.entry_work * rows.size * columns.size, n_jobs)
    return K


def _run(fill: Callable[[slice, Event], None], blocks: list[slice], work: float, n_jobs: int | None) -> None:
    workers = 1 if work < THREADED_WORK else min(allowed_threads(n_jobs), len(blocks))
    with single_threaded_blas():
        for_each(fill, blocks, workers)
