"""The Gaussian kernel with a width for each feature."""

from typing import Any

import numpy as np
import scipy.sparse as sp

from .. import _core
from .points import as_vectors
from .stationary import StationaryKernel


class ARDGaussian(StationaryKernel):
    """k(x, z) = exp(-sum_d gamma_d (x_d - z_d)^2), the Gaussian after scaling each feature by sqrt(gamma_d).

    Automatic relevance determination: a feature whose gamma_d goes to zero no longer matters.

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

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        gamma = self._checked("gamma")
        if gamma.ndim == 1 and gamma.size != x.shape[1]:
            raise ValueError(f"gamma has {gamma.size} entries, but X has {x.shape[1]} features.")
        return _core.weighted_gaussian(x, y, np.ascontiguousarray(np.broadcast_to(gamma, x.shape[1])))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return self._contract_known_rows(X, Y, W, self.gram(X, Y))

    def _contract_known_rows(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray) -> np.ndarray:
        squares = squared_differences(as_vectors(X), as_vectors(Y), W * K)
        by_feature = -self._checked("gamma") * squares
        return by_feature.sum(keepdims=True) if np.ndim(self.gamma) == 0 else by_feature

    def derivative(self, X: Any, Y: Any, c: np.ndarray) -> np.ndarray:
        if sp.issparse(X) or sp.issparse(Y):
            return super().derivative(X, Y, c)
        V = self.gram(X, Y) * c
        X, Y = moved_together(as_vectors(X), as_vectors(Y))
        squares = V.sum(axis=1)[:, None] * X**2 - 2 * X * (V @ Y) + V @ Y**2
        by_feature = -self._checked("gamma") * squares
        return by_feature.sum(axis=1, keepdims=True) if np.ndim(self.gamma) == 0 else by_feature

    def _checked(self, name: str) -> Any:
        gamma = np.asarray(self.gamma, dtype=np.float64)
        if gamma.ndim > 1 or not np.all(np.isfinite(gamma) & (gamma > 0)):
            raise ValueError("gamma must be a positive finite number or a vector of them, one per feature.")
        return gamma


def squared_differences(X: Any, Y: Any, V: np.ndarray) -> np.ndarray:
    """Return sum_ij V_ij (x_id - y_jd)^2 for each feature d."""
    X, Y = moved_together(X, Y)
    mixed = np.ravel((X.multiply(V @ Y) if sp.issparse(X) else X * (V @ Y)).sum(axis=0))
    return V.sum(axis=1) @ _squared(X) + V.sum(axis=0) @ _squared(Y) - 2 * mixed


def moved_together(X: Any, Y: Any) -> tuple[Any, Any]:
    """Return both in double precision; dense data moved to the mean of `Y`, lest their squares cancel."""
    if sp.issparse(X) or sp.issparse(Y):
        return sp.csr_array(X, dtype=np.float64), sp.csr_array(Y, dtype=np.float64)
    centre = Y.mean(axis=0, dtype=np.float64)
    return X - centre, Y - centre


def _squared(X: Any) -> Any:
    return X.multiply(X) if sp.issparse(X) else X * X
