"""Kernel values as features of their own."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Coordinates"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Coordinates:
    """In the place of a `Basis`, for machines that pay for c'c and not for the norm c'Kc of their functions.

    f = sum_j c_j k(z_j, .) has the features k(z_j, x) and the weights c. With all points for centres and no
    bias (K^2 + ridge I) c = K y: the proximal SVM with a kernel (Fung and Mangasarian, 2001). K may be any
    matrix; but what c'c has to say of f depends on how many points happen to be near each other.

    Parameters
    ----------
    size : int
        m, the number of centres.
    """

    size: int

    def features(self, K: Matrix) -> Matrix:
        return K

    def coefficients(self, v: Matrix) -> Matrix:
        return np.ascontiguousarray(v)

    def dual_coefficients(self, S: Matrix) -> Matrix:
        return S
