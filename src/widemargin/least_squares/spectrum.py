"""(M + ridge I)^-1 for all ridges at once, from one decomposition."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from widemargin.kernels.row_blocks import row_blocks
from widemargin.unlocked_lapack import eigenvectors

from .features import Features
from .normal_factor import refuse_uncertain
from .singular_system import EPSILON, SingularSystem, refuse_overflow

__all__ = ["FeatureSpectrum", "MatrixSpectrum", "Spectrum", "condition_of"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


class Spectrum(Protocol):
    """What a path of ridges asks for."""

    trace: float

    def solve(self, T: Matrix, ridges: Vector) -> NDArray[np.float64]:
        """(M + ridge I)^-1 T for each ridge, shape (n_ridges, n, columns)."""
        ...

    def diagonals(self, ridges: Vector) -> Matrix:
        """The diagonal of (M + ridge I)^-1 for each ridge, shape (n_ridges, n)."""
        ...


def condition_of(values: Vector, ridge: float) -> float:
    """The condition number of a matrix with these eigenvalues, ascending, not negative, plus the ridge."""
    return float((values[-1] + ridge) / (values[0] + ridge)) if values.size else 1.0


class MatrixSpectrum:
    """M = U diag(values) U': solutions are U (values + ridge)^-1 U'T, diagonals U^2 (values + ridge)^-1.

    M may be indefinite; the solution is then a stationary point of the machine's objective.

    Parameters
    ----------
    M : array of shape (n, n), C order
        Only its lower triangle is read; it is overwritten.
    """

    def __init__(self, M: Matrix) -> None:
        refuse_overflow(np.einsum("ii->i", M))
        self.trace, self._largest = float(np.trace(M)), float(np.einsum("ii->i", M).max(initial=0.0))
        self.values, self._U = eigenvectors(M.T), M.T

    def solve(self, T: Matrix, ridges: Vector) -> NDArray[np.float64]:
        parts = (self._U.T @ T)[None, :, :] * self._shrunk(ridges)[:, :, None]
        return np.stack([self._U @ part for part in parts])

    def diagonals(self, ridges: Vector) -> Matrix:
        shrunk = self._shrunk(ridges).T
        diagonals = np.empty((self._U.shape[0], ridges.size))
        for block in row_blocks(*self._U.shape):
            diagonals[block] = self._U[block] ** 2 @ shrunk
        return diagonals.T

    def squares(self, T: Matrix) -> Vector:
        """The squared lengths of T, over all columns, along the eigenvectors of `values`."""
        return np.sum((self._U.T @ T) ** 2, axis=1)

    def _shrunk(self, ridges: Vector) -> Matrix:
        shifted = self.values + ridges[:, None]
        if np.abs(shifted).min() <= EPSILON * self.values.size * np.abs(self.values).max():
            raise SingularSystem(float(ridges.min()), self._largest)
        return 1 / shifted


class FeatureSpectrum:
    """M = F F' with d features, from F'F = V diag(values) V', in O(n d^2 + d^3).

    Solutions are (T - FV (values + ridge)^-1 (FV)'T) / ridge, diagonals (1 - (FV)^2 (values + ridge)^-1) /
    ridge.
    """

    def __init__(self, F: Features) -> None:
        self.F = F
        gram = np.ascontiguousarray(F.gram())
        refuse_overflow(gram)
        self._largest = float(np.einsum("ii->i", gram).max(initial=0.0))
        self.values, self._V = np.maximum(eigenvectors(gram.T), 0.0), gram.T
        self.trace = float(self.values.sum())

    def squares(self, T: Matrix) -> Vector:
        """The squared lengths of T along the eigenvectors FV of M, zero for eigenvalues of zero."""
        scaled = np.sum((self._V.T @ self.F.transposed_times(T)) ** 2, axis=1)
        return np.divide(scaled, self.values, out=np.zeros_like(scaled), where=self.values > 0)

    def weights(self, T: Matrix, ridge: float) -> Matrix:
        """v = (F'F + ridge I)^-1 F'T, the primal solution."""
        refuse_uncertain(condition_of(self.values, ridge), ridge, self._largest)
        return self._V @ ((self._V.T @ self.F.transposed_times(T)) / (self.values + ridge)[:, None])

    def solve(self, T: Matrix, ridges: Vector) -> NDArray[np.float64]:
        return np.stack([(T - self.F.times(self.weights(T, ridge))) / ridge for ridge in ridges])

    def diagonals(self, ridges: Vector) -> Matrix:
        shrunk = (1 / (self.values + ridges[:, None])).T
        leverages = np.empty((self.F.shape[0], ridges.size))
        for block in self.F.blocks():
            leverages[block] = (self.F.rows(block) @ self._V) ** 2 @ shrunk
        return (1 - leverages.T) / ridges[:, None]
