"""How far a function of independent variables strays from its mean: the steps behind bounds on the risk."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.checks import finite_vector, not_negative, probability


def mcdiarmid_tail(epsilon: float, c: ArrayLike) -> float:
    """A function of independent variables exceeds its mean by epsilon with no larger probability:

        P(g - E g >= epsilon) <= exp(-2 epsilon^2 / sum_i c_i^2),

    if no change of the i-th variable changes it by more than c_i.

    Parameters
    ----------
    epsilon : float
    c : array-like of shape (n,)
        Not negative.

    Returns
    -------
    probability : float

    References
    ----------
    McDiarmid, On the method of bounded differences, 1989.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> n = 1000  # the mean of n numbers between 0 and 1
    >>> round(wm.bounds.mcdiarmid_tail(0.05, np.full(n, 1 / n)), 4)
    0.0067
    """
    squares = _squares(c, "c")
    epsilon = not_negative(epsilon, "epsilon")
    return float(np.exp(-2 * epsilon**2 / squares)) if squares > 0 else float(epsilon == 0)


def mcdiarmid_width(delta: float, c: ArrayLike) -> float:
    """The epsilon that is exceeded with a probability of at most delta: sqrt(sum_i c_i^2 log(1/delta) / 2).

    Parameters
    ----------
    delta : float
    c : array-like of shape (n,)
        As in :func:`mcdiarmid_tail`, whose inverse this is.

    Returns
    -------
    epsilon : float

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> round(wm.bounds.mcdiarmid_width(0.05, np.full(1000, 1 / 1000)), 4)
    0.0387
    """
    return float(np.sqrt(_squares(c, "c") * -np.log(probability(delta)) / 2))


def hoeffding_tail(epsilon: float, low: ArrayLike, high: ArrayLike) -> float:
    """The sum of independent variables between bounds is off by epsilon with no larger probability:

        P(|sum_i X_i - E sum_i X_i| >= epsilon) <= 2 exp(-2 epsilon^2 / sum_i (high_i - low_i)^2).

    Parameters
    ----------
    epsilon : float
    low, high : array-like of shape (n,)
        Bounds of each variable.

    Returns
    -------
    probability : float
        At most 1.

    References
    ----------
    Hoeffding, Probability inequalities for sums of bounded random variables, JASA 58, 1963.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> n = 1000
    >>> round(wm.bounds.hoeffding_tail(50.0, np.zeros(n), np.ones(n)), 4)
    0.0135
    """
    below = finite_vector(low, "low")
    above = finite_vector(high, "high", below.size)
    if (above < below).any():
        raise ValueError(f"high must not be less than low, but it is at {int(np.argmax(above < below))}.")
    return min(1.0, 2 * mcdiarmid_tail(epsilon, above - below))


def _squares(c: ArrayLike, name: str) -> float:
    vector = finite_vector(c, name)
    if (vector < 0).any():
        raise ValueError(f"{name} must not be negative, but {name}[{int(np.argmax(vector < 0))}] is.")
    return float(vector @ vector)
