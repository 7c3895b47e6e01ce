"""The Laplacian kernel."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import whole
from .points import as_points
from .stationary import StationaryKernel
from .validate import positive


class Laplacian(StationaryKernel):
    """k(x, z) = exp(-gamma |x - z|_1), |.|_1 the sum of absolute differences.

    Parameters
    ----------
    gamma : float, default=1.0
        Positive.

    Examples
    --------
    >>> from widemargin.kernels import Laplacian
    >>> Laplacian(gamma=0.5).gram([[0.0, 0.0]], [[1.0, 1.0]]).round(4)
    array([[0.3679]])
    """

    _log_parameters = ("gamma",)
    is_universal = True

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        return _core.laplacian(x, y, positive("gamma", self.gamma))

    def bind_exponent(self, X: Any) -> _core.Gram:
        """Return the matrix |x - z|_1 on X, of which the kernel is exp(-gamma ...)."""
        x = as_points(X)
        return _core.absolute_distance(x, x)

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        exponents = self.gamma * whole(_core.absolute_distance(as_points(X), as_points(Y)))
        return -np.sum(W * exponents * np.exp(-exponents), keepdims=True).ravel()
