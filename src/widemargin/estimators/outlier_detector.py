"""What OneClassSVM and EnclosingBall share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from widemargin.estimators import sample
from widemargin.estimators.base import SingleMachine, all_or_nothing


class KernelOutlierDetector(OutlierMixin, SingleMachine):
    """A machine that tells inliers, decision value >= 0, from outliers."""

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : Ignored
            Present by convention.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, _ = sample.read_training(self, X)
            outcome = self._fit(X, None, sample_weight)
        self._conclude(outcome)
        return self

    def score_samples(self, X: Any) -> NDArray[np.float64]:
        """The decision values before `offset_` is taken off."""
        return self.decision_function(X) + self.offset_

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Positive for inliers, negative for outliers."""
        raise NotImplementedError

    def predict(self, X: Any) -> NDArray[np.intp]:
        """+1 for inliers, -1 for outliers."""
        return np.where(self.decision_function(X) >= 0, 1, -1).astype(np.intp)
