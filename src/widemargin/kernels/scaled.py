"""A kernel times a positive number."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel
from .validate import positive


class Scaled(Kernel):
    """k(x, z) = factor * kernel(x, z), written ``factor * kernel``.

    Parameters
    ----------
    factor : float
        Positive.
    kernel : Kernel

    Examples
    --------
    >>> from widemargin.kernels import Linear
    >>> (0.5 * Linear()).gram([[1.0, 2.0]], [[3.0, 4.0]])
    array([[5.5]])
    """

    _log_parameters = ("factor",)
    _parts = ("kernel",)

    def __init__(self, factor: float, kernel: Kernel):
        self.factor = factor
        self.kernel = kernel

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.kernel.is_psd

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        return _core.scaled(positive("factor", self.factor), self.kernel.bind(X, Y))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        by_factor = self.factor * np.sum(W * self.kernel.gram(X, Y))
        return np.concatenate([[by_factor], self.factor * self.kernel.contract(X, Y, W)])

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        by_factor = self.factor * np.sum(w * self.kernel.diagonal(X))
        return np.concatenate([[by_factor], self.factor * self.kernel.contract_diagonal(X, w)])
