"""Probabilities of classes that make those of the columns most likely."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .coupling import Coupling, inside
from .decoding import Matrix, Values, need_pairs

TOLERANCE, MOST_STEPS = 1e-9, 200
"""Derivatives to stop at; steps that are never needed."""

LONGEST_STEP, SHORTEST_SHARE = 4.0, 1e-6
"""Of log p in a step, and the share of a step below which rounding has the last word."""


class BradleyTerry(Coupling):
    """The generalised Bradley-Terry model, for every code: p minimises

        - sum_j [ r_j log(p+_j / p_j) + (1 - r_j) log(p-_j / p_j) ],

    with p+_j and p-_j the sums of p over the two sides of column j and p_j = p+_j + p-_j. The derivative in
    log p of the term of column j is (q_j - r_j) v_j, where

        q_j = p+_j / p_j,    v_rj = p_r / p+_j if M_rj = +1,  -p_r / p-_j if M_rj = -1,  0 otherwise.

    Steps with sum_j q_j (1 - q_j) v_j v_j' for a Hessian (exact for all pairs), halved until they lower it,
    find a minimum.

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
            step, steepest = _step(P[moving], r[moving], plus, minus)
            moving, step = moving[steepest > TOLERANCE], step[steepest > TOLERANCE]
            if not moving.size:
                break
            P[moving], moved = _descend(P[moving], step, r[moving], plus, minus)
            moving = moving[moved]
        return P


def _step(p: Values, r: Values, plus: Values, minus: Values) -> tuple[Values, Values]:
    """The step of log p in each row, and the size of the derivative there."""
    up, down = p @ plus, p @ minus
    q = up / (up + down)
    v = p[:, :, None] * (plus / up[:, None] - minus / down[:, None])
    slope = (v @ (q - r)[:, :, None])[:, :, 0]
    # Only ratios of probabilities count: along a constant, the Hessian may have any curvature.
    hessian = (v * (q * (1 - q))[:, None]) @ v.transpose(0, 2, 1) + 1.0
    hessian += 1e-12 * np.eye(p.shape[1])
    step = -np.linalg.solve(hessian, slope[:, :, None])[:, :, 0]
    longest = np.abs(step).max(axis=1, keepdims=True)
    return step * np.minimum(1.0, LONGEST_STEP / np.maximum(longest, 1e-300)), np.abs(slope).max(axis=1)


def _descend(
    p: Values, step: Values, r: Values, plus: Values, minus: Values
) -> tuple[Values, NDArray[np.bool_]]:
    """The probabilities after the longest half, quarter, ... of the step that lowers the sum, if one does."""
    before, share = _sum_of_columns(p, r, plus, minus), np.ones((len(p), 1))
    while True:
        trial = p * np.exp(share * step)
        trial /= trial.sum(axis=1, keepdims=True)
        worse = _sum_of_columns(trial, r, plus, minus) >= before
        trying = worse & (share[:, 0] > SHORTEST_SHARE)
        if not trying.any():
            return np.where(worse[:, None], p, trial), ~worse
        share[trying] /= 2


def _sum_of_columns(p: Values, r: Values, plus: Values, minus: Values) -> Values:
    """What is minimised, in each row."""
    up, down = p @ plus, p @ minus
    return (np.log(up + down) - r * np.log(up) - (1 - r) * np.log(down)).sum(axis=1)


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
