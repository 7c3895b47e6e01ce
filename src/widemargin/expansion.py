"""Functions expanded in kernels: what a trained machine evaluates."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from widemargin.kernels import Kernel
from widemargin.kernels.points import count

__all__ = ["Expansion"]

BLOCK_BYTES = 2**23
"""Kernel values held at a time by each thread of an evaluation."""


@dataclass(frozen=True, eq=False)
class Expansion:
    """f_c(x) = sum_i coefficients[i, c] k(x_i, x) + offsets[c], for one or several columns c on the same points.

    Without the offsets the columns are elements of the kernel's Hilbert space, with

        <f_c, g_d> = sum_ij coefficients[i, c] k(x_i, z_j) other.coefficients[j, d].

    Parameters
    ----------
    kernel : Kernel
    points : rows of data, or a list of objects
        The x_i. For a precomputed kernel: their positions among the columns of the matrices to come.
    coefficients : array of shape (n_points, n_columns)
    offsets : array of shape (n_columns,)

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> f = Expansion(wm.Linear(), np.array([[1.0, 0.0], [0.0, 1.0]]), np.array([[2.0], [3.0]]), np.array([1.0]))
    >>> f(np.array([[1.0, 1.0]]))
    array([[6.]])
    >>> f.norm()
    array([3.60555128])
    """

    kernel: Kernel
    points: Any
    coefficients: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def __call__(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The values at the rows of X, shape (n_rows, n_columns), in blocks of rows over `n_jobs` threads."""
        rows, columns = count(X), len(self.coefficients)
        values = np.tile(self.offsets, (rows, 1)).astype(np.float64)
        if rows == 0 or columns == 0:
            return values
        read = self._reader(X)

        def evaluate(block: slice) -> None:
            values[block] += read(block) @ self.coefficients

        size = max(1, BLOCK_BYTES // (8 * columns))
        blocks = [slice(begin, min(begin + size, rows)) for begin in range(0, rows, size)]
        workers = min(effective_n_jobs(n_jobs), rows)
        if workers > len(blocks):
            edges = np.linspace(0, rows, workers + 1, dtype=int).tolist()
            blocks = [slice(begin, end) for begin, end in zip(edges, edges[1:], strict=False)]
        if workers == 1:
            for block in blocks:
                evaluate(block)
        else:
            with ThreadPoolExecutor(workers) as pool:
                list(pool.map(evaluate, blocks))
        return values

    def inner(self, other: Expansion) -> NDArray[np.float64]:
        """Inner products <f_c, g_d> of the columns, shape (n_columns, other's n_columns); offsets play no part."""
        linear = Expansion(
            self.kernel, other.points, other.coefficients, np.zeros(other.coefficients.shape[1])
        )
        return self.coefficients.T @ linear(self.points)

    def norm(self) -> NDArray[np.float64]:
        """The norm of each column."""
        return np.sqrt(np.maximum(np.diag(self.inner(self)), 0.0))

    def distance(self, other: Expansion) -> NDArray[np.float64]:
        """The distance of each column to the same column of `other`."""
        squared = np.diag(self.inner(self)) - 2 * np.diag(self.inner(other)) + np.diag(other.inner(other))
        return np.sqrt(np.maximum(squared, 0.0))

    def _reader(self, X: Any) -> Callable[[slice], NDArray[np.float64]]:
        """block of rows -> kernel values at the expansion's points."""
        gram = self.kernel.bind(X, self.points)
        columns = np.arange(len(self.coefficients), dtype=np.int32)
        return lambda block: gram.block(np.arange(block.start, block.stop, dtype=np.int32), columns)
