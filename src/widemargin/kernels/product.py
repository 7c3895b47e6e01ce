"""The product of two kernels."""

from typing import Any

import numpy as np

from .. import _core
from .combination import Combination


class Product(Combination):
    """k(x, z) = left(x, z) right(x, z), written ``left * right``: all products of a feature of each.

    Parameters
    ----------
    left, right : Kernel

    Examples
    --------
    >>> from widemargin.kernels import Linear
    >>> (Linear() * Linear()).gram([[1.0, 2.0]], [[3.0, 4.0]])
    array([[121.]])
    """

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return _core.product(self.left.bind(X, Y), self.right.bind(X, Y))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        by_left = self.left.contract(X, Y, W * self.right.gram(X, Y))
        return np.concatenate([by_left, self.right.contract(X, Y, W * self.left.gram(X, Y))])

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        by_left = self.left.contract_diagonal(X, w * self.right.diagonal(X))
        return np.concatenate([by_left, self.right.contract_diagonal(X, w * self.left.diagonal(X))])
