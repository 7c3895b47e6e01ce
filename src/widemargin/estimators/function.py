"""What is left of a two-class machine once it is solved."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import Vector


@dataclass(frozen=True)
class Function:
    """Coefficients of some of n points, and an intercept."""

    n: int
    support: NDArray[np.int32]
    coefficients: Vector
    intercept: float

    @classmethod
    def of(cls, coefficients: Vector, intercept: float) -> Function:
        """The function with these coefficients of all points."""
        support = np.flatnonzero(coefficients).astype(np.int32)
        return cls(coefficients.size, support, coefficients[support], intercept)

    def everywhere(self) -> Vector:
        """The coefficients of all points."""
        coefficients = np.zeros(self.n)
        coefficients[self.support] = self.coefficients
        return coefficients
