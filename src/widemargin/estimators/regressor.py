"""What SVR and NuSVR share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from widemargin.estimators import sample
from widemargin.estimators.base import SingleMachine, all_or_nothing
from widemargin.problems import Problem, Vector


@dataclass(frozen=True)
class Regression:
    """A regression problem and how to read it."""

    problem: Problem
    intercept: Callable[[Any], float]

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept."""
        return self.problem.by_point(solution.alpha, n), self.intercept(solution)


class KernelRegressor(RegressorMixin, SingleMachine):
    """A regression machine; a sub-class states its problem (`_regression`) and reads its `_intercept`."""

    def _regression(self, y: Vector, weight: Vector) -> Problem:
        """The problem of points with these targets and positive weights."""
        raise NotImplementedError

    def _intercept(self, solution: Any) -> float:
        raise NotImplementedError

    def _problem(self, y: Any, weight: Vector, diagonal: Callable[[], Vector]) -> Problem:
        return self._regression(y, weight)

    def _keep_function(self, problem: Problem, solution: Any) -> None:
        self.intercept_ = np.array([self._intercept(solution)])

    def _read_targets(self, y: ArrayLike, part: NDArray[np.integer] | None = None) -> Vector:
        """The targets of all points, the same for any part of them."""
        return np.asarray(y, dtype=np.float64)

    def _machines(self, targets: Vector, weight: Vector, rows: NDArray[np.integer]) -> list[Regression]:
        """The machine of these rows of the Gram."""
        return [Regression(self._regression(targets[rows], weight[rows]).on(rows), self._intercept)]

    def _answers(self, targets: Vector, values: NDArray[np.float64]) -> Vector:
        """The predictions that the values of the machine are."""
        return values[:, 0]

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
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
            solved = self._fit(X, self._read_targets(y), sample_weight)
        self._conclude(solved)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of the function at each row of X.

        For a precomputed kernel X is the kernel of these samples with all training samples, or with the
        support vectors (in the order of `support_`) alone.
        """
        return self._values(X).ravel()
