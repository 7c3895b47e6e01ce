"""Features brought to one scale."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Vector = NDArray[np.float64]

CONSTANT = 1e-12
"""A standard deviation below this part of the largest absolute value is that of a constant."""

TINY = 1e-300
"""Values below are taken for zero: one divided by them is no number."""


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - mean) factor; the mean of sparse points is taken to be zero, which no distance notices.

    The factor of a constant feature is 0: whatever values it takes later, it plays no part.
    """

    mean: Vector
    factor: Vector

    @classmethod
    def of(cls, X: Any) -> Scaling:
        """The scaling to mean 0 and variance 1 of these points."""
        largest = _largest(X)
        units = np.where(largest > TINY, largest, 1.0)  # squares of very large or small values are no numbers
        if sp.issparse(X):
            shares = sp.csr_array(X, dtype=np.float64)
            shares.data = shares.data / units[shares.indices]
            mean = np.ravel(shares.mean(axis=0))
            squares = np.ravel(shares.multiply(shares).mean(axis=0))
            deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
            mean = np.zeros_like(mean)
        else:
            shares = X / units
            mean, deviation = units * shares.mean(axis=0), shares.std(axis=0)
        varies = (deviation > CONSTANT) & (largest > TINY)
        return cls(mean, np.divide(1.0, units * deviation, out=np.zeros_like(mean), where=varies))

    @property
    def n_constant(self) -> int:
        """How many features are the same for all points."""
        return int((self.factor == 0).sum())

    def weighted(self, weights: Vector) -> Scaling:
        """The scaling that also gives features these weights in squared distances."""
        return Scaling(self.mean, self.factor * np.sqrt(weights))

    def __call__(self, X: Any) -> Any:
        """The points, scaled."""
        if sp.issparse(X):
            if not self.mean.any():
                return sp.csr_array(X.multiply(self.factor[None, :]))
            X = X.toarray()  # seen from the mean of the dense points it is compared with, it has no zeros
        used = self.factor[self.factor > 0]
        fits = bool(((used > 1e-30) & (used < 1e30)).all())
        single = fits and X.dtype in (np.float32, np.uint8, np.int8)
        kind = np.float32 if single else np.float64
        return np.ascontiguousarray((X - self.mean.astype(kind)) * self.factor.astype(kind))


def _largest(X: Any) -> Vector:
    """The largest absolute value of each feature."""
    ends = [X.max(axis=0), X.min(axis=0)]
    upper, lower = (np.ravel(end.toarray() if sp.issparse(end) else end).astype(np.float64) for end in ends)
    return np.maximum(upper, -lower)
