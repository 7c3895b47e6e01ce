"""Codes that are written down at once."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from .code import Code
from .columns import all_problems, count_problems, pairs

MOST_COMPLETE = 16
"""Classes of the largest complete code, which has 32,767 columns."""


def two_classes() -> Code:
    """A single problem in which positive values speak for the second class, as everywhere in scikit-learn.

    Examples
    --------
    >>> from widemargin.codes import two_classes
    >>> two_classes().matrix.tolist()
    [[-1], [1]]
    """
    return Code(np.array([[-1], [+1]]), "two classes")


def one_vs_all(k: int) -> Code:
    """One problem per class against all others: k columns, row separation 2.

    Examples
    --------
    >>> from widemargin.codes import one_vs_all
    >>> one_vs_all(3).matrix.tolist()
    [[1, -1, -1], [-1, 1, -1], [-1, -1, 1]]
    """
    if several(k) == 2:
        return two_classes()
    return Code(2 * np.eye(k, dtype=np.int8) - np.int8(1), "one-vs-all")


@lru_cache
def all_pairs(k: int) -> Code:
    """One problem per pair (i, j), i < j, in which positive values speak for class i: k (k - 1) / 2 columns.

    Examples
    --------
    >>> from widemargin.codes import all_pairs
    >>> all_pairs(3).matrix.tolist()
    [[1, 1, 0], [-1, 0, 1], [0, -1, -1]]
    """
    if several(k) == 2:
        return two_classes()
    M = np.zeros((k, k * (k - 1) // 2), dtype=np.int8)
    for column, (i, j) in enumerate(pairs(k)):
        M[i, column], M[j, column] = +1, -1
    return Code(M, "all-pairs")


def complete(k: int) -> Code:
    """Every way to split the classes in two, once: 2^(k-1) - 1 columns, any two rows 2^(k-2) apart.

    Also called exhaustive; for up to 16 classes.

    Examples
    --------
    >>> from widemargin.codes import complete
    >>> complete(3).matrix.tolist()
    [[1, 1, 1], [1, -1, -1], [-1, 1, -1]]
    """
    if several(k) == 2:
        return two_classes()
    if k > MOST_COMPLETE:
        raise ValueError(
            f"the complete code of {k} classes has {count_problems(k, zeros=False):,} columns: take "
            "'dense-random' or 'bch', which have a good choice of them."
        )
    return Code(all_problems(k, zeros=False), "complete")


def several(k: int) -> int:
    """k itself; a ValueError unless there are at least two classes."""
    if k < 2:
        raise ValueError(f"a code needs at least 2 classes, not {k}.")
    return int(k)
