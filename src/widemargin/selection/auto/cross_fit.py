"""Cross-validation that keeps what machines say about points they have not seen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.special import expit
from sklearn.base import is_classifier

from widemargin.problems import Vector
from widemargin.selection.folds import Fold
from widemargin.selection.path import Search
from widemargin.selection.score import choose_score
from widemargin.threads import single_threaded_blas

LOSS_SHARE = 0.2
"""Weight of the logistic loss beside the error."""


class CrossFit(Search):
    """A `Search` that judges machines by their errors and by the likelihood of what they did not see.

    The judgement of a cell is

        error + 1/5 loss,        loss = min_s mean_i sum_j log(1 + exp(-s m_ij)),

    with the margins m_ij >= 0 of point i in the machines that know its class: an error of 0 or 1 is coarse,
    and among machines of equal error the one with better margins is the better one, also for probabilities.
    For regression it is the mean absolute error.
    """

    def __init__(
        self,
        estimator: Any,
        X: Any,
        y: NDArray[Any],
        weight: Vector,
        Cs: Vector,
        gammas: Vector,
        folds: list[Fold],
        callback: Callable[[int, int], Any] | None,
    ) -> None:
        super().__init__(estimator, X, y, weight, Cs, gammas, folds, choose_score(estimator, None), callback)
        self.values: dict[tuple[int, int, int], NDArray[np.float64]] = {}

    def judge(self) -> NDArray[np.float64]:
        """Run all; the judgement of each cell (C, gamma), NaN for those that were not reached."""
        with single_threaded_blas():
            interruption = self.run()
        if interruption is not None:
            raise interruption
        judgement = np.full(self.scores.shape[:2], np.nan)
        for c, k in np.ndindex(*judgement.shape):
            cells = [(c, k, f) for f in range(len(self.folds))]
            if all(cell in self.values for cell in cells):
                judgement[c, k] = self._judgement([self.values[cell] for cell in cells])
        return judgement

    def _are_doubtful(self, values: NDArray[np.float64]) -> bool:
        return False  # a judgement by margins does not hang on single points

    def _keep(self, cell: tuple[int, int, int], fold: Fold, values: NDArray[np.float64]) -> None:
        self.values[cell] = values

    def _judgement(self, values: list[NDArray[np.float64]]) -> float:
        """What the values of all folds say about a cell."""
        weights = [self._importance(fold) for fold in self.folds]
        total = sum(weight.sum() for weight in weights)
        if not is_classifier(self.estimator):
            errors = [
                weight @ np.abs(v[:, 0] - self.y[fold.test])
                for v, fold, weight in zip(values, self.folds, weights, strict=True)
            ]
            return float(sum(errors) / total)
        wrong, margins, shares = 0.0, [], []
        for v, fold, weight in zip(values, self.folds, weights, strict=True):
            wrong += weight @ (self.estimator._answers(fold.targets, v) != self.y[fold.test])
            own, row = _margins(v, fold.targets.labels[fold.test], fold.targets.scheme.M)
            margins.append(own)
            shares.append(weight[row])
        loss = sigmoid_loss(np.concatenate(margins), np.concatenate(shares) / total)
        return float(wrong / total + LOSS_SHARE * loss)

    def _importance(self, fold: Fold) -> Vector:
        """The weight of the points of a fold in the judgement, by class if classes have weights."""
        weight = self.weight[fold.test]
        targets = fold.targets
        return weight * targets.weights[targets.labels[fold.test]] if hasattr(targets, "labels") else weight


def _margins(
    values: NDArray[np.float64], labels: NDArray[np.integer], code: NDArray[np.int8]
) -> tuple[Vector, NDArray[np.intp]]:
    """The margins of points in the machines that know their class, and to which point each belongs."""
    signs = code[labels]
    row, column = np.nonzero(signs)
    return values[row, column] * signs[row, column], row


def sigmoid_loss(margins: Vector, weights: Vector) -> float:
    """min over s >= 0 of sum_i w_i log(1 + exp(-s m_i)), by Newton's method.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.auto.cross_fit import sigmoid_loss
    >>> float(sigmoid_loss(np.array([-1.0, -2.0]), np.array([0.5, 0.5])))  # worse than chance: log 2
    0.6931471805599453
    """
    scale = float(np.abs(margins).mean())
    if scale == 0:
        return float(np.log(2) * weights.sum())
    m, s = margins / scale, 1.0
    for _ in range(10):
        p = expit(-s * m)
        slope, curvature = -(weights @ (m * p)), weights @ (m * m * p * (1 - p)) + 1e-9
        s = float(np.clip(s - np.clip(slope / curvature, -2.0, 2.0), 0.0, 30.0))
    return float(weights @ np.logaddexp(0.0, -s * m))
