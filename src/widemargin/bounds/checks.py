"""Assumptions that several bounds share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray


def positive(value: Any, name: str) -> float:
    """A positive finite number."""
    number = _real(value)
    if not (np.isfinite(number) and number > 0):
        raise ValueError(f"{name} must be a positive number; got {value!r}.")
    return number


def not_negative(value: Any, name: str) -> float:
    """A finite number, zero or more."""
    number = _real(value)
    if not (np.isfinite(number) and number >= 0):
        raise ValueError(f"{name} must be a number >= 0; got {value!r}.")
    return number


def probability(value: Any, name: str = "delta") -> float:
    """A number strictly between 0 and 1."""
    number = _real(value)
    if not 0 < number < 1:
        raise ValueError(f"{name} must lie strictly between 0 and 1; got {value!r}.")
    return number


def number_of_points(value: Any, name: str = "n") -> int:
    """A whole number, one or more."""
    if not (isinstance(value, int | np.integer) and value >= 1):
        raise ValueError(f"{name} must be a whole number >= 1; got {value!r}.")
    return int(value)


def finite_vector(values: ArrayLike, name: str, size: int | None = None) -> NDArray[np.float64]:
    """A vector of finite numbers."""
    vector = np.asarray(values, dtype=np.float64)
    if vector.ndim != 1 or vector.size == 0 or size not in (None, vector.size):
        wanted = "a vector" if size is None else f"a vector of {size} numbers"
        raise ValueError(f"{name} must be {wanted}; got the shape {vector.shape}.")
    if not np.isfinite(vector).all():
        raise ValueError(f"{name} must be finite, but {name}[{int(np.argmin(np.isfinite(vector)))}] is not.")
    return vector


def signs(y: ArrayLike, size: int | None = None) -> NDArray[np.float64]:
    """Labels -1 and +1."""
    labels = finite_vector(y, "y", size)
    if (np.abs(labels) != 1).any():
        raise ValueError(f"y must be -1 or +1, but y[{int(np.argmax(np.abs(labels) != 1))}] is not.")
    return labels


def code_matrix(code: ArrayLike) -> NDArray[np.float64]:
    """A matrix over -1, 0 and +1 with several rows."""
    M = np.asarray(code, dtype=np.float64)
    if M.ndim != 2 or len(M) < 2 or not np.isin(M, (-1, 0, 1)).all():
        raise ValueError("code must be a matrix over -1, 0 and +1 with a row for each of several classes.")
    return M


def kernel_matrix(K: ArrayLike) -> NDArray[np.float64]:
    """A symmetric matrix of finite numbers none of which is larger than its diagonal allows.

    No positive semi-definite matrix has others; to find out that all is well would take its eigenvalues.
    """
    given = np.asarray(K)
    rounding = 1e3 * float(np.finfo(given.dtype if given.dtype.kind == "f" else np.float64).eps)
    matrix = given.astype(np.float64)
    if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or not matrix.size:
        raise ValueError(f"K must be a square kernel matrix; got the shape {matrix.shape}.")
    if not np.isfinite(matrix).all() or np.diag(matrix).min() < 0:
        raise ValueError("K must be a kernel matrix: finite, with no negative entry on its diagonal.")
    size = np.sqrt(np.diag(matrix))
    allowed, slack = np.outer(size, size), rounding * size.max() ** 2
    if (np.abs(matrix) > allowed + slack).any() or (np.abs(matrix - matrix.T) > slack).any():
        raise ValueError("K must be a kernel matrix: symmetric, with no entry K_ij^2 larger than K_ii K_jj.")
    return matrix


def _real(value: Any) -> float:
    """A number as it is, anything else as NaN."""
    return float(value) if isinstance(value, int | float | np.integer | np.floating) else np.nan
