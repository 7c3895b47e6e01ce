"""What every decoding can do."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from ..pairs import are_all_pairs

Values = NDArray[np.float64]
"""Of n points: a column per two-class problem, or per class."""

Matrix = NDArray[np.int8]
"""A code: a row per class, a column per two-class problem."""


class Decoding(BaseEstimator):
    """How the values of the two-class machines of a code name a class.

    Decodings are records, like kernels and losses: they hold parameters and nothing else.
    """

    reads_probabilities = False
    """Whether the values are to be probabilities of the positive sides."""

    signs_suffice = False
    """Whether the predictions depend on the signs of the values alone."""

    def check(self, M: Matrix) -> None:
        """Raise a ValueError if the decoding makes no sense for this code."""

    def scores(self, values: Values, M: Matrix) -> Values:
        """A score per class, shape (n, k); the largest wins.

        Parameters
        ----------
        values : array of shape (n, F)
            Positive where column j speaks for its classes with M_rj = +1.
        M : array of shape (k, F)
        """
        raise NotImplementedError

    def decide(self, values: Values, M: Matrix) -> NDArray[np.intp]:
        """The row of the code that wins; of several with the same score the first."""
        return self.scores(values, M).argmax(axis=1)


def need_pairs(decoding: Decoding, M: Matrix) -> None:
    """Raise a ValueError unless the code is that of all pairs."""
    if not are_all_pairs(M):
        raise ValueError(
            f"{type(decoding).__name__} decides between pairs of classes: take the code 'all-pairs', or the "
            "decoding 'loss', which fits every code."
        )
