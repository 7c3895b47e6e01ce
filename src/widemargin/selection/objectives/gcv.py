"""Generalised cross-validation."""

from __future__ import annotations

import numpy as np

from widemargin.problems import Vector
from widemargin.selection.objectives.ridge import Matrix, Ridge, RidgeObjective


class GCV(RidgeObjective):
    """The error of least squares by generalised cross-validation.

    GCV = 1/n sum_i r_i^2 / (1 - mean of h)^2,    r = y - Hy,    h the leverages, H_ii

    Leave-one-out with every leverage replaced by their mean; in log lam and the kernel's parameters, with its
    gradient, in O(n^3).

    References
    ----------
    Golub, Heath and Wahba, Generalized cross-validation as a method for choosing a good ridge parameter,
    Technometrics 21, 1979.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import GCV
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = GCV().bind(wm.RLSClassifier(lam=0.01, gamma=0.5), X, y)
    >>> machine = wm.RLSClassifier(lam=0.01, gamma=0.5).fit(X, y)
    >>> bool(abs(bound.value(bound.parameters.start) - machine.gcv_) < 1e-10)
    True
    """

    def _judge(self, parts: Ridge) -> tuple[float, Matrix, Vector]:
        frame, r = parts.frame, parts.residuals
        n = float(frame.copies.sum())
        left = n - frame.size + float(parts.stays.sum())
        factor = n * n / (frame.total * r.shape[1] * left**2)
        value = factor * float(np.sum(frame.weight[:, None] * r**2))
        return value, 2 * factor * frame.weight[:, None] * r, np.full(frame.size, -2 * value / left)
