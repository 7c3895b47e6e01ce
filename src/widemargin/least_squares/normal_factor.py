"""Normal equations of features, and whether their weights can be trusted."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack, solve_triangular

from widemargin.unlocked_lapack import factorise

from .singular_system import EPSILON, SingularSystem, refuse_overflow

__all__ = ["NormalFactor", "refuse_uncertain"]

Matrix = NDArray[np.float64]

UNCERTAIN = 1e-3
"""The relative error that rounding may make in weights."""


def refuse_uncertain(condition: float, ridge: float, largest: float) -> None:
    """Raise a SingularSystem if rounding may change the solution by more than a thousandth of its length."""
    if not EPSILON * condition <= UNCERTAIN:
        raise SingularSystem(ridge, largest)


class NormalFactor:
    """The Cholesky factor of D (F'F + ridge I) D, where D makes the diagonal one.

    The scale of a feature says nothing of how well its weight is determined. Cholesky solutions do not depend
    on it, but the condition number does, and is least, up to the number of features, for a unit diagonal (van
    der Sluis, Condition numbers and equilibration of matrices, 1969).

    Parameters
    ----------
    gram : array of shape (d, d)
        F'F, symmetric; it is overwritten.
    ridge : float
    """

    def __init__(self, gram: Matrix, ridge: float) -> None:
        gram = np.ascontiguousarray(gram)
        diagonal = np.einsum("ii->i", gram)
        refuse_overflow(diagonal)
        self._ridge, self._largest = ridge, float(diagonal.max(initial=0.0))
        diagonal += ridge
        self._scale = 1 / np.sqrt(diagonal)
        gram *= self._scale[:, None]
        gram *= self._scale
        self._norm = float(np.abs(gram).sum(axis=0).max(initial=0.0))
        self._upper, fault = gram.T, factorise(gram.T)
        pivots = np.einsum("ii->i", self._upper) / self._scale
        if fault or pivots.min(initial=np.inf) ** 2 <= EPSILON * (self._largest + ridge) / 2:
            raise SingularSystem(ridge, self._largest)  # some feature is nothing but rounding

    def check(self) -> None:
        """Raise a SingularSystem if rounding has a say in the weights."""
        reciprocal, _ = lapack.dpocon(self._upper, self._norm)
        refuse_uncertain(1 / reciprocal if reciprocal > 0 else np.inf, self._ridge, self._largest)

    def solve(self, B: Matrix) -> Matrix:
        X, _ = lapack.dpotrs(self._upper, np.asfortranarray(self._scale[:, None] * B), lower=0, overwrite_b=1)
        return self._scale[:, None] * X

    def half_solve(self, B: Matrix) -> Matrix:
        """L^-1 D B, whose squares sum up to the quadratic forms B'(F'F + ridge I)^-1 B."""
        B = self._scale[:, None] * B
        return solve_triangular(self._upper, B, trans="T", lower=False, check_finite=False, overwrite_b=True)
