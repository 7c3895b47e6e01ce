"""The targets of classifiers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils import compute_class_weight

from widemargin.codes import Scheme
from widemargin.estimators import sample
from widemargin.kernels.points import count
from widemargin.problems import Vector


@dataclass(frozen=True)
class Classes:
    """The targets of a classifier: point i belongs to the class names[labels[i]]."""

    names: NDArray[Any]
    labels: NDArray[np.integer]
    weights: Vector
    """Factors of the price of a point, by class."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.names)

    def check(self, weight: Vector) -> None:
        """Raise a ValueError unless there are several classes, each with some of the weight of the points."""
        self.check_count()
        if (empty := self.without_weight(weight)) is not None:
            raise ValueError(
                f"sample_weight is zero for every sample of class {empty!r}: drop it or give it weight."
            )

    def check_count(self) -> None:
        """Raise a ValueError unless there are several classes."""
        if self.count < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got 1 class, {self.names.tolist()[0]!r}: "
                "add examples of another, or take OneClassSVM."
            )

    def without_weight(self, weight: Vector) -> Any:
        """The first class whose points have no weight, None if there is none."""
        weights = np.bincount(self.labels, weights=weight, minlength=self.count)
        return None if weights.all() else self.names.tolist()[int(np.argmin(weights))]


class RowsByClass:
    """Some rows of a Gram, and which of them belong to the classes that a column of a code tells apart."""

    def __init__(self, rows: NDArray[np.integer], classes: Classes) -> None:
        self.rows = rows
        labels = classes.labels.take(rows)
        ends = np.bincount(labels, minlength=classes.count).cumsum()
        self._places = np.split(np.argsort(labels, kind="stable"), ends[:-1])

    def of(self, column: NDArray[np.int8]) -> NDArray[np.integer]:
        """Those whose class is not zero in the column, in their order."""
        if column.all():
            return self.rows
        return self.rows.take(np.sort(np.concatenate([self._places[c] for c in np.flatnonzero(column)])))


@dataclass(frozen=True)
class CodedClasses(Classes):
    """Targets with the code and the decoding by which several classes are made of two."""

    scheme: Scheme


def read_classified(
    estimator: Any, X: Any, y: Any, sample_weight: Any = None, class_weight: Any = None
) -> tuple[Any, Classes, Vector]:
    """What `fit` of a classifier is given, checked: points, their classes and their weights."""
    X, y = sample.read_training(estimator, X, y)
    names, labels = sample.read_classes(y)
    Classes(names, labels, np.ones(len(names))).check_count()
    classes = Classes(names, labels, class_weights(class_weight, names, y))
    weight = sample.read_weight(sample_weight, count(X))
    classes.check(weight)
    return X, classes, weight


def class_weights(class_weight: Any, classes: NDArray, y: NDArray) -> Vector:
    """The factor of each class, from the parameter of that name and the labels y."""
    if class_weight is None:
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    bad = ~(np.isfinite(weights) & (weights > 0))
    if bad.any():
        name = classes.tolist()[int(np.argmax(bad))]
        raise ValueError(f"class_weight must be positive and finite, but that of class {name!r} is not.")
    return np.asarray(weights, dtype=np.float64)
