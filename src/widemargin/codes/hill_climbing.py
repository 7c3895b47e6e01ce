"""Codes improved step by step."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .code import Code
from .columns import count_problems, is_usable
from .random_codes import column_count, dense_random
from .small_codes import complete, several, two_classes

BITS = np.array(list(product((-1, 1), repeat=4)), dtype=np.int8).reshape(-1, 2, 2)
"""All settings of the entries that two rows and two columns have in common."""


def hill_climbing(
    k: int, n_columns: int | None = None, *, max_failures: int = 50, random_state: Any = None
) -> Code:
    """A code without zeros whose rows and columns are pulled apart.

    From a random code, the two nearest rows and the two nearest columns (or those nearest to being each
    other's negatives) are taken; of all 16 settings of the four entries they share the one with the largest
    sum of row and column separation is kept, and of several such the one with the fewest pairs at that
    distance. Where it is no improvement another near pair is drawn; `max_failures` of them in a row are the
    end.

    Parameters
    ----------
    k : int
        Classes.
    n_columns : int, optional
        10 log2 k if not given, rounded up; never more than there are problems.
    max_failures : int, default=50
    random_state : int, RandomState instance or None, default=None

    References
    ----------
    Dietterich and Bakiri, Solving multiclass learning problems via error-correcting output codes, JAIR 2,
    1995.

    Examples
    --------
    >>> from widemargin.codes import dense_random, hill_climbing
    >>> before, after = dense_random(12, 15, draws=1, random_state=0), hill_climbing(12, 15, random_state=0)
    >>> before.row_separation + before.column_separation < after.row_separation + after.column_separation
    True
    """
    if several(k) == 2:
        return two_classes()
    F = column_count(k, n_columns, 10, zeros=False)
    if count_problems(k, zeros=False) == F:
        return Code(complete(k).matrix, "hill-climbing")
    random = check_random_state(random_state)
    M = dense_random(k, F, draws=1, random_state=random).matrix.copy()
    height, failures = _height(M), 0
    while failures < max_failures:
        neighbours = _neighbours(M, random)
        heights = [_height(each) for each in neighbours]
        best = max(range(len(heights)), key=heights.__getitem__)
        if heights[best] > height:
            M, height, failures = neighbours[best], heights[best], 0
        else:
            failures += 1
    return Code(M, "hill-climbing")


def _neighbours(M: NDArray[np.int8], random: np.random.RandomState) -> list[NDArray[np.int8]]:
    """The code with all settings of what two near rows and two near columns share."""
    rows, columns = _near_pair(_row_products(M), random), _near_pair(_likeness(M), random)
    neighbours = []
    for bits in BITS:
        neighbour = M.copy()
        neighbour[np.ix_(rows, columns)] = bits
        neighbours.append(neighbour)
    return neighbours


def _row_products(M: NDArray[np.int8]) -> NDArray[np.int64]:
    """How much any two rows agree."""
    rows = M.astype(np.int64)
    return rows @ rows.T


def _likeness(M: NDArray[np.int8]) -> NDArray[np.int64]:
    """How much any two columns agree, or disagree, which is the same problem."""
    return np.abs(_row_products(M.T))


def _near_pair(likeness: NDArray[np.int64], random: np.random.RandomState) -> tuple[int, int]:
    """One of the pairs that are most alike."""
    i, j = np.triu_indices(len(likeness), 1)
    nearest = np.flatnonzero(likeness[i, j] == likeness[i, j].max())
    chosen = random.choice(nearest)
    return int(i[chosen]), int(j[chosen])


def _height(M: NDArray[np.int8]) -> tuple[float, int]:
    """Sum of row and column separation, and minus the number of pairs at these distances."""
    if not is_usable(M).all():
        return -np.inf, 0
    between_rows, between_columns = _row_products(M), _likeness(M)
    alike = [matrix[np.triu_indices(len(matrix), 1)] for matrix in (between_rows, between_columns)]
    separation = (sum(M.shape) - sum(each.max() for each in alike)) / 2
    return float(separation), -int(sum((each == each.max()).sum() for each in alike))
