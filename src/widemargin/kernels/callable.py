"""A kernel given by a Python function."""

from typing import Any

import numpy as np

from .. import _core
from .kernel import Kernel
from .points import count, take


class Callable(Kernel):
    """k(A, B) = function(A, B), any Python function from two collections of points to their kernel matrix.

    Points may be anything: rows of an array or of a sparse matrix, or the items of a sequence (strings,
    graphs). The function is asked for a few rows at a time and never for the whole matrix. There are no
    parameters in `theta`.

    Parameters
    ----------
    function : callable
        ``function(A, B)`` returns an array of shape ``(len(A), len(B))``. It gets rows of arrays as arrays,
        items of other sequences as lists.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Callable
    >>> def shared_letters(A, B):
    ...     return np.array([[len(set(a) & set(b)) for b in B] for a in A])
    >>> Callable(shared_letters).gram(["wide", "margin"], ["dim"])
    array([[2.],
           [2.]])
    """

    is_psd = False  # nobody has promised

    def __init__(self, function: Any):
        self.function = function

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        if not callable(self.function):
            raise ValueError(f"function must be callable, got {self.function!r}.")
        Y = X if Y is None else Y

        def block(which: np.ndarray, columns: np.ndarray) -> np.ndarray:
            all_columns = columns.size == count(Y) and np.array_equal(columns, np.arange(columns.size))
            entries = self.function(take(X, which), Y if all_columns else take(Y, columns))
            return np.ascontiguousarray(entries, dtype=np.float64)

        return _core.callback(block, count(X), count(Y))
