"""Functions expanded in the kernels at a few centres."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from widemargin.unlocked_lapack import factorise

from .singular_system import refuse_overflow

__all__ = ["Basis"]

Matrix = NDArray[np.float64]

JITTER = 1e-12
"""What is added to the diagonal of K_mm, relative to its mean: two centres may be the same point."""


class Basis:
    """Coordinates in which the norm of f = sum_j c_j k(z_j, .) is that of a vector.

    With K_mm + epsilon I = R'R and c = R^-1 v, |f|^2 = v'v and f(x) = phi(x)'v for the features

        phi(x)' = (k(x, z_1), ..., k(x, z_m)) R^-1,    Phi = K_nm R^-1,    Phi Phi' = K_nm K_mm^-1 K_mn.

    K_mm, which is ill-conditioned, is never inverted.

    Parameters
    ----------
    corner : array of shape (m, m), C order
        K_mm; it is overwritten.
    """

    def __init__(self, corner: Matrix) -> None:
        diagonal = np.einsum("ii->i", corner)
        refuse_overflow(diagonal)
        mean = float(diagonal.mean())
        diagonal += JITTER * mean if mean > 0 else 1.0
        self.R = corner.T
        if factorise(self.R):
            raise ValueError(
                "the kernel matrix of the centres is not positive semi-definite: use another kernel, or fit "
                "without centres."
            )

    @property
    def size(self) -> int:
        """m, the number of centres."""
        return self.R.shape[0]

    def features(self, K: Matrix) -> Matrix:
        """K R^-1 in place of K, shape (rows, m), in C order."""
        return blas.dtrsm(1.0, self.R, K.T, lower=0, trans_a=1, overwrite_b=1).T

    def coefficients(self, v: Matrix) -> Matrix:
        """c = R^-1 v, for several columns."""
        return np.ascontiguousarray(blas.dtrsm(1.0, self.R, v, lower=0))

    def dual_coefficients(self, S: Matrix) -> Matrix:
        """R^-T S: K'T becomes Phi'T."""
        return np.ascontiguousarray(blas.dtrsm(1.0, self.R, S, lower=0, trans_a=1))
