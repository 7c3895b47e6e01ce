"""How good is a solution? One function says it of all, in double precision, from the coefficients alone.

With f = K beta, where beta are the coefficients of the points, the duals are

    C-SVC        max  y'b - b'Kb/2              sum b = 0     0 <= y b <= C    (for each pair of classes)
    epsilon-SVR  max  y'b - epsilon |b| - b'Kb/2    sum b = 0     |b| <= C
    one-class    max  -b'Kb/2                   sum b = nu n  0 <= b <= 1

The KKT violation is the difference of the largest slope among coefficients that may rise and the least slope
among those that may fall.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from scipy import sparse

BLOCK = 4_000_000  # kernel values held at a time
DENSE_SHARE = 0.01  # sparse data with more entries than this share are faster as an array
ROUNDING = 2.0**-23  # a coefficient in single precision is at its bound within this, relatively


@dataclass(frozen=True)
class Verdict:
    """Dual value summed over all pairs, largest KKT violation, and the relative error in the constraint."""

    dual_objective: float
    kkt_violation: float
    infeasibility: float


def judge(X: Any, y: Any, parameters: dict[str, Any], support: Any, dual: Any) -> Verdict:
    """The verdict on `dual`, shape (pairs of a class, support vectors), of the points number `support`.

    The parameters tell the machine: those with `nu` are one-class, those with `epsilon` regression.
    """
    labels = np.unique(y, return_inverse=True)[1]
    by_class = np.argsort(labels[support], kind="stable")
    support, dual = support[by_class], dual[:, by_class]
    kernel = _Kernel(X, support, parameters)
    if "nu" in parameters or "epsilon" in parameters:
        beta = np.zeros(X.shape[0])
        beta[support] = dual[0]
        f = np.concatenate([kernel.rows(block) @ dual[0] for block in kernel.blocks(np.arange(len(beta)))])
        if "nu" in parameters:
            return _one_class(beta, f, parameters["nu"])
        return _regression(np.asarray(y, float), beta, f, parameters["C"], parameters["epsilon"])
    return _pairs(kernel, labels, parameters["C"], support, dual)


def as_array_if_dense(X: Any) -> Any:
    """X as it is multiplied faster."""
    return X.toarray() if sparse.issparse(X) and X.nnz > DENSE_SHARE * X.shape[0] * X.shape[1] else X


class _Kernel:
    """Kernel values of all points with the support vectors, by blocks of rows."""

    def __init__(self, X: Any, support: Any, parameters: dict[str, Any]) -> None:
        X = as_array_if_dense(X)
        self.X, self.Z = X, X[support].T.tocsr() if sparse.issparse(X) else X[support].T
        self.gamma = parameters.get("gamma") if parameters["kernel"] == "rbf" else None
        squares = X.multiply(X).sum(axis=1) if sparse.issparse(X) else np.einsum("ij,ij->i", X, X)
        self.squares = np.asarray(squares).ravel()
        self.support_squares = self.squares[support]

    def blocks(self, points: Any) -> list[Any]:
        """The points in parts whose kernel values fit into memory."""
        return np.array_split(points, max(1, -(-len(points) * max(1, self.Z.shape[1]) // BLOCK)))

    def rows(self, points: Any) -> Any:
        product = self.X[points] @ self.Z
        K = product.toarray() if sparse.issparse(product) else product
        if self.gamma is None:
            return K
        K *= 2
        K -= self.squares[points, None]
        K -= self.support_squares
        np.minimum(K, 0, out=K)
        K *= self.gamma
        return np.exp(K, out=K)


def _pairs(kernel: _Kernel, labels: Any, C: float, support: Any, dual: Any) -> Verdict:
    """All pairs of classes, the support vectors sorted by class.

    Each point is in the k - 1 pairs of its own class only, and so are its coefficients and outputs:
    number r of a point of class c belongs to the pair with class r if r < c and with r + 1 otherwise.
    """
    k = labels.max() + 1
    dual = -dual if k == 2 else dual  # of two classes, positive ones speak for the second
    beta = np.zeros((len(labels), k - 1))
    beta[support] = dual.T
    f = np.empty_like(beta)
    ends = np.searchsorted(labels[support], np.arange(k + 1))
    for c in range(k):
        own = slice(ends[c], ends[c + 1])
        others = [j for j in range(k) if j != c]
        for block in kernel.blocks(np.flatnonzero(labels == c)):
            K = kernel.rows(block)
            f[block] = K[:, own] @ dual[:, own].T
            for r, j in enumerate(others):
                theirs = slice(ends[j], ends[j + 1])
                f[block, r] += K[:, theirs] @ dual[c if c < j else c - 1, theirs]

    members = [np.flatnonzero(labels == c) for c in range(k)]
    violation, infeasibility = -np.inf, 0.0
    for i, j in combinations(range(k), 2):
        b, f_ij = (np.concatenate([v[members[i], j - 1], v[members[j], i]]) for v in (beta, f))
        y = np.repeat([1.0, -1.0], [len(members[i]), len(members[j])])
        alpha = y * b
        at_bound = alpha >= C * (1 - ROUNDING)
        rises, falls = np.where(y > 0, ~at_bound, b < 0), np.where(y > 0, b > 0, ~at_bound)
        violation = max(violation, _violation((y - f_ij)[rises], (y - f_ij)[falls]))
        infeasibility = max(infeasibility, _infeasibility(b, 0.0, -alpha.min(), alpha.max() - C))
    return Verdict(float(np.abs(beta).sum() - (beta * f).sum() / 2), violation, infeasibility)


def _regression(y: Any, b: Any, f: Any, C: float, epsilon: float) -> Verdict:
    below, above = b < C * (1 - ROUNDING), b > -C * (1 - ROUNDING)
    rise = y - f - np.where(b >= 0, epsilon, -epsilon)
    fall = y - f - np.where(b > 0, epsilon, -epsilon)
    value = y @ b - epsilon * np.abs(b).sum() - b @ f / 2
    infeasibility = _infeasibility(b, 0.0, np.abs(b).max() - C)
    return Verdict(float(value), _violation(rise[below], fall[above]), infeasibility)


def _one_class(b: Any, f: Any, nu: float) -> Verdict:
    infeasibility = _infeasibility(b, nu * len(b), -b.min(), b.max() - 1)
    return Verdict(float(-b @ f / 2), _violation(-f[b < 1 - ROUNDING], -f[b > 0]), infeasibility)


def _violation(rise: Any, fall: Any) -> float:
    return float(rise.max() - fall.min()) if len(rise) and len(fall) else 0.0


def _infeasibility(b: Any, total: float, *beyond_bounds: float) -> float:
    """Errors in the sum and beyond the bounds, relative to the sum of all sizes."""
    return float(max(abs(b.sum() - total), *beyond_bounds, 0.0) / max(np.abs(b).sum(), 1e-300))
