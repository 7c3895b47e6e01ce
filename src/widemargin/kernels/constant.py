"""The constant kernel."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel
from .points import count
from .validate import positive


class Constant(Kernel):
    """k(x, z) = value, one feature that is the same for all points; added to a kernel it stands for a bias.

    Parameters
    ----------
    value : float, default=1.0
        Positive.

    Examples
    --------
    >>> from widemargin.kernels import Constant, Linear
    >>> Linear() + 1.0 == Linear() + Constant(1.0)
    True
    """

    _log_parameters = ("value",)

    def __init__(self, value: float = 1.0):
        self.value = value

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return _core.constant(count(X), count(X if Y is None else Y), positive("value", self.value))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return np.array([self.value * W.sum()])

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return np.array([self.value * np.sum(w)])
