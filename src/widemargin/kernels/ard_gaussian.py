"""The Gaussian kernel with a width for each feature."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from .gaussian import Gaussian
from .points import as_vectors
from .stationary import StationaryKernel


class ARDGaussian(StationaryKernel):
    """k(x, z) = exp(-sum_d gamma_d (x_d - z_d)^2), the radial Gaussian after scaling each feature by sqrt(gamma_d).

    Automatic relevance determination: a feature whose gamma_d goes to zero no longer matters. Data of less than
    double precision are scaled in single precision.

    Parameters
    ----------
    gamma : float or array of shape (n_features,), default=1.0
        Positive. A single number serves all features and stays a single parameter in `theta`.

    Examples
    --------
    >>> from widemargin.kernels import ARDGaussian
    >>> ARDGaussian(gamma=[0.5, 2.0]).gram([[0.0, 0.0]], [[1.0, 0.0], [0.0, 1.0]]).round(4)
    array([[0.6065, 0.1353]])
    """

    _log_parameters = ("gamma",)
    is_universal = True

    def __init__(self, gamma: Any = 1.0):
        self.gamma = gamma

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        X = as_vectors(X)
        Y = None if Y is None else as_vectors(Y)
        self._check_length(X)
        centre = _centre(X)
        return Gaussian(1.0).bind(self._scale(X, centre), None if Y is None else self._scale(Y, centre))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        squares = squared_differences(as_vectors(X), as_vectors(Y), W * self.gram(X, Y))
        by_feature = -self._checked("gamma") * squares
        return by_feature.sum(keepdims=True) if np.ndim(self.gamma) == 0 else by_feature

    def _scale(self, X: Any, centre: np.ndarray) -> Any:
        precision = np.float64 if X.dtype == np.float64 else np.float32
        scale = np.sqrt(np.broadcast_to(self._checked("gamma"), X.shape[1])).astype(precision)
        if sp.issparse(X):
            return type(X)((X.data * scale[X.indices], X.indices, X.indptr), shape=X.shape)
        return (X - centre.astype(precision)) * scale

    def _checked(self, name: str) -> Any:
        gamma = np.asarray(self.gamma, dtype=np.float64)
        if gamma.ndim > 1 or not np.all(np.isfinite(gamma) & (gamma > 0)):
            raise ValueError("gamma must be a positive finite number or a vector of them, one per feature.")
        return gamma

    def _check_length(self, X: Any) -> None:
        gamma = self._checked("gamma")
        if gamma.ndim == 1 and gamma.size != X.shape[1]:
            raise ValueError(f"gamma has {gamma.size} entries, but X has {X.shape[1]} features.")


def squared_differences(X: Any, Y: Any, V: np.ndarray) -> np.ndarray:
    """Return sum_ij V_ij (x_id - y_jd)^2 for each feature d."""
    X, Y = moved_together(X, Y)
    mixed = np.ravel((X.multiply(V @ Y) if sp.issparse(X) else X * (V @ Y)).sum(axis=0))
    return V.sum(axis=1) @ _squared(X) + V.sum(axis=0) @ _squared(Y) - 2 * mixed


def moved_together(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return both in double precision; dense data moved to the mean of `Y`, lest squares cancel far from it."""
    if sp.issparse(X) or sp.issparse(Y):
        return sp.csr_array(X, dtype=np.float64), sp.csr_array(Y, dtype=np.float64)
    centre = _centre(Y)
    return X - centre, Y - centre


def _centre(X: Any) -> np.ndarray:
    return np.zeros(X.shape[1]) if sp.issparse(X) else X.mean(axis=0, dtype=np.float64)


def _squared(X: Any) -> Any:
    return X.multiply(X) if sp.issparse(X) else X * X
