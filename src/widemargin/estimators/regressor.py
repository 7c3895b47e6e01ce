"""What SVR and NuSVR share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from widemargin.estimators import sample
from widemargin.estimators.base import SingleMachine, all_or_nothing


class KernelRegressor(RegressorMixin, SingleMachine):
    """A regression machine."""

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and targets y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their target values.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point: one of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = sample.read_training(self, X, y, y_numeric=True)
            solved = self._fit(X, np.asarray(y, dtype=np.float64), sample_weight)
        self._conclude(solved)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of the function at each row of X.

        For a precomputed kernel X is the kernel of these samples with all training samples, or with the
        support vectors (in the order of `support_`) alone.
        """
        return self._values(X).ravel()
