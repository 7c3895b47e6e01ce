"""The sigmoid kernel."""

import numpy as np

from .. import _core
from .dot import DotKernel
from .validate import finite, positive


class Sigmoid(DotKernel):
    """k(x, z) = tanh(gamma <x, z> + coef0), the activation of a neural network; not positive semi-definite.

    Parameters
    ----------
    gamma : float, default=1.0
        Positive.
    coef0 : float, default=0.0
        Only a positive value is a parameter in `theta`, through its logarithm.

    Examples
    --------
    >>> from widemargin.kernels import Sigmoid
    >>> Sigmoid(gamma=0.5).gram([[0.0, 2.0]], [[1.0, 1.0]]).round(4)
    array([[0.7616]])
    """

    is_psd = False

    def __init__(self, gamma: float = 1.0, coef0: float = 0.0):
        self.gamma = gamma
        self.coef0 = coef0

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        return _core.sigmoid(x, y, positive("gamma", self.gamma), finite("coef0", self.coef0))

    def _slope(self, argument: np.ndarray) -> np.ndarray:
        return 1 - np.tanh(argument) ** 2
