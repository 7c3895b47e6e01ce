"""Probabilities of classes from probabilities of pairs, or of sides of columns."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import gen_batches

from widemargin.calibration import normalise_one_vs_all, pairwise_coupling

from .argmax import need_one_vs_all
from .decoding import Decoding, Matrix, Values, need_pairs

LEAST_PROBABILITY = 1e-7
"""Probabilities are kept this far from 0 and 1, so that a solution exists and is unique for pairs."""

BATCH_ENTRIES = 2**21
"""Numbers that a coupling works on at a time."""


class Coupling(Decoding):
    """A decoding of probabilities: r_j estimates the probability of the positive side of column j, given that
    the class is on either side. A sub-class says what is to agree with them (`_couple`).
    """

    reads_probabilities = True

    def probabilities(self, r: ArrayLike, M: Matrix) -> Values:
        """Probabilities of the classes, shape (n, k); rows sum to one.

        Parameters
        ----------
        r : array-like of shape (n, F)
        M : array of shape (k, F)
        """
        r = np.asarray(r, dtype=np.float64)
        if M.shape[1] == 1:
            return np.where(M[:, 0] > 0, r, 1 - r)
        P = np.empty((len(r), len(M)))
        for rows in gen_batches(len(r), max(1, BATCH_ENTRIES // (len(M) * M.shape[1]))):
            P[rows] = self._couple(r[rows], M)
        return P

    def _couple(self, r: Values, M: Matrix) -> Values:
        raise NotImplementedError

    def scores(self, values: Values, M: Matrix) -> Values:
        """The probabilities."""
        return self.probabilities(values, M)


class Normalised(Coupling):
    """p_r proportional to r_r, for one-vs-all.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Normalised, one_vs_all
    >>> Normalised().probabilities([[0.6, 0.3, 0.3]], one_vs_all(3).matrix).round(2)
    array([[0.5 , 0.25, 0.25]])
    """

    def check(self, M: Matrix) -> None:
        need_one_vs_all(self, M)

    def _couple(self, r: Values, M: Matrix) -> Values:
        return normalise_one_vs_all(r)


class PairCoupling(Coupling):
    """A coupling of all pairs: r_ij estimates p_i / (p_i + p_j). A sub-class defines `_couple_pairs`."""

    def check(self, M: Matrix) -> None:
        need_pairs(self, M)

    def _couple(self, r: Values, M: Matrix) -> Values:
        k, r = len(M), inside(r)
        i, j = np.triu_indices(k, 1)
        R = np.zeros((len(r), k, k))
        R[:, i, j], R[:, j, i] = r, 1 - r
        p = np.maximum(self._couple_pairs(R), 0.0)
        return p / p.sum(axis=1, keepdims=True)

    def _couple_pairs(self, R: NDArray[np.float64]) -> Values:
        raise NotImplementedError


class WuLinWeng1(PairCoupling):
    """The first method of Wu, Lin and Weng: p_i = sum_{j != i} (p_i + p_j) / (k - 1) r_ij, sum_i p_i = 1.

    That is the stationary distribution of a Markov chain, found by a linear system.

    References
    ----------
    Wu, Lin and Weng, Probability estimates for multi-class classification by pairwise coupling, JMLR 5, 2004.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import WuLinWeng1, all_pairs
    >>> WuLinWeng1().probabilities([[0.6, 0.7, 0.6]], all_pairs(3).matrix).round(3)
    array([[0.477, 0.315, 0.207]])
    """

    def _couple_pairs(self, R: NDArray[np.float64]) -> Values:
        k = R.shape[-1]
        every = np.arange(k)
        system = R / (k - 1)
        system[:, every, every] = system.sum(axis=2) - 1
        system[:, -1] = 1.0  # one of the equations follows from the others
        right = np.zeros((k, 1))
        right[-1] = 1.0
        return np.linalg.solve(system, right)[..., 0]


class WuLinWeng2(PairCoupling):
    """The second method of Wu, Lin and Weng: p minimises sum_{i<j} (r_ji p_i - r_ij p_j)^2, sum_i p_i = 1.

    It is what probabilities of all pairs are made of unless another coupling is asked for, see
    `calibration.pairwise_coupling`.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import WuLinWeng2, all_pairs
    >>> WuLinWeng2().probabilities([[0.6, 0.7, 0.6]], all_pairs(3).matrix).round(3)
    array([[0.477, 0.316, 0.207]])
    """

    def _couple_pairs(self, R: NDArray[np.float64]) -> Values:
        return pairwise_coupling(R)


class Price(PairCoupling):
    """Price, Knerr, Personnaz and Dreyfus: p_i = 1 / (sum_{j != i} 1 / r_ij - (k - 2)), divided by their sum.

    References
    ----------
    Price et al., Pairwise neural network classifiers with probabilistic outputs, NIPS 7, 1995.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import Price, all_pairs
    >>> Price().probabilities([[0.6, 0.7, 0.6]], all_pairs(3).matrix).round(3)
    array([[0.477, 0.316, 0.207]])
    """

    def _couple_pairs(self, R: NDArray[np.float64]) -> Values:
        k = R.shape[-1]
        every = np.arange(k)
        R[:, every, every] = np.inf
        return 1 / ((1 / R).sum(axis=2) - (k - 2))


def inside(r: Values) -> Values:
    """Probabilities that are neither 0 nor 1."""
    return np.clip(r, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY)
