"""What problems are made of, refused if it makes no sense."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Vector = NDArray[np.float64]


def as_vector(value: ArrayLike, name: str) -> Vector:
    vector = np.ascontiguousarray(value, dtype=np.float64)
    if vector.ndim != 1:
        raise ValueError(f"{name} must be one-dimensional, not of shape {vector.shape}.")
    return vector


def as_finite(value: ArrayLike, name: str) -> Vector:
    vector = as_vector(value, name)
    refuse(~np.isfinite(vector), vector, name, "must be finite")
    return vector


def as_labels(y: ArrayLike) -> Vector:
    y = as_vector(y, "y")
    refuse(np.abs(y) != 1, y, "y", "must be -1 or +1")
    return y


def as_positive(value: ArrayLike, name: str, size: int) -> Vector:
    """A positive number per variable, from one for all or one for each."""
    vector = np.asarray(value, dtype=np.float64)
    if vector.shape not in ((), (size,)):
        raise ValueError(
            f"{name} has shape {vector.shape}: give one number, or one for each of the {size} samples."
        )
    all_of_them = np.empty(size)
    all_of_them[:] = vector
    refuse(~(all_of_them > 0), all_of_them, name, "must be positive")
    return all_of_them


def check_nu(nu: float) -> None:
    if not 0 < nu <= 1:
        raise ValueError(f"nu = {nu} is infeasible: it must lie in (0, 1].")


def refuse(bad: NDArray[np.bool_], values: NDArray, name: str, rule: str) -> None:
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{name} {rule}, but {name}[{i}] is {values[i]:g}.")
