"""The Gaussian kernel on the manifold of symmetric positive definite matrices."""

from typing import Any, Self

import numpy as np

from .. import _core
from .general_gaussian import GeneralGaussian, difference_products, divided_differences
from .stationary import StationaryKernel

VARIANTS = ("size", "shape", "size and shape", "shape and orientation", "all")


class ManifoldGaussian(StationaryKernel):
    """k(x, z) = exp(-1/2 |T B T (x - z)|^2) with T = exp(A), a step A away from the matrix B.

    Symmetric positive definite matrices form a manifold, and A -> exp(A) B exp(A), A symmetric, is a map of
    it around B: any step, however long, leads to a positive definite matrix. `theta` are the entries of A
    (not logarithms), zero at B itself. After a step of an optimiser `recentred` makes the new matrix the
    centre, where the gradient is simplest:

        dk / dA = -k (B D B + (D B^2 + B^2 D) / 2)    at A = 0,    D = (x - z)(x - z)'.

    The trace of A changes the size of the kernel (det B), the differences of its diagonal entries the shape
    (the ratios of the eigenvalues of B) and its other entries the orientation. The variant says which of them
    are free; without size, every A is projected on trace zero, and det B stays what it is.

        variant                   parameters       A
        "size"                    1                a multiple of I
        "shape"                   d                diagonal, trace zero
        "size and shape"          d                diagonal
        "shape and orientation"   d (d + 1) / 2    trace zero
        "all"                     d (d + 1) / 2    any

    Parameters
    ----------
    B : array of shape (n_features, n_features)
        Symmetric and positive definite.
    A : array of shape (n_features, n_features), optional
        Symmetric; zero by default.
    variant : str, default="all"

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, PhD thesis, Bochum, 2008, chapter 10.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import ManifoldGaussian
    >>> kernel = ManifoldGaussian(np.eye(2), variant="shape")
    >>> moved = kernel.with_theta([0.5, 0.1]).recentred()
    >>> moved.B.round(3).tolist(), round(float(np.linalg.det(moved.B)), 9)
    ([[1.492, 0.0], [0.0, 0.67]], 1.0)
    """

    is_universal = True

    def __init__(self, B: Any, A: Any = None, variant: str = "all"):
        self.B = B
        self.A = A
        self.variant = variant

    def matrix(self) -> np.ndarray:
        """Return exp(A) B exp(A)."""
        T = self._exponential()
        product = T @ self._centre() @ T
        return (product + product.T) / 2

    def recentred(self) -> Self:
        """Return the same kernel with its own matrix as the centre B and A = 0."""
        return type(self)(B=self.matrix(), variant=self.variant)

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return self._general().bind(X, Y)

    @property
    def theta(self) -> np.ndarray:
        return self._entries(self._step())

    @property
    def theta_names(self) -> list[str]:
        d = len(self._centre())
        if self.variant == "size":
            return ["A"]
        if self._is_diagonal():
            return [f"A[{i},{i}]" for i in range(d)]
        return [f"A[{i},{j}]" for i, j in zip(*np.triu_indices(d), strict=True)]

    def with_theta(self, theta: np.ndarray) -> Self:
        """Return the kernel a step away from the same B, `theta` the entries of the step."""
        theta, d = np.asarray(theta, dtype=np.float64), len(self._centre())
        if theta.shape != (len(self.theta_names),):
            raise ValueError(
                f"theta must have {len(self.theta_names)} entries, got an array of shape {theta.shape}."
            )
        if self.variant == "size":
            A = theta[0] * np.eye(d)
        elif self._is_diagonal():
            A = np.diag(theta)
        else:
            upper = np.zeros((d, d))
            upper[np.triu_indices(d)] = theta
            A = upper + np.triu(upper, 1).T
        return type(self)(B=self.B, A=A, variant=self.variant)

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return self._contract_known_rows(X, Y, W, self.gram(X, Y))

    def _contract_known_rows(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray) -> np.ndarray:
        general, B, T = self._general(), self._centre(), self._exponential()
        D = difference_products(general._dense(X), general._dense(Y), W * K)
        root = self.matrix()
        by_root = -(root @ D + D @ root) / 2
        by_T = by_root @ T @ B + B @ T @ by_root
        values, vectors = np.linalg.eigh(self._projected())
        by_A = vectors @ (divided_differences(np.exp(values)) * (vectors.T @ by_T @ vectors)) @ vectors.T
        if not self._changes_size():
            by_A = by_A - np.trace(by_A) / len(by_A) * np.eye(len(by_A))
        if self.variant == "size":
            return np.array([np.trace(by_A)])
        return self._entries(by_A if self._is_diagonal() else 2 * by_A - np.diag(np.diag(by_A)))

    def _entries(self, A: np.ndarray) -> np.ndarray:
        if self.variant == "size":
            return A[0, :1].copy()
        return np.diag(A).copy() if self._is_diagonal() else A[np.triu_indices(len(A))]

    def _general(self) -> GeneralGaussian:
        root = self.matrix()
        return GeneralGaussian(M=root @ root)

    def _exponential(self) -> np.ndarray:
        values, vectors = np.linalg.eigh(self._projected())
        return (vectors * np.exp(values)) @ vectors.T

    def _projected(self) -> np.ndarray:
        """Return the step without its trace where the size is fixed."""
        A = self._step()
        return A if self._changes_size() else A - np.trace(A) / len(A) * np.eye(len(A))

    def _step(self) -> np.ndarray:
        d = len(self._centre())
        A = np.zeros((d, d)) if self.A is None else np.asarray(self.A, dtype=np.float64)
        if A.shape != (d, d) or not np.array_equal(A, A.T) or not np.isfinite(A).all():
            raise ValueError(f"A must be a finite symmetric matrix of the shape {(d, d)} of B.")
        return A

    def _centre(self) -> np.ndarray:
        B = np.asarray(self.B, dtype=np.float64)
        if B.ndim != 2 or B.shape[0] != B.shape[1] or not np.isfinite(B).all():
            raise ValueError(f"B must be a finite square matrix, got an array of shape {B.shape}.")
        if not np.allclose(B, B.T, rtol=1e-10) or np.linalg.eigvalsh((B + B.T) / 2)[0] <= 0:
            raise ValueError("B must be symmetric and positive definite.")
        return (B + B.T) / 2

    def _is_diagonal(self) -> bool:
        return self.variant in ("shape", "size and shape")

    def _changes_size(self) -> bool:
        if self.variant not in VARIANTS:
            raise ValueError(f"variant must be one of {VARIANTS}, got {self.variant!r}.")
        return self.variant in ("size", "size and shape", "all")
