"""A decision graph over pairs of classes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .decoding import Decoding, Matrix, Values, need_pairs
from .votes import count_votes


class Dag(Decoding):
    """Of a list of classes, the pair of the first and the last drops one of them, until one is left (DAGSVM).

    Of k (k - 1) / 2 pairs only k - 1 are asked. The class that is left has won all its pairs that were asked;
    a class that beats all others is always found.

    Parameters
    ----------
    order : array-like of int, optional
        The list, as numbers of classes; see `dag_order`. None is their sorted order.

    References
    ----------
    Platt, Cristianini and Shawe-Taylor, Large margin DAGs for multiclass classification, NIPS 12, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Dag, all_pairs
    >>> values = np.array([[1.0, -3.0, 2.0]])  # 0 beats 1, 2 beats 0, 1 beats 2
    >>> Dag().decide(values, all_pairs(3).matrix), Dag([1, 0, 2]).decide(values, all_pairs(3).matrix)
    (array([1]), array([0]))
    """

    signs_suffice = True

    def __init__(self, order: Any = None) -> None:
        self.order = order

    def check(self, M: Matrix) -> None:
        need_pairs(self, M)
        if self.order is not None and sorted(np.asarray(self.order).tolist()) != list(range(len(M))):
            given = np.asarray(self.order).tolist()
            raise ValueError(f"order must list the classes 0 to {len(M) - 1}, each once, not {given}.")

    def scores(self, values: Values, M: Matrix) -> Values:
        """The votes, and k more for the class that is left."""
        scores = count_votes(values, M)
        scores[np.arange(len(values)), self.decide(values, M)] += len(M)
        return scores

    def decide(self, values: Values, M: Matrix) -> NDArray[np.intp]:
        k = len(M)
        order = np.arange(k) if self.order is None else np.asarray(self.order)
        first, last = np.zeros(len(values), dtype=np.intp), np.full(len(values), k - 1)
        every = np.arange(len(values))
        for _ in range(k - 1):
            r, s = order[first], order[last]
            low, high = np.minimum(r, s), np.maximum(r, s)
            winner = np.where(values[every, _column(low, high, k)] > 0, low, high)
            last = np.where(winner == r, last - 1, last)
            first = np.where(winner == s, first + 1, first)
        return order[first]


def _column(i: NDArray[np.intp], j: NDArray[np.intp], k: int) -> NDArray[np.intp]:
    """The place of the pair i < j."""
    return i * (2 * k - i - 1) // 2 + j - i - 1
