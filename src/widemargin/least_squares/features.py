"""Points written out as vectors: K = F F'."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from widemargin.kernels.row_blocks import row_blocks

__all__ = ["Features"]

Matrix = NDArray[np.float64]


class Features:
    """F = P A with P = I - q q', or F = A: one row per point, one column per feature.

    A sparse A stays sparse; it is never centred, its projection is applied to what it is multiplied with.

    Parameters
    ----------
    A : array or CSR array of shape (n, d)
    q : unit vector of shape (n,), optional
    """

    def __init__(self, A: Any, q: NDArray[np.float64] | None = None) -> None:
        self.A = A
        self.q = q
        self._row = np.zeros(A.shape[1]) if q is None else np.asarray(A.T @ q)

    @property
    def shape(self) -> tuple[int, int]:
        """Numbers of points and of features."""
        return self.A.shape

    def times(self, V: Matrix) -> Matrix:
        """F V."""
        AV = np.asarray(self.A @ V)
        return AV if self.q is None else AV - np.outer(self.q, self.q @ AV)

    def transposed_times(self, T: Matrix) -> Matrix:
        """F' T."""
        if self.q is not None:
            T = T - np.outer(self.q, self.q @ T)
        return np.asarray(self.A.T @ T)

    def gram(self) -> Matrix:
        """F'F, shape (d, d)."""
        if not sp.issparse(self.A):
            return self.A.T @ self.A
        gram = (self.A.T @ self.A).toarray()
        return gram if self.q is None else gram - np.outer(self._row, self._row)

    def squared_lengths(self) -> NDArray[np.float64]:
        """The diagonal of A A'."""
        if sp.issparse(self.A):
            return np.asarray(self.A.multiply(self.A).sum(axis=1)).ravel()
        return np.einsum("ij,ij->i", self.A, self.A)

    def rows(self, block: slice) -> Matrix:
        """Some rows of F, dense."""
        part = self.A[block]
        part = part.toarray() if sp.issparse(part) else part
        return part if self.q is None else part - np.outer(self.q[block], self._row)

    def blocks(self) -> list[slice]:
        """Slices of rows, few enough at a time to be written out."""
        return row_blocks(*self.shape)
