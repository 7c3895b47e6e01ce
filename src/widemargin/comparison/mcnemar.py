"""Whether one of two classifiers is better, on the points where only one is wrong."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from .labels import read_labels


@dataclass(frozen=True)
class McNemar:
    """McNemar's test of two classifiers.

    Parameters
    ----------
    only_first, only_second : int
        Points on which only the first, or only the second, is wrong.
    p_value : float
        Of the exact binomial test.
    chi_square, chi_square_p_value : float
        The statistic with continuity correction, and its p-value for one degree of freedom.
    """

    only_first: int
    only_second: int
    p_value: float
    chi_square: float
    chi_square_p_value: float


def mcnemar(y: ArrayLike, a: ArrayLike, b: ArrayLike) -> McNemar:
    """Do two classifiers have the same error? McNemar's test, from predictions for the same points.

    Points on which both are right, or both wrong, say nothing. Of the m = n_a + n_b others, n_a wrong by a
    only and n_b by b only, equally good classifiers have each with probability 1/2:

        exact        p = min(1, 2 P(B <= min(n_a, n_b))),  B binomial with m trials
        chi-square   (max(0, |n_a - n_b| - 1))^2 / m,  one degree of freedom

    The exact value is right for every m; the other is what tables have, and good for m of 25 or more.

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes.
    a, b : array-like of shape (n,)
        What each of the classifiers predicts.

    Returns
    -------
    test : McNemar

    References
    ----------
    McNemar, Note on the sampling error of the difference between correlated proportions or percentages,
    Psychometrika 12, 1947.
    Dietterich, Approximate statistical tests for comparing supervised classification learning algorithms,
    Neural Computation 10, 1998.

    Examples
    --------
    >>> from widemargin.comparison import mcnemar
    >>> test = mcnemar([0, 1, 1, 0, 1, 0], [0, 1, 1, 0, 1, 1], [1, 0, 0, 1, 0, 0])
    >>> test.only_first, test.only_second, test.p_value
    (1, 5, 0.21875)
    >>> round(test.chi_square, 2)
    1.5
    """
    classes, first, second = read_labels(y=y, a=a, b=b)
    n_a = int(np.count_nonzero((first != classes) & (second == classes)))
    n_b = int(np.count_nonzero((first == classes) & (second != classes)))
    m = n_a + n_b
    statistic = max(0, abs(n_a - n_b) - 1) ** 2 / m if m else 0.0
    return McNemar(
        only_first=n_a,
        only_second=n_b,
        p_value=min(1.0, 2 * float(stats.binom.cdf(min(n_a, n_b), m, 0.5))) if m else 1.0,
        chi_square=statistic,
        chi_square_p_value=float(stats.chi2.sf(statistic, 1)),
    )
