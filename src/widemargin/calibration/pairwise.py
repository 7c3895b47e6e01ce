"""A sigmoid for every pair of classes, and what joins them."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d, gen_batches
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from widemargin.calibration.platt import PlattSigmoid, finite, sigmoid

# Pairwise probabilities are kept this far from 0 and 1: then the coupling problem has exactly one solution.
LEAST_PROBABILITY = 1e-7

# Rows are coupled in batches whose matrices take about this many entries.
BATCH_ENTRIES = 2**21


def pairwise_coupling(R: ArrayLike) -> NDArray[np.float64]:
    """Class probabilities from pairwise ones: the second method of Wu, Lin and Weng.

    Given r_ij, an estimate of P(i | i or j, x), the vector p minimises

        sum_{i<j} (r_ji p_i - r_ij p_j)^2    subject to    sum_i p_i = 1,

    that is  Q p + b e = 0,  e'p = 1  with  Q_ii = sum_{j != i} r_ji^2  and  Q_ij = -r_ij r_ji. The solution
    is unique and never negative if all r_ij are positive; they are kept at least 1e-7 away from 0 and 1.

    Parameters
    ----------
    R : array of shape (k, k) or (n, k, k)
        ``R[..., i, j]`` is the probability of class i against class j. The diagonal is ignored.

    Returns
    -------
    p : array of shape (k,) or (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import pairwise_coupling
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairwise_coupling(p[:, None] / (p[:, None] + p)).round(6)
    array([0.5, 0.3, 0.2])
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim not in (2, 3) or R.shape[-1] != R.shape[-2]:
        raise ValueError(f"R must have shape (k, k) or (n, k, k), not {R.shape}.")
    k = R.shape[-1]
    off_diagonal = np.clip(R, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY) * (1 - np.eye(k))
    system = np.ones(R.shape[:-2] + (k + 1, k + 1))
    system[..., :k, :k] = -off_diagonal * off_diagonal.swapaxes(-1, -2)
    diagonal = np.arange(k)
    system[..., diagonal, diagonal] = (off_diagonal**2).sum(axis=-2)
    system[..., k, k] = 0.0
    right = np.zeros((k + 1, 1))
    right[k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[..., :k, 0], 0.0)
    return p / p.sum(axis=-1, keepdims=True)


class PairwiseSigmoids(BaseEstimator):
    """One Platt sigmoid for every pair of classes, joined by pairwise coupling.

    The columns of the decision values are the pairs (0,1), (0,2), ..., (k-2,k-1) in the order of
    scikit-learn's ``decision_function_shape="ovo"``; in column (i,j) a positive value speaks for class i.
    Two classes have a single column (or a vector) in which, as everywhere in scikit-learn, a positive value
    speaks for class **1**.

    Attributes
    ----------
    A_, B_ : arrays of shape (n_pairs,)
        Column c gives 1 / (1 + exp(A_[c] f + B_[c])) as the probability of the class its positive values
        speak for.
    n_classes_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import PairwiseSigmoids
    >>> y = np.array([0, 0, 1, 1, 2, 2])
    >>> decision = np.array([[2, 1, 0], [1, 2, 0], [-1, 0, 1], [-2, 0, 2], [0, -1, -1], [0, -2, -2]])
    >>> PairwiseSigmoids().fit(decision, y).predict_proba(decision).argmax(axis=1)
    array([0, 0, 1, 1, 2, 2])
    """

    def fit(
        self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PairwiseSigmoids:
        """Fit to out-of-fold decision values; `y` holds class indices 0, ..., k-1.

        The sigmoid of a pair is fitted to the points of its two classes.
        """
        f = _columns(finite(decision, "decision"))
        check_consistent_length(f, y)
        k = _classes_of_pairs(f.shape[1])
        return self._fit_pairs(lambda column, i, j, members: f[members, column], k, y, sample_weight)

    def fit_compressed(
        self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PairwiseSigmoids:
        """The same from the k - 1 columns of k > 2 classes that concern the class of each point.

        Entry r of a point of class c belongs to its pair with class r if r < c, with class r + 1 otherwise.
        """
        f, labels = finite(decision, "decision"), np.asarray(column_or_1d(y))
        check_consistent_length(f, labels)

        def values(column: int, i: int, j: int, members: NDArray[np.bool_]) -> NDArray[np.float64]:
            return np.where(labels[members] == i, f[members, j - 1], f[members, i])

        return self._fit_pairs(values, f.shape[1] + 1, y, sample_weight)

    def _fit_pairs(
        self,
        values: Callable[..., NDArray[np.float64]],
        k: int,
        y: ArrayLike,
        sample_weight: ArrayLike | None,
    ) -> PairwiseSigmoids:
        y = np.asarray(column_or_1d(y))
        w = None if sample_weight is None else np.asarray(sample_weight)
        fits = []
        for column, (i, j) in enumerate([(1, 0)] if k == 2 else combinations(range(k), 2)):
            members = (y == i) | (y == j)
            weight = None if w is None else w[members]
            fits.append(PlattSigmoid().fit(values(column, i, j, members), y[members] == i, weight))
        self.n_classes_ = k
        self.A_ = np.array([fit.A_ for fit in fits])
        self.B_ = np.array([fit.B_ for fit in fits])
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Class probabilities, shape (n, k); rows sum to one."""
        check_is_fitted(self)
        f = _columns(np.asarray(decision, dtype=np.float64))
        if f.shape[1] != len(self.A_):
            raise ValueError(
                f"decision must have {len(self.A_)} columns, one per pair of classes, not {f.shape[1]}."
            )
        if self.n_classes_ == 2:
            positive = sigmoid(f[:, 0], self.A_[0], self.B_[0])
            return np.column_stack([1.0 - positive, positive])
        P = np.empty((len(f), self.n_classes_))
        for rows in gen_batches(len(f), max(1, BATCH_ENTRIES // self.n_classes_**2)):
            P[rows] = pairwise_coupling(self._pairwise_probabilities(f[rows]))
        return P

    def _pairwise_probabilities(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        i, j = np.triu_indices(self.n_classes_, 1)
        R = np.zeros((len(f), self.n_classes_, self.n_classes_))
        R[:, i, j] = sigmoid(f, self.A_, self.B_)
        R[:, j, i] = 1.0 - R[:, i, j]
        return R


def _columns(f: NDArray[np.float64]) -> NDArray[np.float64]:
    return f[:, None] if f.ndim == 1 else f


def _classes_of_pairs(n_pairs: int) -> int:
    k = round((1 + np.sqrt(1 + 8 * n_pairs)) / 2)
    if k * (k - 1) // 2 != n_pairs or n_pairs == 0:
        raise ValueError(
            f"decision has {n_pairs} columns, which is not k(k-1)/2 for any number of classes k."
        )
    return k
