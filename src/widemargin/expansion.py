"""Functions expanded in kernels: what a trained machine evaluates."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels import Constant, Kernel, Linear, Scaled, Sum
from widemargin.kernels.kernel import VectorKernel
from widemargin.kernels.points import as_vectors, combine, count
from widemargin.kernels.stationary import StationaryKernel
from widemargin.threads import allowed_threads, for_each, single_threaded_blas

__all__ = ["Expansion", "product"]

BLOCK_BYTES = 2**19
"""Kernel values held at a time by each thread of an evaluation: they are used while still in a near cache."""

BLOCK_WORK = 2**26
"""Multiplications behind them at most: a block takes milliseconds, and Ctrl-C is heard between two."""

THREADED_WORK = 2**24
"""Fewer multiplications than these are done before other threads would have started."""

FEW_ROWS = 32
"""For fewer rows, to find out what rounding does would take longer than to do without it."""

DOUBT = 0.3
"""If single precision is this far off, too many values would have to be computed twice."""

QUESTION_WORK = 2**28
"""Multiplications of each thread between two chances for Ctrl-C, where the core has threads of its own."""

CORE_BLOCK, CORE_ROWS = 256, 64
"""Columns that the core computes together, and rows that it needs at least to do so well."""

PANEL_POINTS = 256
"""Points whose kernel values meet their coefficients together."""


Values = Callable[[NDArray[np.int32], type[np.floating]], NDArray[np.float64]]


@dataclass(frozen=True, eq=False)
class Expansion:
    """f_c(x) = sum_i coefficients[i, c] k(x_i, x) + offsets[c], for one or several columns c.

    Without the offsets the columns are elements of the kernel's Hilbert space, with

        <f_c, g_d> = sum_ij coefficients[i, c] k(x_i, z_j) other.coefficients[j, d].

    Parameters
    ----------
    kernel : Kernel
    points : rows of data, or a list of objects
        The x_i. For a precomputed kernel: their positions among the columns of the matrices to come.
    coefficients : array or CSR array of shape (n_points, n_columns)
    offsets : array of shape (n_columns,)

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> points, coefficients = np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[2.0], [3.0]])
    >>> f = wm.Expansion(wm.Linear(), points, coefficients, offsets=np.array([1.0]))
    >>> f(np.array([[1.0, 1.0]]))
    array([[6.]])
    >>> f.norm()
    array([3.60555128])
    """

    kernel: Kernel
    points: Any
    coefficients: Any
    offsets: NDArray[np.float64]

    def __call__(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The values at the rows of X, shape (n_rows, n_columns), in blocks of rows over `n_jobs` threads."""
        _, values = self._bind(X, n_jobs)
        return values(_every(count(X)), np.float64)

    def decisions(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The values as exactly as their signs need: in single precision, near zero in double."""
        gram, values = self._bind(X, n_jobs)
        rows = _every(count(X))
        if rows.size < FEW_ROWS or (rounding := self._single_rounding(gram)).max() > DOUBT:
            return values(rows, np.float64)
        decided = values(rows, np.float32)
        doubtful = rows[(np.abs(decided) <= rounding).any(axis=1)]
        decided[doubtful] = values(doubtful, np.float64)
        return decided

    def _bind(self, X: Any, n_jobs: int | None) -> tuple[_core.Gram, Values]:
        """The kernel matrix of the points and X, and the values at some rows of X with entries of some type.

        A single function of vectors is summed up by the core, along long rows with a column for each x.
        """
        if self.coefficients.shape[1] == 1 and isinstance(self.kernel, VectorKernel):
            weights = self.coefficients.toarray() if sp.issparse(self.coefficients) else self.coefficients
            gram, weights = self.kernel.bind(self.points, X), np.ascontiguousarray(weights[:, 0])

            def single(rows: NDArray[np.int32], kind: type[np.floating]) -> NDArray[np.float64]:
                sums = weighted_sum(gram, _every(gram.shape[0]), weights, rows, kind, n_jobs)
                return sums[:, None] + self.offsets

            return gram, single

        gram = self.kernel.bind(X, self.points)

        def several(rows: NDArray[np.int32], kind: type[np.floating]) -> NDArray[np.float64]:
            coefficients = self.coefficients.astype(kind, copy=False)
            return product(gram, rows, _every(gram.shape[1]), coefficients, n_jobs) + self.offsets

        return gram, several

    def _single_rounding(self, gram: _core.Gram) -> NDArray[np.float64]:
        """What single precision may do to the values, by column; infinity where that is not known.

        Errors of the entries are independent and add up like the sides of right angles; those of sums, which
        are made of at most all coefficients, do not.
        """
        if not isinstance(self.kernel, StationaryKernel):
            return np.full(self.offsets.size, np.inf)
        c, epsilon = self.coefficients, np.finfo(np.float32).eps
        entries = gram.single_rounding * np.sqrt((c * c).sum(axis=0))
        return 4 * (entries + epsilon * abs(c).sum(axis=0))

    def inner(self, other: Expansion) -> NDArray[np.float64]:
        """Inner products <f_c, g_d> of all columns of both; offsets play no part."""
        linear = Expansion(
            self.kernel, other.points, other.coefficients, np.zeros(other.coefficients.shape[1])
        )
        return self.coefficients.T @ linear(self.points)

    def norm(self) -> NDArray[np.float64]:
        """The norm of each column."""
        return np.sqrt(np.maximum(self.squared_norm(), 0.0))

    def squared_norm(self) -> NDArray[np.float64]:
        """c'Kc of each column c; of linear and constant parts by their weights.

        Large coefficients that all but cancel leave nothing but rounding of c'Kc, and digits of the weights.
        """
        match self.kernel:
            case Linear():
                points, c = as_vectors(self.points), self.coefficients
                dense = c.toarray() if sp.issparse(c) else np.asarray(c)
                return np.sum(np.square(combine(points, dense.astype(np.float64))), axis=0)
            case Constant():
                return self.kernel.value * np.square(np.asarray(self.coefficients.sum(axis=0)).ravel())
            case Scaled():
                return self.kernel.factor * replace(self, kernel=self.kernel.kernel).squared_norm()
            case Sum():
                parts = (replace(self, kernel=part) for part in (self.kernel.left, self.kernel.right))
                return np.sum([part.squared_norm() for part in parts], axis=0)
        return np.diag(self.inner(self))

    def distance(self, other: Expansion) -> NDArray[np.float64]:
        """The distance of each column to the same column of `other`."""
        squared = np.diag(self.inner(self)) - 2 * np.diag(self.inner(other)) + np.diag(other.inner(other))
        return np.sqrt(np.maximum(squared, 0.0))


def _every(size: int) -> NDArray[np.int32]:
    return np.arange(size, dtype=np.int32)


def weighted_sum(
    gram: _core.Gram,
    rows: NDArray[np.int32],
    weights: NDArray[np.float64],
    columns: NDArray[np.int32],
    kind: type[np.floating],
    n_jobs: int | None = None,
    told_to_stop: Callable[[], bool] = lambda: False,
) -> NDArray[np.float64]:
    """weights' K[rows, columns] in double precision, with entries of this kind, in `n_jobs` threads.

    Once told to stop, what has been summed up so far.
    """
    sums = np.zeros(columns.size)
    if rows.size == 0:
        return sums
    work = gram.entry_work * rows.size * columns.size
    threads = 1 if work < THREADED_WORK else allowed_threads(n_jobs)
    # Whole blocks of the core, of rows first: nothing depends on the number of threads.
    block_work = gram.entry_work * CORE_BLOCK
    some_rows = CORE_ROWS * max(1, int(QUESTION_WORK / (block_work * CORE_ROWS)))
    blocks = max(1, int(QUESTION_WORK / (block_work * rows.size)))
    some_columns = CORE_BLOCK * blocks * threads
    with single_threaded_blas():
        for begin in range(0, columns.size, some_columns):
            these = slice(begin, begin + some_columns)
            for first in range(0, rows.size, some_rows):
                if told_to_stop():
                    return sums
                part = slice(first, first + some_rows)
                sums[these] += gram.accumulated(
                    rows[part], weights[part], columns[these], kind is np.float32, threads
                )
    return sums


def product(
    gram: _core.Gram,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    coefficients: Any,
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """K[rows, columns] @ coefficients, by blocks of rows in `n_jobs` threads: memory stays bounded.

    K has the precision of the coefficients; the sum over many points is one in double.
    """
    values = np.zeros((rows.size, coefficients.shape[1]))
    if columns.size == 0 or rows.size == 0:
        return values
    panels = list(_panels(columns, coefficients, rows.size))
    entries = min(BLOCK_BYTES // coefficients.dtype.itemsize, BLOCK_WORK / gram.entry_work)
    size = max(1, int(entries // panels[0].points.size))
    blocks = [slice(begin, begin + size) for begin in range(0, rows.size, size)]

    def evaluate(block: slice, abandoned: Event) -> None:
        some, sums = rows[block], values[block]
        room = np.empty(some.size * panels[0].points.size, coefficients.dtype)
        for panel in panels:
            if abandoned.is_set():
                break
            K = room[: some.size * panel.points.size].reshape(some.size, -1)
            gram.fill(some, panel.points, K)
            sums[:, panel.functions] += K @ panel.coefficients

    work = gram.entry_work * rows.size * columns.size
    workers = 1 if work < THREADED_WORK else min(allowed_threads(n_jobs), len(blocks))
    with single_threaded_blas():
        for_each(evaluate, blocks, workers)
    return values


@dataclass(frozen=True, eq=False)
class _Panel:
    """Some points, the functions that have a coefficient at any of them, and these coefficients."""

    points: NDArray[np.int32]
    functions: NDArray[np.intp] | slice
    coefficients: NDArray[np.floating]


def _panels(columns: NDArray[np.int32], coefficients: Any, n_rows: int) -> Iterator[_Panel]:
    """Consecutive points in panels; functions with no coefficient there (most pairs of classes) stay out."""
    points, functions = coefficients.shape
    size = PANEL_POINTS if functions > 1 else max(PANEL_POINTS, BLOCK_BYTES // (8 * n_rows))
    size = min(size, points)
    for begin in range(0, points, size):
        part = slice(begin, min(begin + size, points))
        if sp.issparse(coefficients):
            yield _Panel(columns[part], *_used(coefficients, part))
        else:
            yield _Panel(columns[part], slice(None), coefficients[part])


def _used(coefficients: sp.csr_array, part: slice) -> tuple[NDArray[np.intp], NDArray[np.floating]]:
    """The columns of a CSR array in which some of these rows have an entry, and the rows in them."""
    ends = coefficients.indptr[part.start : part.stop + 1]
    entries = slice(ends[0], ends[-1])
    used, place = np.unique(coefficients.indices[entries], return_inverse=True)
    dense = np.zeros((ends.size - 1, used.size), coefficients.dtype)
    dense[np.repeat(np.arange(ends.size - 1), np.diff(ends)), place] = coefficients.data[entries]
    return used, dense
