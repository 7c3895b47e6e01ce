"""How much single features say about the target."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

Vector = NDArray[np.float64]

LEVELS = 10
"""Groups of equal size into which real targets are cut."""


def correlation_ratio(X: Any, groups: NDArray[np.integer]) -> Vector:
    """The share of each feature's variance that lies between the groups,

        eta^2 = sum_g n_g (mean_g - mean)^2 / sum_i (x_i - mean)^2.

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
    varies = whole > 1e-12 * np.maximum(1, mean**2)
    return np.divide(between, whole, out=np.zeros_like(whole), where=varies)


def metric(X: Any, groups: NDArray[np.integer], power: float) -> Vector:
    """Weights of the features in a squared distance: their relevance to a power, the largest being 1.

    Relevance is the correlation ratio, but at least (G - 1) / (n - 1), what it is in the mean for a feature
    that has nothing to do with the G groups of n points: below that it says nothing, and the fewer the points
    the less weights may differ. Power 0 is the radial kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.auto.relevance import metric
    >>> metric(np.array([[0.0, 1], [0, 2], [1, 1], [1, 2]]), np.array([0, 0, 1, 1]), power=1).round(2)
    array([1.  , 0.33])
    """
    if power == 0:
        return np.ones(X.shape[1])
    by_chance = groups.max() / max(groups.size - 1, 1)
    relevance = np.maximum(correlation_ratio(X, groups), by_chance)
    return (relevance / relevance.max()) ** power


def levels(y: Vector) -> NDArray[np.integer]:
    """Real targets in groups of equal size, as many as make sense."""
    ranks = np.argsort(np.argsort(y, kind="stable"), kind="stable")
    return (ranks * min(LEVELS, max(2, len(y) // 5)) // len(y)).astype(np.int64)
