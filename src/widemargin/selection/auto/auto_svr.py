"""A regression without parameters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.model_selection import RepeatedKFold

from widemargin.estimators import SVR, parameters
from widemargin.selection.auto.auto_machine import AutoMachine, Vector, draws_of_folds
from widemargin.selection.auto.relevance import levels
from widemargin.selection.auto.screening import Rung

EPSILON_SHARE = 3.0
"""epsilon is so many times the noise, times sqrt(log n / n)."""

EPSILON_RANGE = (1e-3, 0.5)
"""Of a target with variance 1."""


class AutoSVR(RegressorMixin, AutoMachine):
    """A support vector regression that needs no parameters.

    Features and target are brought to variance 1. Metric and a first gamma come from least squares and exact
    leave-one-out on 400 points; so does the noise s, and with it half the width of the tube,
    epsilon = 3 s sqrt(log n / n). C and gamma then go uphill in five-fold cross-validation on up to 1000
    points, judged by the mean absolute error of unseen points, and on with up to 5000 and three folds.

    Parameters
    ----------
    max_time : float, optional
        Seconds after which the search uses what it knows; training in the end is not counted.
    random_state : int, RandomState instance or None, default=0
        Draws the points for the comparisons.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    machine_ : SVR
        The machine, trained on scaled points and targets.
    C_, gamma_, epsilon_ : float
        For targets of variance 1.
    relevance_ : array of shape (n_features,)
        The weight of each feature in squared distances of scaled points; the largest is 1.
    scaling_ : Scaling
    target_mean_, target_scale_ : float
    report_ : Report
    n_features_in_ : int

    References
    ----------
    Cherkassky and Ma, Practical selection of SVM parameters and noise estimation for SVM regression, Neural
    Networks 17, 2004 (for epsilon).

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.datasets import friedman1
    >>> sample = friedman1(300, seed=0)
    >>> machine = wm.AutoSVR().fit(sample.X[:200], sample.y[:200])
    >>> bool(machine.score(sample.X[200:], sample.y[200:]) > 0.8)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = AutoMachine._rules

    def __init__(
        self, *, max_time: float | None = None, random_state: Any = 0, n_jobs: int | None = None
    ) -> None:
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Choose everything, then train on points X and their targets y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point; one of weight 0 plays no part.

        Returns
        -------
        self : object
        """
        with self._kept(self):
            X, targets, weight = self._begin(X, y, sample_weight, y_numeric=True)
            t = targets.astype(np.float64)
            unit = float(np.abs(t).max()) or 1.0  # squares of very large or small targets are no numbers
            mean = float(np.average(t / unit, weights=weight))
            spread = float(np.sqrt(np.average((t / unit - mean) ** 2, weights=weight))) or 1.0
            self.target_mean_, self.target_scale_ = mean * unit, spread * unit
            self.epsilon_ = 0.1
            interruption = self._fit(X, (t / unit - mean) / spread, weight)
        if interruption is not None:
            raise interruption
        return self

    def _groups(self, y: NDArray[Any]) -> NDArray[np.integer]:
        return levels(y)

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        return y[:, None]

    def _screen(self, Z: Any, groups: NDArray[np.integer], y: NDArray[Any]) -> Rung:
        found = super()._screen(Z, groups, y)
        n, noise = y.size, float(np.sqrt(found.error))
        self.epsilon_ = float(np.clip(EPSILON_SHARE * noise * np.sqrt(np.log(n) / n), *EPSILON_RANGE))
        self.report_.say(
            "tube", f"epsilon={self.epsilon_:.3g} of the target's deviation, from a noise of {noise:.3g}."
        )
        return found

    def _judgement_of_constant(self, y: NDArray[Any], weight: Vector) -> float:
        return float(np.average(np.abs(y - np.median(y)), weights=weight))

    def _machine(self, **settings: Any) -> SVR:
        return SVR(epsilon=self.epsilon_, **settings)

    def _splitter(self, y: NDArray[Any], folds: int) -> RepeatedKFold:
        return RepeatedKFold(n_splits=folds, n_repeats=draws_of_folds(y.size), random_state=0)

    def _train(self, X: Any, y: Vector, weight: Vector) -> None:
        self.machine_ = SVR(C=self.C_, gamma=self.gamma_, epsilon=self.epsilon_, n_jobs=self.n_jobs)
        self.machine_.fit(X, y, sample_weight=weight)

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The target value of each row of X."""
        values = super().predict(X)
        return self.target_mean_ + self.target_scale_ * values
