"""The sum of two kernels."""

from typing import Any

import numpy as np

from .. import _core
from .combination import Combination


class Sum(Combination):
    """k(x, z) = left(x, z) + right(x, z), written ``left + right``: the features of both, side by side.

    Parameters
    ----------
    left, right : Kernel

    Examples
    --------
    >>> from widemargin.kernels import Gaussian, Linear
    >>> Gaussian() + 0.1 * Linear()
    Sum(left=Gaussian(), right=Scaled(factor=0.1, kernel=Linear()))
    """

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return _core.sum(self.left.bind(X, Y), self.right.bind(X, Y))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return np.concatenate([self.left.contract(X, Y, W), self.right.contract(X, Y, W)])

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return np.concatenate([self.left.contract_diagonal(X, w), self.right.contract_diagonal(X, w)])
