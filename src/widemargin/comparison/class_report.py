"""How a classifier does on each class."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.metrics import confusion_matrix, precision_recall_fscore_support

from .labels import read_classes, read_labels


@dataclass(frozen=True, eq=False)
class ClassReport:
    """What becomes of the points of each class; printed, a line for each.

    Parameters
    ----------
    classes : array of shape (n_classes,)
    confusion : array of shape (n_classes, n_classes)
        In row i, column j the points of class i that are given class j.
    precision, recall, f1 : array of shape (n_classes,)
        The share of right ones among points given a class; among points of a class; their harmonic mean. 0
        where there are no such points.
    support : array of shape (n_classes,)
        Points of each class.
    """

    classes: NDArray[Any]
    confusion: NDArray[np.int64]
    precision: NDArray[np.float64]
    recall: NDArray[np.float64]
    f1: NDArray[np.float64]
    support: NDArray[np.int64]

    @property
    def error(self) -> float:
        """The share of wrong points."""
        return float(1 - self.confusion.trace() / self.confusion.sum())

    @property
    def balanced_error(self) -> float:
        """The mean over classes of the share of their points that are wrong: each class counts the same."""
        return float(1 - self.recall[self.support > 0].mean())

    @property
    def worst_confusion(self) -> tuple[Any, Any, int]:
        """The class that is most often taken for another, that other, and how often: 0 without errors."""
        wrong = self.confusion - np.diag(np.diag(self.confusion))
        i, j = np.unravel_index(wrong.argmax(), wrong.shape)
        names = self.classes.tolist()
        return names[i], names[j], int(wrong[i, j])

    def __str__(self) -> str:
        names = [str(name) for name in self.classes.tolist()]
        width = max(5, *map(len, names))
        lines = [f"{'class':<{width}}  precision  recall     f1  support"]
        for name, *shares, support in zip(
            names, self.precision, self.recall, self.f1, self.support, strict=True
        ):
            precision, recall, f1 = shares
            lines.append(f"{name:<{width}}  {precision:9.3f}  {recall:6.3f}  {f1:5.3f}  {support:7,}")
        return "\n".join([*lines, f"error {self.error:.4f}, mean over classes {self.balanced_error:.4f}"])


def class_report(y: ArrayLike, predictions: ArrayLike, *, classes: ArrayLike | None = None) -> ClassReport:
    """Precision, recall, support and confusions of each class.

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes.
    predictions : array-like of shape (n,)
        What the classifier says.
    classes : array-like of shape (n_classes,), optional
        Names and order, as in `classes_`; all that occur, sorted, if not given.

    Returns
    -------
    report : ClassReport

    Examples
    --------
    >>> from widemargin.comparison import class_report
    >>> report = class_report(["ant", "ant", "bee", "bee"], ["ant", "bee", "bee", "bee"])
    >>> print(report)
    class  precision  recall     f1  support
    ant        1.000   0.500  0.667        2
    bee        0.667   1.000  0.800        2
    error 0.2500, mean over classes 0.2500
    >>> report.confusion.tolist(), report.worst_confusion
    ([[1, 1], [0, 2]], ('ant', 'bee', 1))
    """
    truth, answers = read_labels(y=y, predictions=predictions)
    names = read_classes(classes, y=truth, predictions=answers)
    precision, recall, f1, support = precision_recall_fscore_support(
        truth, answers, labels=names, zero_division=0.0
    )
    return ClassReport(names, confusion_matrix(truth, answers, labels=names), precision, recall, f1, support)
