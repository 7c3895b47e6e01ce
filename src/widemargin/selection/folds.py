"""The parts of the data that machines are trained and tested on."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.model_selection import check_cv

from widemargin.problems import Vector


@dataclass(frozen=True)
class Fold:
    """Points to train on, all of them with weight, and points to test on."""

    train: NDArray[np.int32]
    test: NDArray[np.int32]
    targets: Any
    """The targets of all points, as the estimator reads them when it is given the training points."""


def make_folds(estimator: Any, y: NDArray[Any], weight: Vector, cv: Any) -> list[Fold]:
    """The folds that `cv` stands for in scikit-learn, stratified for a classifier and an integer."""
    splitter = check_cv(cv, y, classifier=is_classifier(estimator))
    splits = list(splitter.split(np.zeros(len(y)), y))
    if not splits:
        raise ValueError("cv has no folds: give at least one pair (train, test).")
    return [
        _make_fold(estimator, y, weight, number, _indices(train, len(y)), _indices(test, len(y)))
        for number, (train, test) in enumerate(splits)
    ]


def _make_fold(
    estimator: Any, y: NDArray[Any], weight: Vector, number: int, train: NDArray[Any], test: NDArray[Any]
) -> Fold:
    if test.size == 0 or not weight[train].any():
        raise ValueError(f"fold {number} of cv has nothing to {'test' if test.size == 0 else 'train'} on.")
    targets = estimator._read_targets(y, train)
    if is_classifier(estimator):
        seen = np.zeros(len(y))
        seen[train] = weight[train]
        targets.check(weight)
        if (missing := targets.without_weight(seen)) is not None:
            raise ValueError(
                f"fold {number} of cv has no point of class {missing!r} to train on: "
                "use fewer folds, or drop the class."
            )
    return Fold(train[weight[train] > 0], test, targets)


def _indices(part: Any, n: int) -> NDArray[np.int32]:
    part = np.asarray(part)
    if part.dtype == bool and part.shape == (n,):
        part = np.flatnonzero(part)
    if part.ndim != 1 or part.dtype.kind not in "iu" or (part.size and not 0 <= part.min() <= part.max() < n):
        raise ValueError(f"cv must give numbers of points between 0 and {n - 1}, or masks of {n} values.")
    return part.astype(np.int32)
