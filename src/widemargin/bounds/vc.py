"""Bounds by the Vapnik-Chervonenkis dimension."""

from __future__ import annotations

import numpy as np

from widemargin.bounds.checks import not_negative, number_of_points, positive, probability


def vc_dimension(radius: float, margin: float, dimension: int | None = None) -> int:
    """The VC dimension of hyperplanes with margin rho on points in a ball of radius R is at most

        min(ceil(R^2 / rho^2), d) + 1.

    Parameters
    ----------
    radius, margin : float
        R and rho; both fixed before looking at the data.
    dimension : int or None, default=None
        d, of the feature space; None if it is infinite.

    Returns
    -------
    h : int

    References
    ----------
    Vapnik, Statistical Learning Theory, 1998.

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.vc_dimension(1.0, 0.25), wm.bounds.vc_dimension(1.0, 0.25, dimension=3)
    (17, 4)
    """
    h = int(np.ceil((not_negative(radius, "radius") / positive(margin, "margin")) ** 2))
    return 1 + (h if dimension is None else min(h, number_of_points(dimension, "dimension")))


def vc_bound(empirical_risk: float, n: int, h: int, delta: float = 0.05) -> float:
    """The risk of every classifier of a class is, with probability 1 - delta, at most

        risk_S + sqrt((h (ln(2n/h) + 1) + ln(4/delta)) / n).

    Parameters
    ----------
    empirical_risk : float
        Share of errors on the n points.
    n : int
        Points, drawn independently; more than h.
    h : int
        VC dimension of the class.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Vapnik, The Nature of Statistical Learning Theory, 1995.

    Examples
    --------
    >>> import widemargin as wm
    >>> round(wm.bounds.vc_bound(0.05, n=10_000, h=10), 4)
    0.1451
    """
    risk, n, h = not_negative(empirical_risk, "empirical_risk"), number_of_points(n), number_of_points(h, "h")
    if risk > 1:
        raise ValueError(f"empirical_risk must be a share of errors, at most 1; got {empirical_risk!r}.")
    if n <= h:
        raise ValueError(f"the bound needs more points than the VC dimension; got n={n} and h={h}.")
    return risk + float(np.sqrt((h * (np.log(2 * n / h) + 1) + np.log(4 / probability(delta))) / n))
