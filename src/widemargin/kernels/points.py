"""Data as kernels take them: borrowed where their storage allows, converted once where it does not."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import scipy.sparse as sp
from scipy.linalg import cython_blas

from .. import _core

_core.use_blas(*(cython_blas.__pyx_capi__[name] for name in ("sgemm", "dgemm")))

DENSE_TYPES = (np.float32, np.float64, np.uint8, np.int8)
SPARSE_TYPES = (np.float32, np.float64)


BLOCK_ENTRIES = 2**20
"""Entries converted together in a pass over all data."""


def as_vectors(X: Any) -> np.ndarray | sp.csr_array | sp.csr_matrix:
    """Return `X` as a matrix the core can borrow, itself whenever possible.

    Dense float32, float64, uint8 and int8 stay what they are, and so do CSR matrices of float32 and float64;
    any other real numbers become float64, any other sparse format becomes CSR. Nothing sparse is ever made
    dense.
    """
    X = _as_csr(X) if sp.issparse(X) else _as_dense(X)
    if X.ndim != 2:
        raise ValueError(f"X must be a matrix with one row per point, but it has {X.ndim} dimension(s).")
    return X


def as_points(X: Any) -> _core.Points:
    """Return a borrowed view of `X` for the core."""
    X = as_vectors(X)
    if sp.issparse(X):
        return _core.Points.csr(X.data, X.indices.astype(np.int32, copy=False), X.indptr, X.shape[1])
    return _core.Points.dense(X)


def take(X: Any, which: np.ndarray) -> Any:
    """Return the points of `X` numbered `which`: rows of a matrix, a list from any other sequence."""
    if isinstance(X, np.ndarray) or sp.issparse(X):
        return X[which]
    if hasattr(X, "iloc"):
        return X.iloc[which]
    return [X[i] for i in which]


def count(X: Any | Sequence) -> int:
    """Return the number of points in `X`."""
    return X.shape[0] if hasattr(X, "shape") else len(X)


def entries_per_row(X: Any) -> float:
    """Return the number of coordinates that are written down of a point, on the average."""
    return X.nnz / X.shape[0] if sp.issparse(X) else X.shape[1]


def combine(X: Any, coefficients: np.ndarray) -> np.ndarray:
    """Return sum_i c_i x_i in double precision; by blocks of rows, `X` is never converted as a whole."""
    if sp.issparse(X) or X.dtype == np.float64:
        return X.T @ coefficients
    size = max(1, BLOCK_ENTRIES // X.shape[1])
    blocks = (slice(begin, begin + size) for begin in range(0, len(X), size))
    return sum((X[rows].T.astype(np.float64) @ coefficients[rows] for rows in blocks), np.zeros(X.shape[1]))


def _as_dense(X: Any) -> np.ndarray:
    X = np.asarray(X)
    if X.dtype == np.bool_:
        X = X.view(np.uint8)
    if X.dtype not in DENSE_TYPES:
        X = X.astype(np.float64)
    return np.ascontiguousarray(X)


def _as_csr(X: Any) -> sp.csr_array | sp.csr_matrix:
    X = X.tocsr()
    try:
        X.check_format(full_check=True)
    except ValueError as error:
        raise ValueError(f"X is not a valid sparse matrix ({error}): build it again.") from None
    if X.dtype not in SPARSE_TYPES:
        X = X.astype(np.float64)
    if not X.has_canonical_format:
        X = X.copy()
        X.sum_duplicates()
    return X
