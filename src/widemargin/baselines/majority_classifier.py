"""The class that most samples have."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _num_samples, check_consistent_length, check_is_fitted, validate_data

from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import sample
from widemargin.estimators.base import all_or_nothing


class MajorityClassifier(ScoredClassifier, BaseEstimator):
    """The most frequent class, whatever the point: the error that any other machine must beat.

    Nothing but the number of rows is read of X, so that it may hold anything, gaps and objects included. Of
    classes that are equally frequent it is the first in sorted order.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    class_prior_ : array of shape (n_classes,)
        The share of each class, by weight.
    majority_ : object
        The class that is predicted.
    n_features_in_ : int
        If X is a matrix.

    Examples
    --------
    >>> import widemargin as wm
    >>> majority = wm.MajorityClassifier().fit([[0], [1], [2]], ["no", "yes", "no"])
    >>> majority.predict([[5], [6]])
    array(['no', 'no'], dtype='<U3')
    >>> majority.predict_proba([[5]]).round(2)
    array([[0.67, 0.33]])
    """

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = tags.input_tags.allow_nan = True
        tags.classifier_tags.poor_score = True
        tags.no_validation = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Count the classes y.

        Parameters
        ----------
        X : anything with rows
        y : array-like of shape (n_samples,)
            Classes, numbers or strings; a single one is enough.
        sample_weight : array-like of shape (n_samples,), optional
            A sample of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            if y is None:
                raise ValueError("requires y to be passed, but the target y is None: call fit(X, y).")
            validate_data(self, X, skip_check_array=True)
            check_consistent_length(X, y)
            if _num_samples(y) == 0:
                raise ValueError("a majority needs at least one sample; got 0 rows.")
            names, labels = sample.read_classes(column_or_1d(y, warn=True))
            weight = sample.read_weight(sample_weight, len(labels))
            frequency = np.bincount(labels, weights=weight, minlength=len(names))
            self.classes_ = names
            self.class_prior_ = frequency / frequency.sum()
            self.majority_ = names[int(frequency.argmax())]
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """The majority class, for each row of X."""
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        return np.full(_num_samples(X), self.majority_, dtype=self.classes_.dtype)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The shares of the classes, for each row of X."""
        check_is_fitted(self)
        validate_data(self, X, skip_check_array=True, reset=False)
        return np.tile(self.class_prior_, (_num_samples(X), 1))
