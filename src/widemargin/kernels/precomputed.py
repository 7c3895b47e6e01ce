"""A kernel given by its matrix."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel


class Precomputed(Kernel):
    """k(x, z) = K[x, z]: the data are the kernel matrix itself.

    It has one row per point asked about and one column per training point.

    Training points are named by their column numbers: ``bind(K, columns)`` is the part of ``K`` in those
    columns. The matrix is borrowed in float32 or float64 with any strides. There are no parameters.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Precomputed
    >>> K = np.array([[1.0, 0.2, 0.3], [0.2, 1.0, 0.4]])
    >>> Precomputed().gram(K, [0, 2])
    array([[1. , 0.3],
           [0.2, 0.4]])
    """

    is_psd = False  # nobody has promised

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        K = _matrix(X)
        return _core.precomputed(K) if Y is None else _core.precomputed(K, _column_numbers(Y, K.shape[1]))

    @staticmethod
    def check_training_matrix(K: Any) -> None:
        """Raise a ValueError unless `K` is finite, square and symmetric up to rounding."""
        K = _matrix(K)
        if K.shape[0] != K.shape[1]:
            raise ValueError(
                f"A precomputed kernel matrix must be square for training, got the shape {K.shape}."
            )
        if not np.all(np.isfinite(K)):
            row, column = np.argwhere(~np.isfinite(K))[0]
            raise ValueError(f"The precomputed kernel matrix has NaN or infinity at [{row}, {column}].")
        gap = np.abs(K - K.T)
        if gap.max(initial=0) > 16 * np.finfo(K.dtype).eps ** 0.75 * np.abs(K).max(initial=0):
            row, column = np.unravel_index(np.argmax(gap), gap.shape)
            raise ValueError(
                f"The precomputed kernel matrix must be symmetric, but [{row}, {column}] and "
                f"[{column}, {row}] differ by {gap[row, column]:.3g}; pass (K + K.T) / 2 if that is rounding."
            )


def _matrix(X: Any) -> np.ndarray:
    K = np.asarray(X)
    if K.dtype not in (np.float32, np.float64):
        K = K.astype(np.float64)
    if K.ndim != 2:
        raise ValueError(f"A precomputed kernel matrix must have 2 dimensions, got {K.ndim}.")
    return K


def _column_numbers(Y: Any, columns: int) -> np.ndarray:
    numbers = np.asarray(Y)
    if numbers.ndim != 1 or not (np.issubdtype(numbers.dtype, np.integer) or numbers.size == 0):
        raise ValueError("Y must be a vector of column numbers of the precomputed kernel matrix.")
    if numbers.size and (numbers.min() < 0 or numbers.max() >= columns):
        raise ValueError(f"Y must name columns from 0 to {columns - 1} of the precomputed kernel matrix.")
    return numbers.astype(np.int32)
