"""The Gaussian kernel with a full matrix of scales."""

from typing import Any, Self

import numpy as np
import scipy.sparse as sp

from .. import _core
from .ard_gaussian import moved_together
from .gaussian import Gaussian
from .points import as_vectors
from .stationary import StationaryKernel


class GeneralGaussian(StationaryKernel):
    """k(x, z) = exp(-1/2 (x - z)' M (x - z)), the radial Gaussian of gamma = 1/2 on A x where M = A'A.

    Its parameters in `theta` are the entries on and above the diagonal, row by row, of L = log M, which may
    be any real numbers: M = exp(L) is then symmetric and positive definite. With M = U diag(exp(l)) U' and G
    the gradient in M, the gradient in L is U (F o (U'GU)) U' where F_ij = (exp(l_i) - exp(l_j)) / (l_i -
    l_j), and exp(l_i) where the two are equal (Daleckii and Krein).

    Parameters
    ----------
    M : array of shape (n_features, n_features)
        Symmetric and positive semi-definite.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Gaussian, GeneralGaussian
    >>> X = np.array([[0.0, 1.0], [2.0, 3.0]])
    >>> np.allclose(GeneralGaussian(M=np.eye(2)).gram(X), Gaussian(gamma=0.5).gram(X))
    True
    """

    is_universal = True

    def __init__(self, M: Any):
        self.M = M

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        values, vectors = self._spectrum()
        factor = vectors * np.sqrt(values)
        X, Y = self._dense(X), None if Y is None else self._dense(Y)
        centre = X.mean(axis=0, dtype=np.float64)
        return Gaussian(0.5).bind((X - centre) @ factor, None if Y is None else (Y - centre) @ factor)

    @property
    def theta(self) -> np.ndarray:
        values, vectors = self._positive_spectrum()
        return _upper((vectors * np.log(values)) @ vectors.T)

    @property
    def theta_names(self) -> list[str]:
        return [f"log M[{i},{j}]" for i, j in zip(*np.triu_indices(np.shape(self.M)[0]), strict=True)]

    def with_theta(self, theta: np.ndarray) -> Self:
        d = np.shape(self.M)[0]
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != (d * (d + 1) // 2,):
            raise ValueError(
                f"theta must have {d * (d + 1) // 2} entries, got an array of shape {theta.shape}."
            )
        L = np.zeros((d, d))
        L[np.triu_indices(d)] = theta
        values, vectors = np.linalg.eigh(L + np.triu(L, 1).T)
        M = (vectors * np.exp(values)) @ vectors.T
        return type(self)(M=(M + M.T) / 2)

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return self._contract_known_rows(X, Y, W, self.gram(X, Y))

    def _contract_known_rows(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray) -> np.ndarray:
        by_M = -0.5 * difference_products(self._dense(X), self._dense(Y), W * K)
        values, vectors = self._positive_spectrum()
        by_L = vectors @ (divided_differences(values) * (vectors.T @ by_M @ vectors)) @ vectors.T
        return _upper(2 * by_L - np.diag(np.diag(by_L)))

    def _dense(self, X: Any) -> np.ndarray:
        if sp.issparse(X):
            raise ValueError("GeneralGaussian takes dense data only: its linear map would fill a sparse X.")
        X = as_vectors(X)
        if X.shape[1] != np.shape(self.M)[0]:
            raise ValueError(
                f"M is {np.shape(self.M)[0]} x {np.shape(self.M)[0]}, but X has {X.shape[1]} features."
            )
        return X

    def _spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        M = np.asarray(self.M, dtype=np.float64)
        if M.ndim != 2 or M.shape[0] != M.shape[1]:
            raise ValueError(f"M must be a square matrix, got an array of shape {M.shape}.")
        if not np.all(np.isfinite(M)):
            raise ValueError("M must not contain NaN or infinity.")
        if not np.allclose(M, M.T, rtol=1e-10, atol=1e-12 * np.abs(M).max(initial=0)):
            raise ValueError("M must be symmetric.")
        values, vectors = np.linalg.eigh((M + M.T) / 2)
        if values.min(initial=0) < -1e-10 * np.abs(values).max(initial=0):
            raise ValueError(
                f"M must be positive semi-definite, but it has the eigenvalue {values.min():.3g}."
            )
        return np.maximum(values, 0), vectors

    def _positive_spectrum(self) -> tuple[np.ndarray, np.ndarray]:
        values, vectors = self._spectrum()
        if values.min(initial=np.inf) <= 0:
            raise ValueError("M must be positive definite to have a logarithm, but it is singular.")
        return values, vectors


def _upper(matrix: np.ndarray) -> np.ndarray:
    return matrix[np.triu_indices(len(matrix))]


def difference_products(X: np.ndarray, Y: np.ndarray, V: np.ndarray) -> np.ndarray:
    """Return sum_ij V_ij (x_i - y_j)(x_i - y_j)'."""
    X, Y = moved_together(X, Y)
    mixed = X.T @ V @ Y
    return (X.T * V.sum(axis=1)) @ X + (Y.T * V.sum(axis=0)) @ Y - mixed - mixed.T


def divided_differences(values: np.ndarray) -> np.ndarray:
    """Return (a - b) / (log a - log b) for all pairs, accurate also where a and b are close.

    With t = log(a / b) / 2 it is sqrt(a b) sinh(t) / t.
    """
    roots = np.sqrt(values)
    t = np.log(values)[:, None] / 2 - np.log(values)[None, :] / 2
    near = np.abs(t) < 1e-4
    ratio = np.where(near, 1 + t**2 / 6, np.sinh(t) / np.where(near, 1, t))
    return roots[:, None] * roots[None, :] * ratio
