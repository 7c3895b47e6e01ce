"""Kernel values written into arrays, by blocks of rows in threads."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels.row_blocks import for_blocks, row_blocks
from widemargin.threads import allowed_threads

__all__ = ["columns_of", "lower_triangle"]

THREADED_WORK = 2**24
"""Fewer multiplications than these are done before other threads would have started."""

Matrix = NDArray[np.float64]
Indices = NDArray[np.int32]


def lower_triangle(gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Matrix:
    """K[rows, rows] in C order; entries above the diagonal blocks are left as they come, and never read."""
    n = rows.size
    K = np.empty((n, n))

    def fill(block: slice) -> None:
        K[block, : block.stop] = gram.block(rows[block], rows[: block.stop])

    for_blocks(fill, row_blocks(n, n, gram.entry_work), _workers(gram.entry_work * n * n / 2, n_jobs))
    return K


def columns_of(gram: _core.Gram, rows: Indices, columns: Indices, n_jobs: int | None = None) -> Matrix:
    """K[rows, columns]."""
    K = np.empty((rows.size, columns.size))

    def fill(block: slice) -> None:
        gram.fill(rows[block], columns, K[block])

    blocks = row_blocks(rows.size, columns.size, gram.entry_work)
    for_blocks(fill, blocks, _workers(gram.entry_work * K.size, n_jobs))
    return K


def _workers(work: float, n_jobs: int | None) -> int:
    return 1 if work < THREADED_WORK else allowed_threads(n_jobs)
