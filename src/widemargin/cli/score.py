"""How good predictions are, in the measure that fits the machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import is_outlier_detector, is_regressor


def scores(estimator: Any, predicted: ArrayLike, y: ArrayLike | None) -> dict[str, float]:
    """Named measures of the predictions against the labels `y`; without labels only what needs none."""
    predicted = np.asarray(predicted)
    if is_outlier_detector(estimator):
        inside = {"inside": float(np.mean(predicted > 0))}
        known = y is not None and set(np.unique(y)) <= {-1, 1} and len(np.unique(y)) == 2
        return inside | ({"accuracy": float(np.mean(predicted == y))} if known else {})
    if y is None:
        return {}
    y = np.asarray(y)
    if is_regressor(estimator):
        return {"mean squared error": float(np.mean((predicted - y) ** 2)), "R^2": _r2(predicted, y)}
    return {"accuracy": float(np.mean(predicted == y))}


SHARES = ("accuracy", "inside")
"""Measures that are shares of the points."""


def sentence(measures: dict[str, float], n: int | None = None) -> str:
    """The measures in one line, shares of `n` points with their count.

    Examples
    --------
    >>> sentence({"mean squared error": 0.25, "R^2": 0.5})
    'mean squared error 0.25, R^2 0.5'
    >>> sentence({"accuracy": 0.75}, 8)
    'accuracy 0.75 (6/8)'
    """
    return ", ".join(
        f"{name} {value:.4g}" + (f" ({round(value * n)}/{n})" if n and name in SHARES else "")
        for name, value in measures.items()
    )


def _r2(predicted: np.ndarray, y: np.ndarray) -> float:
    """Share of the variance explained; of constant targets none is left to explain."""
    total = float(np.sum((y - y.mean()) ** 2))
    return 1.0 - float(np.sum((predicted - y) ** 2)) / total if total > 0 else 0.0
