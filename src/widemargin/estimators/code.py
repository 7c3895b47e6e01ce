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
    votes = np.zeros((len(values), k))
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        first = values[:, column] > 0
        votes[first, i] += 1
        votes[~first, j] += 1
    return votes


def score_classes(values: NDArray[np.float64], k: int) -> NDArray[np.float64]:
    """Votes of all pairs plus the squashed sums s of their values, s / (3 (|s| + 1)), shape (n, k).

    Here, as in scikit-learn, a value of zero is a vote for the first class.
    """
    sums = np.zeros((len(values), k))
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        sums[:, i] += values[:, column]
        sums[:, j] -= values[:, column]
    return (k - 1 - count_votes(-values, k)) + sums / (3 * (np.abs(sums) + 1))


def decide(values: NDArray[np.float64], k: int, *, pairs: bool, break_ties: bool) -> NDArray[np.intp]:
    """Index of the class that each row of values speaks for: of two classes, all pairs, or one versus all."""
    if k == 2:
        return (values[:, 0] >= 0).astype(np.intp)
    if not pairs:
        return values.argmax(axis=1)
    return (score_classes(values, k) if break_ties else count_votes(values, k)).argmax(axis=1)


def compress_pairs(
    coefficients: NDArray[np.float64], labels: NDArray[np.integer], k: int
) -> NDArray[np.float64]:
    """Coefficients (n, pairs) -> (k - 1, n): a point of class c takes part in the k - 1 pairs of c only.

    Row r belongs to the pair with class r if r < c and with class r + 1 otherwise.
    """
    dual = np.zeros((k - 1, len(labels)))
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        of_i, of_j = labels == i, labels == j
        dual[j - 1, of_i] = coefficients[of_i, column]
        dual[i, of_j] = coefficients[of_j, column]
    return dual


def expand_pairs(dual: NDArray[np.float64], labels: NDArray[np.integer], k: int) -> NDArray[np.float64]:
    """The inverse of `compress_pairs`."""
    coefficients = np.zeros((len(labels), k * (k - 1) // 2))
    for column, (i, j) in enumerate(combinations(range(k), 2)):
        of_i, of_j = labels == i, labels == j
        coefficients[of_i, column] = dual[j - 1, of_i]
        coefficients[of_j, column] = dual[i, of_j]
    return coefficients
