"""Random codes: the best of many draws."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import check_random_state

from .code import Code
from .columns import all_problems, canonical, count_problems, is_usable
from .small_codes import several, two_classes

Codes = NDArray[np.int8]
"""Several codes, shape (draws, k, columns)."""

DRAWS = 10_000
"""Codes drawn, of which the one with the largest row separation is kept."""

MOST_WORK, FEWEST_DRAWS = 2**32, 100
"""Multiplications for their row distances: many classes are drawn less often, but this often at least."""

BATCH_ENTRIES = 2**22
"""Entries of codes, or of choices among columns, that are held at a time."""

LISTED = 4096
"""Up to this many problems are listed and drawn from; of more, draws repeat one seldom enough."""


def dense_random(
    k: int, n_columns: int | None = None, *, draws: int = DRAWS, random_state: Any = None
) -> Code:
    """A code without zeros whose entries are -1 or +1 with equal probability.

    Of many draws the one with the largest row separation is kept. No problem occurs twice, so that up to five
    classes give the complete code.

    Parameters
    ----------
    k : int
        Classes.
    n_columns : int, optional
        10 log2 k if not given, rounded up; never more than there are problems.
    draws : int, default=10000
        Fewer for more than 85 classes, where so many would take long; 100 at least.
    random_state : int, RandomState instance or None, default=None

    References
    ----------
    Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1, 2000.

    Examples
    --------
    >>> from widemargin.codes import dense_random
    >>> code = dense_random(6, random_state=0)
    >>> code.n_columns, code.row_separation
    (26, 14.0)
    """
    return _best_of(draws, k, n_columns, 10, zeros=False, random_state=random_state)


def sparse_random(
    k: int, n_columns: int | None = None, *, draws: int = DRAWS, random_state: Any = None
) -> Code:
    """A code whose entries are 0 with probability 1/2, and -1 or +1 with 1/4 each.

    As for `dense_random` the best of many draws is kept; all its rows and columns can be used, and no problem
    occurs twice. (Allwein et al. allow problems to occur twice; machines learn nothing from that.)

    Parameters
    ----------
    k : int
        Classes.
    n_columns : int, optional
        15 log2 k if not given, rounded up; never more than there are problems.
    draws : int, default=10000
    random_state : int, RandomState instance or None, default=None

    Examples
    --------
    >>> from widemargin.codes import sparse_random
    >>> code = sparse_random(6, random_state=0)
    >>> code.n_columns, code.row_separation >= 18
    (39, True)
    """
    return _best_of(draws, k, n_columns, 15, zeros=True, random_state=random_state)


def column_count(k: int, n_columns: int | None, per_bit: int, *, zeros: bool) -> int:
    """How many columns a random code gets: as asked for, or by the number of classes."""
    if n_columns is not None and n_columns < np.log2(k):
        raise ValueError(f"n_columns={n_columns} is too few to tell {k} classes apart.")
    wanted = int(np.ceil(per_bit * np.log2(k))) if n_columns is None else int(n_columns)
    return min(wanted, count_problems(k, zeros=zeros))


def _best_of(
    draws: int, k: int, n_columns: int | None, per_bit: int, *, zeros: bool, random_state: Any
) -> Code:
    if several(k) == 2:
        return two_classes()
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}.")
    F = column_count(k, n_columns, per_bit, zeros=zeros)
    draws = min(draws, max(FEWEST_DRAWS, MOST_WORK // (k * k * F)))
    random = check_random_state(random_state)
    best: Any = None
    separation = -np.inf
    for codes in _draw(draws, k, F, zeros, random):
        found = _row_separations(codes)
        if found.max() > separation:
            best, separation = codes[found.argmax()], float(found.max())
    return Code(best, "sparse-random" if zeros else "dense-random")


def _draw(draws: int, k: int, F: int, zeros: bool, random: np.random.RandomState) -> Iterator[Codes]:
    """So many codes of usable and different columns, and of rows that are not all zeros."""
    listed = all_problems(k, zeros=zeros) if count_problems(k, zeros=zeros) <= LISTED else None
    left = draws
    while left > 0:
        size = max(1, min(left, BATCH_ENTRIES // (k * F if listed is None else listed.shape[1])))
        codes = (
            _independent(size, k, F, zeros, random) if listed is None else _choose(size, listed, F, random)
        )
        codes = codes[(codes != 0).any(axis=2).all(axis=1)][:left]
        left -= len(codes)
        if len(codes):
            yield codes


def _choose(size: int, listed: NDArray[np.int8], F: int, random: np.random.RandomState) -> Codes:
    """Different columns out of the list, each as likely to come next as it is to be drawn.

    Smallest first of exponential variables with these rates is a draw without repetition.
    """
    rates = 0.5 ** (listed != 0).sum(axis=0)
    waiting = random.standard_exponential((size, listed.shape[1])) / rates
    chosen = np.argpartition(waiting, F - 1, axis=1)[:, :F]
    return listed[:, chosen].transpose(1, 0, 2)


def _independent(size: int, k: int, F: int, zeros: bool, random: np.random.RandomState) -> Codes:
    """Codes of independent usable columns, without those in which one occurs twice."""
    columns, have = [], 0
    while have < size * F:
        drawn = _signs((k, size * F), random)
        if zeros:
            drawn *= random.randint(0, 2, drawn.shape, dtype=np.int8)
        columns.append(drawn[:, is_usable(drawn)])
        have += columns[-1].shape[1]
    codes = np.concatenate(columns, axis=1)[:, : size * F].reshape(k, size, F).transpose(1, 0, 2)
    # Sums with random weights tell columns apart, except with probability zero.
    keys = np.sort(np.tensordot(random.standard_normal(k), canonical(codes), (0, 1)), axis=1)
    return codes[(np.diff(keys, axis=1) > 0).all(axis=1)]


def _signs(shape: tuple[int, ...], random: np.random.RandomState) -> NDArray[np.int8]:
    return (2 * random.randint(0, 2, shape, dtype=np.int8) - 1).astype(np.int8)


def _row_separations(codes: Codes) -> NDArray[np.float64]:
    """rho of each code."""
    M = np.ascontiguousarray(codes, dtype=np.float32)
    products = M @ M.transpose(0, 2, 1)
    every = np.arange(M.shape[1])
    products[:, every, every] = -np.inf
    return (M.shape[2] - products.max(axis=(1, 2)).astype(np.float64)) / 2
