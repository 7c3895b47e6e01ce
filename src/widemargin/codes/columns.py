"""Columns of codes: two that are equal, or each other's negatives, pose the same problem."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, product

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.int8]
Pairs = list[tuple[int, int]]


def canonical(M: Matrix) -> Matrix:
    """The columns, negated where their first entry that is not zero is -1."""
    first = np.take_along_axis(M, (M != 0).argmax(axis=-2, keepdims=True), axis=-2)
    return np.where(first < 0, -M, M)


def keys(M: Matrix) -> list[bytes]:
    """Something for each column that is the same for equal ones."""
    return [column.tobytes() for column in np.ascontiguousarray(M.T)]


def equal_rows(M: Matrix) -> Pairs:
    """Pairs r < s of rows that are equal."""
    return _pairs_of(_places(keys(M.T)).values())


def equal_columns(M: Matrix, *, negated: bool = False) -> Pairs:
    """Pairs i < j of columns that are equal, or each other's negatives; columns of zeros are neither."""
    places = _places(keys(M))
    places.pop(bytes(len(M)), None)
    if not negated:
        return _pairs_of(places.values())
    opposite = _places(keys(-M))
    return sorted(
        (i, j) for key, found in places.items() for i in found for j in opposite.get(key, ()) if i < j
    )


def _places(keys: list[bytes]) -> dict[bytes, list[int]]:
    places: dict[bytes, list[int]] = {}
    for place, key in enumerate(keys):
        places.setdefault(key, []).append(place)
    return places


def _pairs_of(groups: Iterable[list[int]]) -> Pairs:
    return sorted(pair for group in groups for pair in combinations(group, 2))


def is_usable(M: Matrix) -> NDArray[np.bool_]:
    """Which columns have a class on either side."""
    return (M == 1).any(axis=-2) & (M == -1).any(axis=-2)


def distinct(M: Matrix) -> Matrix:
    """The usable columns, each problem once, in the order of its first column."""
    M = M[:, is_usable(M)]
    return M[:, [found[0] for found in _places(keys(canonical(M))).values()]]


def count_problems(k: int, *, zeros: bool) -> int:
    """How many different two-class problems k classes have, with or without classes that stay out."""
    return (3**k - 2 ** (k + 1) + 1) // 2 if zeros else 2 ** (k - 1) - 1


def all_problems(k: int, *, zeros: bool) -> Matrix:
    """All of them; the first class that takes part is on the positive side."""
    entries = (1, 0, -1) if zeros else (1, -1)
    columns = np.array(list(product(entries, repeat=k)), dtype=np.int8).T
    return columns[:, is_usable(columns) & (canonical(columns) == columns).all(axis=0)]


def pairs(k: int) -> list[tuple[int, int]]:
    """(0, 1), (0, 2), ..., (k - 2, k - 1)."""
    return list(combinations(range(k), 2))
