"""Functions expanded in kernels: what a trained machine evaluates."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from joblib import effective_n_jobs
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels import Kernel
from widemargin.kernels.points import count

__all__ = ["Expansion", "product"]

BLOCK_BYTES = 2**23
"""Kernel values held at a time by each thread of an evaluation."""


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
    coefficients : array of shape (n_points, n_columns)
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
    coefficients: NDArray[np.float64]
    offsets: NDArray[np.float64]

    def __call__(self, X: Any, n_jobs: int | None = None) -> NDArray[np.float64]:
        """The values at the rows of X, shape (n_rows, n_columns), in blocks of rows over `n_jobs` threads."""
        gram = self.kernel.bind(X, self.points)
        rows, columns = (np.arange(size, dtype=np.int32) for size in (count(X), len(self.coefficients)))
        return product(gram, rows, columns, self.coefficients, n_jobs) + self.offsets

    def inner(self, other: Expansion) -> NDArray[np.float64]:
        """Inner products <f_c, g_d> of all columns of both; offsets play no part."""
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


def product(
    gram: _core.Gram,
    rows: NDArray[np.int32],
    columns: NDArray[np.int32],
    coefficients: NDArray[np.float64],
    n_jobs: int | None = None,
) -> NDArray[np.float64]:
    """K[rows, columns] @ coefficients, by blocks of rows in `n_jobs` threads: memory stays bounded."""
    values = np.zeros((rows.size, coefficients.shape[1]))
    workers = min(effective_n_jobs(n_jobs), rows.size)
    if columns.size == 0 or workers == 0:
        return values

    def evaluate(part: slice) -> None:
        values[part] = gram.block(rows[part], columns) @ coefficients

    n_blocks = max(workers, -(-rows.size // max(1, BLOCK_BYTES // (8 * columns.size))))
    edges = np.linspace(0, rows.size, n_blocks + 1, dtype=int).tolist()
    blocks = [slice(begin, end) for begin, end in pairwise(edges)]
    if workers == 1:
        for block in blocks:
            evaluate(block)
    else:
        with ThreadPoolExecutor(workers) as pool:
            list(pool.map(evaluate, blocks))
    return values
