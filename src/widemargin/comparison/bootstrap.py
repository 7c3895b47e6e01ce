"""How much better one of two classifiers is, give or take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from .labels import read_labels


@dataclass(frozen=True)
class BootstrapDifference:
    """The error of one classifier minus that of another, with an interval.

    Parameters
    ----------
    difference : float
        Positive if the first makes more errors.
    low, high : float
        Ends of the interval.
    level : float
        The share of resampled differences within.
    """

    difference: float
    low: float
    high: float
    level: float


def bootstrap_difference(
    y: ArrayLike,
    a: ArrayLike,
    b: ArrayLike,
    *,
    level: float = 0.95,
    draws: int = 10_000,
    random_state: Any = 0,
) -> BootstrapDifference:
    """The error of a minus that of b, with a percentile interval over samples of the points with repetition.

    A point adds 1/n where only a is wrong, -1/n where only b is, else nothing. Hence a resampled
    difference is (M_a - M_b) / n with M multinomial with the shares of the three kinds of points, and
    is drawn as such: the cost does not grow with n.

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes.
    a, b : array-like of shape (n,)
        What each of the classifiers predicts for the same points.
    level : float, default=0.95
        Between 0 and 1.
    draws : int, default=10000
        Resampled differences.
    random_state : int, RandomState instance or None, default=0

    Returns
    -------
    interval : BootstrapDifference

    References
    ----------
    Efron and Tibshirani, An Introduction to the Bootstrap, Chapman and Hall 1993, chapter 13.

    Examples
    --------
    >>> from widemargin.comparison import bootstrap_difference
    >>> y = [0, 1] * 50
    >>> interval = bootstrap_difference(y, [0] * 20 + y[20:], y)
    >>> interval.difference, interval.low < 0.1 < interval.high
    (0.1, True)
    """
    classes, first, second = read_labels(y=y, a=a, b=b)
    if not 0 < level < 1:
        raise ValueError(f"level must lie between 0 and 1, not be {level}.")
    if draws < 1:
        raise ValueError(f"draws must be at least 1, not {draws}.")
    wrong_a, wrong_b = first != classes, second != classes
    n = classes.size
    only_a = int(np.count_nonzero(wrong_a & ~wrong_b))
    only_b = int(np.count_nonzero(wrong_b & ~wrong_a))
    shares = np.array([only_a, only_b, n - only_a - only_b]) / n
    M = check_random_state(random_state).multinomial(n, shares, size=draws)
    low, high = np.quantile((M[:, 0] - M[:, 1]) / n, [(1 - level) / 2, (1 + level) / 2])
    return BootstrapDifference((only_a - only_b) / n, float(low), float(high), float(level))
