"""Several classes by several two-class problems.

A code is a matrix M over {-1, 0, +1} with a row per class and a column per two-class problem: in column c the
points of the classes with M = +1 stand against those with M = -1, and the others stay out.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Code = NDArray[np.int8]


def two_classes() -> Code:
    """A single problem in which positive values speak for the second class, as everywhere in scikit-learn."""
    return np.array([[-1], [+1]], dtype=np.int8)


def all_pairs(k: int) -> Code:
    """One problem per pair (i, j), i < j, in which positive values speak for class i."""
    M = np.zeros((k, k * (k - 1) // 2), dtype=np.int8)
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        M[i, column], M[j, column] = +1, -1
    return M


def one_vs_all(k: int) -> Code:
    """One problem per class against all others."""
    return 2 * np.eye(k, dtype=np.int8) - np.int8(1)


def count_votes(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Votes of all pairs for each class, shape (n, k); a value of zero is a vote for the second class."""
    return (values > 0) @ _signs(k) + np.arange(k)  # class c is the second of c pairs


def score_classes(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Votes of all pairs plus the squashed sums s of their values, s / (3 (|s| + 1)), shape (n, k).

    Here, as in scikit-learn, a value of zero is a vote for the first class.
    """
    sums = values @ _signs(k)
    return (k - 1 - count_votes(-values, k)) + sums / (3 * (np.abs(sums) + 1))


def decide(values: NDArray[np.float64], k: int, *, pairs: bool, break_ties: bool) -> NDArray[np.intp]:
    """Index of the class that each row of values speaks for: of two classes, all pairs, or one versus all."""
    if k == 2:
        return (values[:, 0] >= 0).astype(np.intp)
    if not pairs:
        return values.argmax(axis=1)
    return (score_classes(values, k) if break_ties else count_votes(values, k)).argmax(axis=1)


def _signs(k: int) -> NDArray[np.float64]:
    """What a positive value of each pair says about each class, shape (pairs, k)."""
    return all_pairs(k).T.astype(np.float64)


def compress_pairs(
    columns: Iterable[NDArray[np.float64]], labels: NDArray[np.integer], k: int
) -> NDArray[np.float64]:
    """Coefficients of n points, pair by pair -> (k - 1, n): every point takes part in k - 1 pairs only.

    Row r of a point of class c belongs to its pair with class r if r < c and with class r + 1 otherwise.
    """
    dual = np.zeros((k - 1, len(labels)))
    of = [np.flatnonzero(labels == c) for c in range(k)]
    for (i, j), column in zip(combinations(range(k), 2), columns, strict=True):
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
