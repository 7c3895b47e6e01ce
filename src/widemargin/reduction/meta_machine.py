"""What estimators around a machine share."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, is_classifier, is_regressor
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import get_tags
from sklearn.utils.validation import check_is_fitted, validate_data

from widemargin.estimators import sample


def decides(meta: Any) -> bool:
    """Whether the machine inside has decision values; raises its AttributeError if not."""
    return callable(meta.estimator.decision_function)


class MetaMachine(MetaEstimatorMixin, BaseEstimator):
    """An estimator that trains copies of its `estimator` and is what that is: a classifier or a regressor."""

    estimator: Any

    @property
    def kernel(self) -> Any:
        """The kernel of the machine inside, None if it has none: it says which data can be read."""
        return getattr(self.estimator, "kernel", None)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        for name in ("estimator_type", "classifier_tags", "regressor_tags", "target_tags"):
            setattr(tags, name, getattr(inner, name))
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.sparse = inner.input_tags.sparse
        return tags

    def predict(self, X: Any) -> NDArray[Any]:
        """The class, or the target value, of each row of X."""
        raise NotImplementedError

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of right classes, or the coefficient of determination R^2."""
        return self._score(y, self.predict(X), sample_weight)

    def _score(self, y: ArrayLike, predictions: ArrayLike, weight: ArrayLike | None) -> float:
        measure = accuracy_score if is_classifier(self) else r2_score
        return float(measure(y, predictions, sample_weight=weight))

    def _check_estimator(self) -> None:
        if isinstance(self.estimator, type) or not (is_classifier(self) or is_regressor(self)):
            raise TypeError(f"estimator must be a classifier or a regressor, not {self.estimator!r}.")

    def _read_new(self, X: Any) -> Any:
        """Valid points for a fitted estimator; the machine inside looks at their numbers."""
        check_is_fitted(self)
        if sample.are_objects(sample.unframed(X), self.kernel):
            return sample.unframed(X)
        return validate_data(self, X, reset=False, **sample.CHECKS)

    def _read(self, X: Any, y: Any) -> tuple[Any, NDArray[Any]]:
        """Valid training points and targets."""
        if is_classifier(self):
            X, y = sample.read_training(self, X, y)
            return X, np.asarray(y)
        several = get_tags(self.estimator).target_tags.multi_output
        X, y = sample.read_training(self, X, y, y_numeric=True, multi_output=several)
        return X, np.asarray(y, dtype=np.float64)
