"""Products of Householder reflections, in the compact form that turns them into products of matrices."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import lapack

__all__ = ["Reflections"]

Matrix = NDArray[np.float64]


@dataclass(frozen=True)
class Reflections:
    """H = H_1 ... H_k = I - V T V', with H_j = I - tau_j v_j v_j' and T upper triangular.

    Schreiber and Van Loan, A storage-efficient WY representation for products of Householder transformations,
    1989.

    Parameters
    ----------
    V : array of shape (m, k)
    T : array of shape (k, k)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.least_squares import Reflections
    >>> P = np.array([[3.0, 1.0], [4.0, 2.0], [0.0, 2.0]])
    >>> H, R = Reflections.triangularising(P)
    >>> bool(np.allclose((np.eye(3) - H.V @ H.T @ H.V.T)[:, :2] @ R, P))
    True
    """

    V: Matrix
    T: Matrix

    @classmethod
    def triangularising(cls, P: Matrix) -> tuple[Reflections, Matrix]:
        """H and R, upper triangular, with P = H R (and nothing below R)."""
        packed, tau, _, _ = lapack.dgeqrf(np.asfortranarray(P))
        k = tau.size
        V = np.ascontiguousarray(np.tril(packed[:, :k], -1))
        np.fill_diagonal(V, 1.0)
        products, T = V.T @ V, np.diag(tau)
        for j in range(1, k):
            T[:j, j] = -tau[j] * (T[:j, :j] @ products[:j, j])
        return cls(V, T), np.triu(packed[:k])

    def then(self, later: Reflections) -> Reflections:
        """The product with `later` on the right, whose vectors begin with zeros that are not stored."""
        k, lead = self.T.shape[0], self.V.shape[0] - later.V.shape[0]
        V = np.zeros((self.V.shape[0], k + later.T.shape[0]))
        V[:, :k], V[lead:, k:] = self.V, later.V
        T = np.zeros((V.shape[1], V.shape[1]))
        T[:k, :k], T[k:, k:] = self.T, later.T
        T[:k, k:] = -self.T @ (self.V[lead:].T @ later.V) @ later.T
        return Reflections(V, T)
