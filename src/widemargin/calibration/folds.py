"""Folds for decision values of unseen points."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import column_or_1d


def cross_fit_folds(
    y: ArrayLike, cv: Any = 5, random_state: Any = None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Stratified folds for out-of-fold decision values: a list of (train, test) indices.

    If `cv` is a number, every class must be in every training set: when the smallest class has fewer than
    `cv` members there are only as many folds as it has members, and a class of one is refused. A splitter
    or an iterable is used as it is.

    Parameters
    ----------
    y : array of classes
    cv : int, splitter or iterable of (train, test)
    random_state : None, int or RandomState
        Shuffles the members of a class before they are dealt to the folds; None keeps their order. Only
        used if `cv` is a number.

    Examples
    --------
    >>> from widemargin.calibration import cross_fit_folds
    >>> len(cross_fit_folds(["a", "a", "a", "b", "b", "b"], cv=5))
    3
    """
    y = np.asarray(column_or_1d(y))
    if not isinstance(cv, (int, np.integer)) or isinstance(cv, bool):
        return list(check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y))
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, not {cv}.")
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"Class {classes.tolist()[counts.argmin()]!r} has only one sample: cross-fitted probabilities "
            "need at least 2 samples of every class; add samples of it or leave it out."
        )
    splitter = StratifiedKFold(
        min(cv, counts.min()), shuffle=random_state is not None, random_state=random_state
    )
    return list(splitter.split(np.zeros(len(y)), y))
