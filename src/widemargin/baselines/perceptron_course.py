"""The course of a perceptron's training."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

LOOK_AHEAD = 256
"""Examples that are looked at together for the next mistake."""


class PerceptronCourse:
    """Functions f_c, one per class, that change with each mistake, and their values at all examples.

    Between two mistakes nothing changes, so that only they take kernel values: a row of the Gram each, kept
    for the next time while there is room.

    Parameters
    ----------
    gram : Gram
        The kernel matrix of the examples.
    labels : array of shape (n,)
        Their classes, as numbers.
    classes : int
    room : int
        Bytes for rows of the Gram.

    Attributes
    ----------
    coefficients : array of shape (n, classes)
        Of the functions as they are now.
    """

    def __init__(self, gram: Any, labels: NDArray[np.integer], classes: int, room: int) -> None:
        n = len(labels)
        self.coefficients = np.zeros((n, classes))
        self._gram, self._labels = gram, labels
        self._values = np.zeros((classes, n))
        self._delays = np.zeros((n, classes))
        self._presented = 0
        self._rows: dict[int, NDArray[np.float64]] = {}
        self._most_rows = room // (8 * n)

    def epoch(self, order: NDArray[np.integer]) -> int:
        """Present the examples in this order; the number of mistakes."""
        mistakes = begin = 0
        while begin < len(order):
            ahead = order[begin : begin + LOOK_AHEAD]
            mistaken, rivals = self._compare(ahead)
            if not mistaken.any():
                begin += len(ahead)
                continue
            first = int(mistaken.argmax())
            begin += first + 1
            self._correct(int(ahead[first]), int(rivals[first]), self._presented + begin)
            mistakes += 1
        self._presented += len(order)
        return mistakes

    @property
    def mean(self) -> NDArray[np.float64]:
        """The coefficients after each presentation, on the average."""
        return self.coefficients - self._delays / self._presented

    def _compare(self, which: NDArray[np.integer]) -> tuple[NDArray[np.bool_], NDArray[np.intp]]:
        """Whether the own class fails to have the largest value, alone, and the largest of the others."""
        values, every, labels = self._values[:, which], np.arange(len(which)), self._labels[which]
        own = values[labels, every]
        values[labels, every] = -np.inf
        rivals = values.argmax(axis=0)
        return ~(own > values[rivals, every]), rivals

    def _correct(self, i: int, rival: int, number: int) -> None:
        """Learn from the mistake with example i, the presentation of this number, from 1."""
        own, row = self._labels[i], self._row(i)
        self._values[own] += row
        self._values[rival] -= row
        for c, sign in ((own, 1.0), (rival, -1.0)):
            self.coefficients[i, c] += sign
            self._delays[i, c] += sign * (number - 1)

    def _row(self, i: int) -> NDArray[np.float64]:
        if (row := self._rows.get(i)) is None:
            n = len(self._labels)
            row = self._gram.block(np.array([i], dtype=np.int32), np.arange(n, dtype=np.int32))[0]
            if len(self._rows) < self._most_rows:
                self._rows[i] = row
        return row
