"""What OneClassSVM and EnclosingBall share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import OutlierMixin

from widemargin.estimators import sample
from widemargin.estimators.base import SingleMachine, all_or_nothing
from widemargin.problems import Problem

ROUND_OFF = 1e-12
"""Relative error by which the same decision value, computed in two ways, may differ."""


class KernelOutlierDetector(OutlierMixin, SingleMachine):
    """A machine that tells inliers, decision value >= 0, from outliers.

    The free support vectors lie on the boundary. They count as inliers, whatever the solver's tolerance and
    the round-off, so that the outliers among the training points are exactly those at their upper bound.
    """

    def _boundary(self, problem: Problem, solution: Any) -> float:
        """The multiplier that leaves no free support vector outside."""
        a, G = solution.alpha, solution.gradient
        free = (a > problem.lower) & (a < problem.upper)
        if not free.any():
            return float(solution.offsets[0])
        return float(G[free].max() + ROUND_OFF * np.abs(G[free]).max())

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
            solved = self._fit(sample.read_points(self, X), None, sample_weight)
        self._conclude(solved)
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
