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


@dataclass(frozen=True, eq=False)
class Scaling:
    """x -> (x - mean) factor; sparse points keep their zeros, which no distance notices.

    The factor of a constant feature is 0: whatever values it takes later, it plays no part.
    """

    mean: Vector
    factor: Vector

    @classmethod
    def of(cls, X: Any) -> Scaling:
        """The scaling to mean 0 and variance 1 of these points."""
        if sp.issparse(X):
            mean = np.ravel(X.mean(axis=0, dtype=np.float64))
            squares = np.ravel(X.astype(np.float64).multiply(X).mean(axis=0))
            deviation = np.sqrt(np.maximum(squares - mean**2, 0.0))
            largest = np.ravel(abs(X).max(axis=0).toarray())
            mean = np.zeros_like(mean)
        else:
            mean = X.mean(axis=0, dtype=np.float64)
            deviation = X.std(axis=0, dtype=np.float64)
            largest = np.abs(X.astype(np.float64)).max(axis=0)
        varies = deviation > CONSTANT * largest
        return cls(mean, np.divide(1.0, deviation, out=np.zeros_like(mean), where=varies))

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
            return sp.csr_array(X.multiply(self.factor[None, :]))
        single = X.dtype in (np.float32, np.uint8, np.int8)
        kind = np.float32 if single else np.float64
        return np.ascontiguousarray((X - self.mean.astype(kind)) * self.factor.astype(kind))
