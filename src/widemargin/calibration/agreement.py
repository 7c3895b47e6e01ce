"""Probabilities that never contradict a prediction."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

# Relative lead of the predicted class in a corrected row; large enough to survive rounding to single
# precision.
LEAD = 1e-6


def agree_with(probabilities: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Correct probabilities, as little as possible, so that the predicted class is the most probable one.

    A prediction by decision values or votes and the arg-max of fitted probabilities may name different
    classes. The prediction stands. Rows that agree are returned as they are; in the others the
    probabilities above a level t are lowered to t and what they lose is given to the predicted class, with
    t chosen so that it arrives at t too. This is the nearest point, in the Euclidean norm, among the
    distributions in which no class is more probable than the predicted one. Finally the predicted class
    gets a lead of a millionth, so that the arg-max is unique.

    Parameters
    ----------
    probabilities : array of shape (n, k)
    predicted : integer array of shape (n,)
        Column of the predicted class of every row.

    Examples
    --------
    >>> from widemargin.calibration import agree_with
    >>> agree_with([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], [1, 2]).round(3)
    array([[0.4, 0.4, 0.2],
           [0.1, 0.2, 0.7]])
    """
    P = np.array(probabilities, dtype=np.float64)
    predicted = np.asarray(predicted)
    wrong = np.flatnonzero(P.argmax(axis=1) != predicted)
    if wrong.size:
        P[wrong] = _level(P[wrong], predicted[wrong])
    return P


def _level(P: NDArray[np.float64], predicted: NDArray[np.integer]) -> NDArray[np.float64]:
    """Lower the largest rivals and raise the predicted class to their common mean."""
    rows = np.arange(len(P))
    rivals = P.copy()
    rivals[rows, predicted] = -np.inf
    largest = -np.sort(-rivals, axis=1)[:, :-1]
    means = (P[rows, predicted][:, None] + np.cumsum(largest, axis=1)) / np.arange(2, P.shape[1] + 1)
    # The mean rises as long as the rival added lies above it: the level is the largest mean.
    level = means.max(axis=1)
    corrected = np.minimum(P, (level * (1 - LEAD))[:, None])
    corrected[rows, predicted] = 0.0
    corrected[rows, predicted] = 1.0 - corrected.sum(axis=1)
    return corrected
