"""(M + ridge I)^-1 for one ridge: by Cholesky, of M itself or of the small matrix F'F where M = F F'."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

from widemargin.unlocked_lapack import factorise, invert_factor

from .features import Features
from .normal_factor import NormalFactor
from .singular_system import EPSILON, SingularSystem, refuse_overflow

__all__ = ["CholeskyFactor", "CholeskyInverse", "FeatureInverse", "Inverse"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class Inverse(Protocol):
    """What a least-squares machine asks of (M + ridge I)^-1."""

    def solve(self, T: Matrix) -> Matrix:
        """(M + ridge I)^-1 T."""
        ...

    def diagonal(self) -> Vector:
        """The diagonal of (M + ridge I)^-1."""
        ...


class CholeskyFactor:
    """The Cholesky factor of S + ridge I in place of the lower triangle of S (in C order)."""

    def __init__(self, S: Matrix, ridge: float) -> None:
        diagonal = np.einsum("ii->i", S)
        refuse_overflow(diagonal)
        largest = float(diagonal.max(initial=0.0))
        diagonal += ridge
        # The transpose of a C matrix is a Fortran matrix; its upper triangle is our lower one.
        self._upper, fault = S.T, factorise(S.T)
        pivots = np.einsum("ii->i", self._upper)
        if fault > 0 or pivots.min(initial=np.inf) ** 2 <= EPSILON * (largest + ridge) / 2:
            raise SingularSystem(ridge, largest)

    def solve(self, B: Matrix) -> Matrix:
        X, _ = lapack.dpotrs(self._upper, np.asfortranarray(B), lower=0, overwrite_b=0)
        return X

    def inverse_diagonal(self) -> Vector:
        """Squared lengths of the columns of L^-1, which takes the place of L."""
        invert_factor(self._upper)
        inverse, n = self._upper, self._upper.shape[0]
        upper = np.zeros(n)
        for begin in range(0, n, 256):  # columns of the upper triangle: rows of its inverse transposed
            part = np.triu(inverse[:, begin : begin + 256], -begin)
            upper += np.einsum("ij,ij->i", part, part)
        return upper


class CholeskyInverse:
    """By the Cholesky factor of M + ridge I, in O(n^3 / 3), in place of M.

    The diagonal of the inverse takes as much again, overwrites the factor and so comes last.
    """

    def __init__(self, M: Matrix, ridge: float) -> None:
        self._factor: CholeskyFactor | None = CholeskyFactor(M, ridge)

    def solve(self, T: Matrix) -> Matrix:
        if self._factor is None:
            raise RuntimeError("the factor has been overwritten by its inverse: solve first.")
        return self._factor.solve(T)

    def diagonal(self) -> Vector:
        factor, self._factor = self._factor, None
        if factor is None:
            raise RuntimeError("the factor has been overwritten by its inverse: keep the first answer.")
        return factor.inverse_diagonal()


class FeatureInverse:
    """By the identity of Sherman, Morrison and Woodbury, in O(n d^2 + d^3) where M = F F' has d features.

    (F F' + ridge I)^-1 = (I - F (F'F + ridge I)^-1 F') / ridge
    """

    def __init__(self, F: Features, ridge: float) -> None:
        self.F = F
        self.ridge = ridge
        self._factor = NormalFactor(F.gram(), ridge)

    def weights(self, T: Matrix) -> Matrix:
        """v = (F'F + ridge I)^-1 F'T, the primal solution; F v are the fitted values.

        F'F has been rounded, what its solution leaves of F'(T - Fv) = ridge v has not: that is solved for
        once more (the corrected semi-normal equations of Bjorck). A SingularSystem is raised where that
        would not help.
        """
        self._factor.check()
        v = self._factor.solve(self.F.transposed_times(T))
        return v + self._factor.solve(self.F.transposed_times(T - self.F.times(v)) - self.ridge * v)

    def solve(self, T: Matrix) -> Matrix:
        v = self._factor.solve(self.F.transposed_times(T))
        return (T - self.F.times(v)) / self.ridge

    def diagonal(self) -> Vector:
        leverages = np.empty(self.F.shape[0])
        for block in self.F.blocks():
            half = self._factor.half_solve(self.F.rows(block).T)
            leverages[block] = np.einsum("ij,ij->j", half, half)
        return (1 - leverages) / self.ridge
