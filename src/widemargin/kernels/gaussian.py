"""The radial Gaussian kernel."""

from typing import Any, Self

import numpy as np

from .. import _core
from .kernel import whole
from .points import as_points
from .stationary import StationaryKernel
from .validate import positive


class Gaussian(StationaryKernel):
    """k(x, z) = exp(-gamma |x - z|^2).

    The width convention here is gamma = 1 / (2 sigma^2), sigma being the standard deviation of the bell;
    other texts write exp(-|x - z|^2 / sigma^2). Universal on compact sets; the Gram matrix of distinct points
    has full rank.

    Parameters
    ----------
    gamma : float, default=1.0
        Positive.

    Examples
    --------
    >>> from widemargin.kernels import Gaussian
    >>> Gaussian(gamma=0.5).gram([[0.0, 0.0], [1.0, 1.0]]).round(4)
    array([[1.    , 0.3679],
           [0.3679, 1.    ]])
    """

    _log_parameters = ("gamma",)
    is_universal = True

    def __init__(self, gamma: float = 1.0):
        self.gamma = gamma

    @classmethod
    def from_sigma(cls, sigma: float) -> Self:
        """Return the Gaussian exp(-|x - z|^2 / (2 sigma^2))."""
        return cls(gamma=1 / (2 * positive("sigma", sigma) ** 2))

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        return _core.gaussian(x, y, positive("gamma", self.gamma))

    def bind_exponent(self, X: Any) -> _core.Gram:
        """Return the matrix |x - z|^2 on X, of which the kernel is exp(-gamma ...)."""
        x = as_points(X)
        return _core.squared_distance(x, x)

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        exponents = self.gamma * whole(_core.squared_distance(as_points(X), as_points(Y)))
        return -np.sum(W * exponents * np.exp(-exponents), keepdims=True).ravel()
