"""A kernel normalised to unit diagonal."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel
from .points import count


class Normalized(Kernel):
    """k(x, z) = kernel(x, z) / sqrt(kernel(x, x) kernel(z, z)), written ``kernel.normalized()``.

    The cosine of the angle between two points in the feature space of `kernel`.

    Parameters
    ----------
    kernel : Kernel
        kernel(x, x) must be positive for every point.

    Examples
    --------
    >>> from widemargin.kernels import Linear
    >>> Linear().normalized().gram([[3.0, 4.0]], [[1.0, 0.0]])
    array([[0.6]])
    """

    _parts = ("kernel",)

    def __init__(self, kernel: Kernel):
        self.kernel = kernel

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.kernel.is_psd

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        row_squares = self._squares(X)
        column_squares = row_squares if Y is None else self._squares(Y)
        return _core.normalized(self.kernel.bind(X, Y), row_squares, column_squares)

    def diagonal(self, X: Any) -> np.ndarray:
        self._squares(X)
        return np.ones(count(X))

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        a, b = self._squares(X), self._squares(Y)
        V = W * self.gram(X, Y)
        numerator = self.kernel.contract(X, Y, W / np.sqrt(np.outer(a, b)))
        by_rows = self.kernel.contract_diagonal(X, V.sum(axis=1) / a)
        by_columns = self.kernel.contract_diagonal(Y, V.sum(axis=0) / b)
        return numerator - (by_rows + by_columns) / 2

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        return np.zeros(self.theta.size)

    def _squares(self, X: Any) -> np.ndarray:
        """Return the squared lengths kernel(x, x)."""
        squares = self.kernel.diagonal(X)
        if not np.all(squares > 0):
            i = int(np.argmin(squares > 0))
            raise ValueError(
                f"A normalised kernel needs kernel(x, x) > 0, but it is {squares[i]:.3g} for point {i}."
            )
        return squares
