"""Votes of all pairs of classes."""

from __future__ import annotations

import numpy as np

from .decoding import Decoding, Matrix, Values, need_pairs


class Votes(Decoding):
    """Each pair of classes has a vote; the class with the most wins, of several the first.

    Parameters
    ----------
    break_ties : bool, default=False
        Whether the sums of the values decide between classes with equally many votes.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Votes, all_pairs
    >>> M, values = all_pairs(3).matrix, np.array([[1.0, -3.0, 2.0]])  # 0 beats 1, 2 beats 0, 1 beats 2
    >>> Votes().decide(values, M), Votes(break_ties=True).decide(values, M)
    (array([0]), array([1]))
    """

    def __init__(self, break_ties: bool = False) -> None:
        self.break_ties = break_ties

    @property
    def signs_suffice(self) -> bool:  # type: ignore[override]
        """Not to break ties."""
        return not self.break_ties

    def check(self, M: Matrix) -> None:
        need_pairs(self, M)

    def scores(self, values: Values, M: Matrix) -> Values:
        return score_classes(values, M) if self.break_ties else count_votes(values, M)


def count_votes(values: Values, M: Matrix) -> Values:
    """Votes of all pairs for each class, shape (n, k); a value of zero is a vote for the second class."""
    won = (values > 0).astype(np.float64)
    return won @ M.T + np.arange(len(M))  # class c is the second of c pairs


def score_classes(values: Values, M: Matrix) -> Values:
    """Votes of all pairs plus the squashed sums s of their values, s / (3 (|s| + 1)), shape (n, k).

    Here, as in scikit-learn, a value of zero is a vote for the first class.
    """
    sums = values @ M.T.astype(np.float64)
    return (len(M) - 1 - count_votes(-values, M)) + sums / (3 * (np.abs(sums) + 1))
