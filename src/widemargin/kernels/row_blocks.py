"""Rows of matrices, a few at a time."""

from __future__ import annotations

from collections.abc import Callable
from threading import Event
from typing import Any

from widemargin.threads import for_each, single_threaded_blas

__all__ = ["for_blocks", "row_blocks"]

ENTRIES, WORK = 2**20, 2**27
"""Entries computed at a time, and multiplications behind them: milliseconds, so that Ctrl-C is heard."""


def row_blocks(rows: int, columns: int, entry_work: float = 1.0, least: int = 1) -> list[slice]:
    """Consecutive rows, few enough at a time for a short block of entries, but at least so many.

    Examples
    --------
    >>> from widemargin.kernels.row_blocks import row_blocks
    >>> row_blocks(5, columns=2**19)
    [slice(0, 2, None), slice(2, 4, None), slice(4, 5, None)]
    """
    size = max(least, int(min(ENTRIES, WORK / entry_work) // max(columns, 1)), 1)
    return [slice(begin, min(begin + size, rows)) for begin in range(0, rows, size)]


def for_blocks(
    fill: Callable[[slice], Any],
    blocks: list[slice],
    workers: int,
    told_to_stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Call ``fill(block)`` for every block, in so many threads; False if told to stop between two."""

    def work(block: slice, abandoned: Event) -> None:
        if not abandoned.is_set():
            fill(block)

    with single_threaded_blas():
        return for_each(work, blocks, min(workers, len(blocks)), told_to_stop)
