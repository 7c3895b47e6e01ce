"""Scores from the values of machines that nobody has fitted."""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray
from sklearn.base import is_classifier
from sklearn.metrics import check_scoring, r2_score

Score = Callable[[Any, NDArray[Any], Any, NDArray[np.float64]], float]
"""(estimator, true targets, all targets as the estimator reads them, values of its machines) -> score."""


def choose_score(estimator: Any, scoring: Any) -> Score:
    """The score for a scorer of scikit-learn, or its name; accuracy or R^2 for None."""
    if scoring is None:
        return _accuracy if is_classifier(estimator) else _r2
    if not isinstance(scoring, str) and not callable(scoring):
        raise ValueError(f"scoring must be one scorer or its name, not {scoring!r}.")
    scorer = check_scoring(estimator, scoring)
    if getattr(scorer, "_response_method", None) == "predict_proba":
        _refuse_probabilities()

    def score(estimator: Any, y: NDArray[Any], targets: Any, values: NDArray[np.float64]) -> float:
        return float(scorer(_answering(estimator, targets, values), np.zeros((len(y), 1)), y))

    return score


def _refuse_probabilities(X: Any = None) -> NoReturn:
    raise ValueError(
        "This scoring asks for probabilities, which cross_validate_path does not compute: choose one of "
        "predictions or decision values, such as 'balanced_accuracy' or 'roc_auc'."
    )


def _accuracy(estimator: Any, y: NDArray[Any], targets: Any, values: NDArray[np.float64]) -> float:
    return float(np.mean(estimator._answers(targets, values) == y))


def _r2(estimator: Any, y: NDArray[Any], targets: Any, values: NDArray[np.float64]) -> float:
    return float(r2_score(y, estimator._answers(targets, values)))


def _answering(estimator: Any, targets: Any, values: NDArray[np.float64]) -> Any:
    """A copy of the estimator that gives these values, whatever it is asked about."""
    answering = copy.copy(estimator)

    def predict(X: Any) -> NDArray[Any]:
        return estimator._answers(targets, values)

    def decision_function(X: Any) -> NDArray[np.float64]:
        return estimator._shaped(targets.scheme, values)

    answering.predict = predict
    if is_classifier(estimator):
        answering.classes_ = targets.names
        answering.probability = False  # there are none
        answering.decision_function = decision_function
        answering.predict_proba = answering.predict_log_proba = _refuse_probabilities
    return answering
