"""Several classes by several two-class problems.

A code is a matrix M over {-1, 0, +1} with a row per class and a column per two-class problem: in column c the
points of the classes with M = +1 stand against those with M = -1, and the others stay out.
"""

from __future__ import annotations

from itertools import combinations

import numpy as np
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


def _signs(k: int) -> NDArray[np.float64]:
    """What a positive value of each pair says about each class, shape (pairs, k)."""
    return all_pairs(k).T.astype(np.float64)


def compress_pairs(
    coefficients: NDArray[np.float64], labels: NDArray[np.integer], k: int
) -> NDArray[np.float64]:
    """Coefficients (n, pairs) -> (k - 1, n): a point of class c takes part in the k - 1 pairs of c only.

    Row r belongs to the pair with class r if r < c and with class r + 1 otherwise.
    """
    dual, of = np.zeros((k - 1, len(labels))), _members(labels, k)
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        dual[j - 1, of[i]] = coefficients[of[i], column]
        dual[i, of[j]] = coefficients[of[j], column]
    return dual


def expand_pairs(dual: NDArray[np.float64], labels: NDArray[np.integer], k: int) -> NDArray[np.float64]:
    """The inverse of `compress_pairs`."""
    coefficients, of = np.zeros((len(labels), k * (k - 1) // 2)), _members(labels, k)
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        coefficients[of[i], column] = dual[j - 1, of[i]]
        coefficients[of[j], column] = dual[i, of[j]]
    return coefficients


def _members(labels: NDArray[np.integer], k: int) -> list[NDArray[np.intp]]:
    return [np.flatnonzero(labels == c) for c in range(k)]
