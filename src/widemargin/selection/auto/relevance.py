"""How much single features say about the target."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Vector = NDArray[np.float64]

LEAST = 1e-6
"""Weight of a feature that says nothing: it stays in, by a thousandth of its width."""

LEVELS = 10
"""Groups of equal size into which real targets are cut."""


def correlation_ratio(X: Any, groups: NDArray[np.integer]) -> Vector:
    """The share of each feature's variance that lies between the groups, less what chance would give.

        eta^2 = sum_g n_g (mean_g - mean)^2 / sum_i (x_i - mean)^2,

    and eta^2 - (G - 1) / (n - 1) (1 - eta^2), at least 0, for n points in G groups.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.auto.relevance import correlation_ratio
    >>> correlation_ratio(np.array([[0.0, 1], [0, 2], [1, 1], [1, 2]]), np.array([0, 0, 1, 1]))
    array([1., 0.])
    """
    n, number = X.shape[0], int(groups.max()) + 1
    counts = np.bincount(groups, minlength=number)
    member = sp.csr_array((np.ones(n), (groups, np.arange(n))), shape=(number, n))
    totals = member @ X
    totals = totals.toarray() if sp.issparse(totals) else np.asarray(totals)
    mean = totals.sum(axis=0) / n
    between = counts @ (totals / np.maximum(counts, 1)[:, None] - mean) ** 2
    squares = X.multiply(X).sum(axis=0) if sp.issparse(X) else (X * X).sum(axis=0)
    whole = np.ravel(squares) - n * mean**2
    eta = np.divide(between, whole, out=np.zeros_like(whole), where=whole > 1e-12 * np.maximum(1, mean**2))
    by_chance = (number - 1) / max(n - 1, 1)
    return np.clip(eta - by_chance * (1 - eta), 0.0, 1.0)


def metric(X: Any, groups: NDArray[np.integer], power: float) -> Vector:
    """Weights of the features in a squared distance: their relevance to a power, the largest being 1.

    Power 0 is the radial kernel. If no feature stands out by itself, all of them count the same.
    """
    if power == 0:
        return np.ones(X.shape[1])
    eta = correlation_ratio(X, groups)
    if not eta.any():
        return np.ones(X.shape[1])
    return np.maximum((eta / eta.max()) ** power, LEAST)


def levels(y: Vector) -> NDArray[np.integer]:
    """Real targets in groups of equal size, as many as make sense."""
    ranks = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    return (ranks * min(LEVELS, max(2, len(y) // 5)) // len(y)).astype(np.int64)
