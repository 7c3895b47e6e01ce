"""A sigmoid for every class against the rest."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length, check_is_fitted

from widemargin.calibration.platt import PlattSigmoid, finite, sigmoid


def normalise_one_vs_all(P: ArrayLike) -> NDArray[np.float64]:
    """Class probabilities from those of each class against the rest: every row divided by its sum.

    A row of zeros (all classes rejected) becomes uniform.

    Examples
    --------
    >>> from widemargin.calibration import normalise_one_vs_all
    >>> normalise_one_vs_all([[0.6, 0.3, 0.3], [0.0, 0.0, 0.0]]).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.33, 0.33, 0.33]])
    """
    P = np.asarray(P, dtype=np.float64)
    total = P.sum(axis=1, keepdims=True)
    uniform = np.full_like(P, 1.0 / P.shape[1])
    return np.divide(P, total, out=uniform, where=total > 0)


class OneVsAllSigmoids(BaseEstimator):
    """One Platt sigmoid for every class against the rest; the probabilities are divided by their sum.

    Column c of the decision values, shape (n, k), speaks for class c where it is positive.

    Attributes
    ----------
    A_, B_ : arrays of shape (k,)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import OneVsAllSigmoids
    >>> decision, y = np.eye(3)[[0, 1, 2, 0, 1, 2]], [0, 1, 2, 0, 1, 2]
    >>> OneVsAllSigmoids().fit(decision, y).predict_proba(np.eye(3)).argmax(axis=1)
    array([0, 1, 2])
    """

    def fit(
        self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> OneVsAllSigmoids:
        """Fit to out-of-fold decision values; `y` holds class indices 0, ..., k-1."""
        f = finite(decision, "decision")
        y = column_or_1d(y)
        check_consistent_length(f, y)
        fits = [PlattSigmoid().fit(column, y == c, sample_weight) for c, column in enumerate(f.T)]
        self.A_ = np.array([fit.A_ for fit in fits])
        self.B_ = np.array([fit.B_ for fit in fits])
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Class probabilities, shape (n, k); rows sum to one."""
        check_is_fitted(self)
        f = np.asarray(decision, dtype=np.float64)
        if f.ndim != 2 or f.shape[1] != len(self.A_):
            raise ValueError(
                f"decision must have shape (n, {len(self.A_)}), one column per class, not {f.shape}."
            )
        return normalise_one_vs_all(sigmoid(f, self.A_, self.B_))
