"""Probabilities of classes that make those of the columns most likely."""

from __future__ import annotations

import numpy as np

from .coupling import Coupling, inside
from .decoding import Matrix, Values, need_pairs

TOLERANCE, MOST_STEPS = 1e-9, 10_000
"""A step that changes no probability by more than this share is the last."""


class BradleyTerry(Coupling):
    """The generalised Bradley-Terry model, for every code: p minimises

        - sum_j [ r_j log(p+_j / p_j) + (1 - r_j) log(p-_j / p_j) ],

    with p+_j and p-_j the sums of p over the two sides of column j and p_j = p+_j + p-_j. Steps of

        p_r <- p_r ( sum_{M_rj = +1} r_j / p+_j + sum_{M_rj = -1} (1 - r_j) / p-_j ) / sum_{M_rj != 0} 1 / p_j

    lower it each time.

    References
    ----------
    Huang, Weng and Lin, Generalized Bradley-Terry models and multi-class probability estimates, JMLR 7, 2006.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import BradleyTerry, complete
    >>> M, p = complete(3).matrix, np.array([0.5, 0.3, 0.2])
    >>> BradleyTerry().probabilities([p @ (M == 1)], M).round(4)
    array([[0.5, 0.3, 0.2]])
    """

    def _couple(self, r: Values, M: Matrix) -> Values:
        r = inside(r)
        plus, minus = (M == +1).astype(np.float64), (M == -1).astype(np.float64)
        P = np.full((len(r), len(M)), 1 / len(M))
        moving = np.arange(len(r))
        for _ in range(MOST_STEPS):
            p, q = P[moving], r[moving]
            up, down = p @ plus, p @ minus
            gain = (q / up) @ plus.T + ((1 - q) / down) @ minus.T
            step = p * gain / ((1 / (up + down)) @ (plus + minus).T)
            step /= step.sum(axis=1, keepdims=True)
            P[moving] = step
            moving = moving[(np.abs(step - p) > TOLERANCE * step).any(axis=1)]
            if not moving.size:
                break
        return P


class HastieTibshirani(BradleyTerry):
    """The coupling of Hastie and Tibshirani, the Bradley-Terry model of all pairs.

    p minimises the Kullback-Leibler distances of r_ij and p_i / (p_i + p_j), all pairs counted alike.

    References
    ----------
    Hastie and Tibshirani, Classification by pairwise coupling, Annals of Statistics 26, 1998.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import HastieTibshirani, all_pairs
    >>> HastieTibshirani().probabilities([[0.6, 0.7, 0.6]], all_pairs(3).matrix).round(3)
    array([[0.478, 0.315, 0.207]])
    """

    def check(self, M: Matrix) -> None:
        need_pairs(self, M)
