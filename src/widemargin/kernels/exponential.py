"""The exponential of a kernel."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel


class Exponential(Kernel):
    """k(x, z) = exp(kernel(x, z)), written ``kernel.exp()``.

    The sum of all powers of the kernel, each divided by its factorial.

    Parameters
    ----------
    kernel : Kernel
        Its values should stay well below 700, where the exponential overflows.

    Examples
    --------
    >>> from widemargin.kernels import Linear
    >>> Linear().exp().gram([[1.0]], [[0.5]]).round(4)
    array([[1.6487]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.kernel.is_psd

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return _core.exponential(self.kernel.bind(X, Y))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        return self._contract_known_rows(X, Y, W, self.gram(X, Y))

    def _contract_known_rows(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray) -> np.ndarray:
        return self.kernel.contract(X, Y, W * K)

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return self.kernel.contract_diagonal(X, w * self.diagonal(X))
