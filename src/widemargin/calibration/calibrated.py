"""Probabilities for any scikit-learn classifier."""

from __future__ import annotations

from copy import copy
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from widemargin.calibration.agreement import agree_with
from widemargin.calibration.folds import cross_fit_folds
from widemargin.calibration.one_vs_all import OneVsAllSigmoids
from widemargin.calibration.pairwise import PairwiseSigmoids


class Calibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Cross-fitted Platt probabilities for any classifier with a `decision_function`.

    `fit` trains the classifier once on all data, which gives `predict` and `decision_function`, and once
    for every fold, which gives decision values of unseen points, to which the sigmoids are fitted:

    * two classes: one sigmoid;
    * more, if the classifier has a parameter `decision_function_shape` (as support vector machines have):
      one for every pair of classes on its all-pairs decision values, joined by pairwise coupling;
    * more, otherwise: one for every class against the rest, normalised.

    The most probable class is always the predicted one: where they would differ, `agree_with` corrects the
    probabilities.

    Parameters
    ----------
    estimator : classifier with `decision_function`
    cv : int, splitter or iterable of (train, test), default=5
        Number of stratified folds; fewer if the smallest class has fewer members, see `cross_fit_folds`.
    n_jobs : int or None, default=None
        Fits run in parallel (joblib).

    Attributes
    ----------
    estimator_ : the classifier trained on all data
    sigmoids_ : `PairwiseSigmoids` or `OneVsAllSigmoids`
    classes_ : array of the classes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from widemargin.calibration import Calibrated
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Calibrated(LinearSVC(random_state=0)).fit(X, y)
    >>> model.predict_proba(X).shape
    (150, 3)
    >>> bool((model.predict_proba(X).argmax(axis=1) == model.predict(X)).all())
    True
    """

    def __init__(self, estimator: Any, *, cv: Any = 5, n_jobs: int | None = None):
        self.estimator = estimator
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Calibrated:
        """Train the classifier on all data and the sigmoids on the folds."""
        if not hasattr(self.estimator, "decision_function"):
            raise TypeError(
                f"estimator must have a decision_function; {type(self.estimator).__name__} has none."
            )
        X, y = indexable(X, y)
        weight = self._check_weight(X, sample_weight)
        y = _check_labels(y)
        classes, index = np.unique(y, return_inverse=True)
        folds = cross_fit_folds(y, self.cv)
        whole = _fit(self.estimator, X, y, weight)
        decisions = Parallel(n_jobs=self.n_jobs)(
            delayed(_unseen_decision)(self.estimator, X, y, weight, train, test) for train, test in folds
        )
        tested = np.concatenate([test for _, test in folds])
        several, pairs = len(classes) > 2, _gives_pairs(self.estimator)
        sigmoids = OneVsAllSigmoids() if several and not pairs else PairwiseSigmoids()
        sigmoids.fit(np.concatenate(decisions), index[tested], None if weight is None else weight[tested])
        self.estimator_, self.sigmoids_, self.classes_ = whole, sigmoids, classes
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(whole, name):
                setattr(self, name, getattr(whole, name))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes predicted by the classifier trained on all data."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values of the classifier trained on all data."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, columns as in `classes_`; the arg-max is the class `predict` names."""
        check_is_fitted(self)
        raw = self.sigmoids_.predict_proba(_decision(self.estimator_, X))
        return agree_with(raw, np.searchsorted(self.classes_, self.estimator_.predict(X)))

    def _check_weight(self, X: Any, sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(
                f"sample_weight was given but {type(self.estimator).__name__}.fit does not take it."
            )
        return _check_sample_weight(sample_weight, X, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        return tags


def _check_labels(y: ArrayLike) -> NDArray[Any]:
    y = np.asarray(column_or_1d(y, warn=True))
    if y.size == 0:
        raise ValueError("y has 0 sample(s) while a minimum of 2 is required.")
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    if (y == y[0]).all():
        raise ValueError(f"y has one class only, {y.tolist()[0]!r}: at least 2 classes are needed.")
    return y


def _fit(estimator: Any, X: Any, y: ArrayLike, weight: NDArray[np.float64] | None) -> Any:
    fit_parameters = {} if weight is None else {"sample_weight": weight}
    return clone(estimator).fit(X, y, **fit_parameters)


def _unseen_decision(
    estimator: Any, X: Any, y: NDArray[Any], weight: Any, train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[np.float64]:
    X_train, y_train = _safe_split(estimator, X, y, train)
    X_test, _ = _safe_split(estimator, X, y, test, train)
    absent = np.setdiff1d(y, y_train).tolist()
    if absent:
        raise ValueError(
            f"A training fold of cv lacks class {absent[0]!r}: use stratified folds or fewer of them."
        )
    return _decision(_fit(estimator, X_train, y_train, None if weight is None else weight[train]), X_test)


def _gives_pairs(estimator: Any) -> bool:
    parameters = estimator.get_params(deep=False)
    code = parameters.get("multiclass", "all-pairs")
    return "decision_function_shape" in parameters and isinstance(code, str) and code in ("all-pairs", "dag")


def _decision(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Decision values, of all pairs if the classifier gives them: their shape plays no part in training."""
    if _gives_pairs(fitted):
        fitted = copy(fitted).set_params(decision_function_shape="ovo")
    return fitted.decision_function(X)
