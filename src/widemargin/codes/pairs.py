"""Coefficients of all pairs of classes: every point takes part in a few of them only."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from .columns import pairs
from .small_codes import all_pairs


def are_all_pairs(M: NDArray[np.int8]) -> bool:
    """Whether a code is that of all pairs of more than two classes, in their order."""
    k = len(M)
    return k > 2 and M.shape[1] == k * (k - 1) // 2 and np.array_equal(M, all_pairs(k).matrix)


def compress_pairs(
    columns: Iterable[NDArray[np.float64]], labels: NDArray[np.integer], k: int
) -> NDArray[np.float64]:
    """Coefficients of n points, pair by pair -> (k - 1, n): every point takes part in k - 1 pairs only.

    Row r of a point of class c belongs to its pair with class r if r < c and with class r + 1 otherwise.
    """
    dual = np.zeros((k - 1, len(labels)))
    of = [np.flatnonzero(labels == c) for c in range(k)]
    for (i, j), column in zip(pairs(k), columns, strict=True):
        dual[j - 1, of[i]] = column[of[i]]
        dual[i, of[j]] = column[of[j]]
    return dual


def expand_pairs(dual: NDArray[np.float64], labels: NDArray[np.integer], k: int) -> sp.csr_array:
    """The inverse of `compress_pairs`, shape (n, pairs); most of it is zero."""
    ends = np.arange(len(labels) + 1) * (k - 1)
    return sp.csr_array(
        (dual.T.ravel(), _pairs_of_class(k)[labels].ravel(), ends), shape=(len(labels), k * (k - 1) // 2)
    )


def own_pairs(values: NDArray[np.float64], labels: NDArray[np.integer], k: int) -> NDArray[np.float64]:
    """Of the values of all pairs those of the pairs of each row's own class, shape (n, k - 1)."""
    return np.take_along_axis(values, _pairs_of_class(k)[labels], axis=1)


def _pairs_of_class(k: int) -> NDArray[np.int32]:
    """The pairs each class takes part in, by the other class."""
    number = np.zeros((k, k), dtype=np.int32)
    number[np.triu_indices(k, 1)] = np.arange(k * (k - 1) // 2)
    return (number + number.T)[~np.eye(k, dtype=bool)].reshape(k, k - 1)
