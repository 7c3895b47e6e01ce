"""Kernel matrices that differ in one parameter: what they share, and what a fold needs of each."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from threading import BoundedSemaphore
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.expansion import weighted_sum
from widemargin.kernels import Kernel, Precomputed
from widemargin.kernels.points import count
from widemargin.kernels.row_blocks import row_blocks
from widemargin.problems import Problem
from widemargin.selection.folds import Fold

Work = Callable[[], Any]

ROW_BYTES, ROW_SHARE = 2**22, 1 / 8
"""Rows that a solver keeps beside a table: few enough for a near cache, and a small part of the budget. To
read a row of the table again costs less than fresh memory for it."""

ROUNDING = 2.0**-24
"""Relative error of an entry in single precision."""


@dataclass(frozen=True)
class FoldGram:
    """The kernel values that machines of a fold are trained and judged by."""

    among_train: _core.Gram
    with_test: _core.Gram
    """Its columns `test` are the points that were left out."""
    test: NDArray[np.int32]
    train: NDArray[np.int32] | None
    """The points that the rows belong to; None: all."""

    def restated(self, problem: Problem) -> Problem:
        """The problem in terms of these rows."""
        return problem if self.train is None else problem.among(self.train)

    def values(
        self, coefficients: NDArray[np.float64], stopped: Callable[[], bool] = lambda: False
    ) -> NDArray[np.float64]:
        """sum_i coefficients_i k(x_i, z) of all points x_i at the points z that were left out.

        Once it has stopped, they are not to be relied on.
        """
        if self.train is not None:
            coefficients = coefficients[self.train]
        used = np.flatnonzero(coefficients).astype(np.int32)
        return weighted_sum(self.with_test, used, coefficients[used], self.test, np.float64, 1, stopped)


class SharedTable:
    """The matrices of several kernels on the same points, in single precision, as far as they fit.

    For kernels exp(-gamma e(x, z)) the exponents e are computed once, and what a fold needs of each matrix is
    one vectorised pass over some of them. Without room for that, there are whole matrices, as many at a time
    as fit, and without room for a single one of n x n values entries are computed when they are asked for.

    Parameters
    ----------
    X : data
    kernels : sequence of Kernel
        Alike but for gamma.
    budget_bytes : int
        For all tables, and the rows that solvers keep.
    folds : sequence of Fold
    workers : int
        Solvers at work at a time.
    """

    def __init__(
        self, X: Any, kernels: Sequence[Kernel], budget_bytes: int, folds: Sequence[Fold], workers: int = 1
    ) -> None:
        self.X, self.kernels = X, list(kernels)
        self.n = n = count(X)
        self.evaluations = 0
        row_bytes = min(workers * ROW_BYTES, int(budget_bytes * ROW_SHARE))
        room = budget_bytes - int(budget_bytes * ROW_SHARE)  # whatever the number of workers
        if isinstance(self.kernels[0], Precomputed):
            room = 0  # it is a table already
        whole = 4 * n * n
        self._part_size = max(fold.train.size * (fold.train.size + fold.test.size) for fold in folds)
        part = 4 * self._part_size
        can_share = len(self.kernels) > 1 and hasattr(self.kernels[0], "bind_exponent")
        self.exponents = np.empty((n, n), np.float32) if can_share and whole + part <= room else None
        wanted = min(1 + -(-workers // len(folds)), len(self.kernels))  # so that no worker waits
        tables = 0 if self.exponents is not None else min(wanted, room // whole)
        self.tables = [np.empty((n, n), np.float32) for _ in range(tables)]
        left = room - (tables + (self.exponents is not None)) * whole
        self.has_parts = self.exponents is not None or (tables > 0 and workers * part <= left)
        parts = max(1, min(workers, left // part))
        self._parts_in_use = BoundedSemaphore(parts)
        self._idle: list[NDArray[np.float32]] = []
        self.row_bytes = (row_bytes if self.exists else budget_bytes) // workers
        unused = budget_bytes - room + left - parts * part * self.has_parts
        self.exact_row_bytes = max(self.row_bytes, unused // workers)  # where no table can be read instead

    @property
    def exists(self) -> bool:
        """Whether entries are kept at all."""
        return self.exponents is not None or len(self.tables) > 0

    @property
    def at_once(self) -> int:
        """How many of the matrices can be in use at a time."""
        return len(self.tables) or len(self.kernels)

    def exact(self, k: int) -> _core.Gram:
        """The matrix of kernel k in double precision, computed as it is asked for."""
        return self.kernels[k].bind(self.X)

    @contextmanager
    def of_fold(self, k: int, fold: Fold, stopped: Callable[[], bool]) -> Iterator[FoldGram]:
        """What a fold needs of kernel k, for as long as it is in use; `fill(k)` comes first.

        If there is room, the entries lie one after the other: sweeps over whole rows then read them without
        picking and copying. Once it has stopped, they are not to be relied on.
        """
        if not self.has_parts:
            gram = _core.precomputed(self._table(k)) if self.tables else self.exact(k)
            yield FoldGram(gram, gram, fold.test, None)
            return
        train = np.unique(fold.train).astype(np.int32)  # a point may be drawn twice
        test = fold.test.astype(np.int32)
        m, t = train.size, test.size
        with self._parts_in_use:
            try:
                room = self._idle.pop()
            except IndexError:
                room = np.empty(self._part_size, np.float32)
            inner, outer = room[: m * m].reshape(m, m), room[m * m : m * (m + t)].reshape(m, t)
            self._copy_part(k, train, train, inner, stopped)
            self._copy_part(k, train, test, outer, stopped)
            every = np.arange(t, dtype=np.int32)
            yield FoldGram(_core.precomputed(inner), _core.precomputed(outer), every, train)
            self._idle.append(room)

    def _copy_part(
        self,
        k: int,
        rows: NDArray[np.int32],
        columns: NDArray[np.int32],
        out: NDArray[np.float32],
        stopped: Callable[[], bool],
    ) -> None:
        entries = self._table(k) if self.exponents is None else self.exponents
        source = _core.precomputed(entries)
        for block in row_blocks(*out.shape):
            if stopped():
                return
            source.fill(rows[block], columns, out[block])
            if self.exponents is not None:
                _core.decay(out[block], self.kernels[k].gamma, out[block])

    def rounding(self, a: NDArray[np.float64], k: int) -> float:
        """What rounding of the table adds to the gradient at a, about: errors of entries are independent."""
        if not self.exists:
            return 0.0
        largest = np.abs(self._table(k).diagonal()).max() if self.tables else 1.0  # exp(0)
        return ROUNDING * float(np.linalg.norm(a)) * float(largest)

    def prepare(self) -> list[Work]:
        """The parts of the work to do before the first `fill`, in any order."""
        if self.exponents is None:
            return []
        gram = self.kernels[0].bind_exponent(self.X)
        return [partial(_copy, gram, rows, self.exponents) for rows in self._blocks(gram)]

    def fill(self, k: int) -> list[Work]:
        """The parts of the work to have matrix k, or what it is made of, in any order."""
        if not self.exists:
            return []
        self.evaluations += self.n**2
        if self.exponents is not None:
            return []
        gram, table = self.exact(k), self._table(k)
        return [partial(_copy, gram, rows, table) for rows in self._blocks(gram)]

    def _table(self, k: int) -> NDArray[np.float32]:
        return self.tables[k % len(self.tables)]

    def _blocks(self, gram: _core.Gram) -> list[slice]:
        return row_blocks(self.n, self.n, gram.entry_work, gram.preferred_block)


def _copy(gram: _core.Gram, rows: slice, table: NDArray[np.float32]) -> None:
    every = np.arange(len(table), dtype=np.int32)
    # In double first, so that the table is wrong by its own rounding only.
    table[rows] = gram.block(every[rows], every)
