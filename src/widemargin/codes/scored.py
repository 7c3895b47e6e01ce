"""Scores of classifiers on classes they know."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted


class ScoredClassifier(ClassifierMixin):
    """A classifier whose `score` refuses labels that `fit` has not seen."""

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of the rows of X, by weight, whose class is predicted.

        Parameters
        ----------
        X : as in `predict`
        y : array-like of shape (n_samples,)
            Classes out of `classes_`.
        sample_weight : array-like of shape (n_samples,), optional
        """
        check_is_fitted(self)
        check_seen(y, self.classes_)
        return super().score(X, y, sample_weight)


def check_seen(y: ArrayLike, classes: Any) -> None:
    """Raise a ValueError that names the first row whose label is none of these classes."""
    labels = np.asarray(y)
    if labels.ndim == 2 and labels.shape[1] == 1:
        labels = labels[:, 0]
    if labels.ndim != 1:
        return
    unseen = ~np.isin(labels, classes)
    if unseen.any():
        row = int(np.argmax(unseen))
        raise ValueError(
            f"y has the class {labels.tolist()[row]!r} in row {row}, which was not there in fit: fit with "
            "examples of it, or leave such rows out of the score."
        )
