"""How good are two fits? One function says it of both, in double precision, from their coefficients alone."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.estimators.code import all_pairs, expand_pairs, two_classes

BLOCK = 1000  # rows of kernel values held at a time


@dataclass(frozen=True)
class Verdict:
    """The dual value, summed over the pairs of classes, and the largest KKT violation in any of them."""

    dual_objective: float
    kkt_violation: float


def judge(X: Any, y: Any, C: float, gamma: float, support: Any, dual_coef: Any) -> Verdict:
    """The verdict on an SVC with a Gaussian kernel, given its `support_` and `dual_coef_`."""
    classes, labels = np.unique(y, return_inverse=True)
    k = len(classes)
    A = dual_coef.T if k == 2 else expand_pairs(dual_coef, labels[support], k)
    X = X.toarray() if sparse.issparse(X) else X
    outputs = [rbf_kernel(X[i : i + BLOCK], X[support], gamma=gamma) @ A for i in range(0, len(X), BLOCK)]
    F = np.concatenate(outputs)
    alpha = np.zeros_like(F)
    alpha[support] = A
    M = two_classes() if k == 2 else all_pairs(k)
    values, violations = zip(
        *(_pair(M[labels, c], alpha[:, c], F[:, c], C) for c in range(M.shape[1])), strict=True
    )
    return Verdict(float(sum(values)), float(max(violations)))


def _pair(y: Any, alpha: Any, f: Any, C: float) -> tuple[float, float]:
    """maximise y'a - a'Ka/2, 0 <= y a <= C, sum a = 0: value and violation at alpha, whose outputs are f."""
    y, alpha, f = y[y != 0], alpha[y != 0], f[y != 0]
    value = np.abs(alpha).sum() - alpha @ f / 2
    G = y - f
    may_rise = alpha < np.where(y > 0, C, 0.0)
    may_fall = alpha > np.where(y > 0, 0.0, -C)
    return value, G[may_rise].max() - G[may_fall].min()
