"""The sparse coordinate problem: few informative among many uninformative binary features."""

from __future__ import annotations

from math import comb

import numpy as np

from .sample import Array, Sample


def sparse_coordinates(n_samples: int, n: int = 3, m: int = 14, k: int = 3, *, seed: int) -> Sample:
    """Binary vectors with exactly `k` ones among 2n informative and m uninformative coordinates.

    The label chooses the block (first n for +1, second n for -1) that certainly holds a one; the other k - 1
    ones fall anywhere. With u and v ones in the two blocks the posterior of +1 is u / (u + v), and ::

        Bayes error = sum_{u,v} C(n,u) C(n,v) C(m,k-u-v) min(u,v) / (2n C(2n+m-1, k-1)).

    Examples
    --------
    >>> sample = sparse_coordinates(5, seed=0)
    >>> sample.X.sum(axis=1).tolist(), round(sample.bayes_error, 4)
    ([3.0, 3.0, 3.0, 3.0, 3.0], 0.1404)
    """
    if not 1 <= k <= 2 * n + m:
        raise ValueError(f"k must lie between 1 and 2n + m = {2 * n + m}, got {k}: it is the number of ones")
    random = np.random.default_rng(seed)
    y = random.choice([-1.0, 1.0], n_samples)
    certain = random.integers(n, size=n_samples) + np.where(y > 0, 0, n)
    order = random.uniform(size=(n_samples, 2 * n + m))
    order[np.arange(n_samples), certain] = -1.0  # first in the order, so always drawn
    X = (np.argsort(np.argsort(order, axis=1), axis=1) < k).astype(float)

    def posterior(points: Array) -> Array:
        points = np.asarray(points)
        u, v = points[:, :n].sum(axis=1), points[:, n : 2 * n].sum(axis=1)
        return u / (u + v)

    return Sample(X, y, sparse_coordinates_bayes_error(n, m, k), posterior)


def sparse_coordinates_bayes_error(n: int, m: int, k: int) -> float:
    """Exact Bayes error of the sparse coordinate problem."""
    wrong = sum(
        comb(n, u) * comb(n, v) * comb(m, k - u - v) * min(u, v)
        for u in range(1, min(n, k) + 1)
        for v in range(1, min(n, k - u) + 1)
    )
    return wrong / (2 * n * comb(2 * n + m - 1, k - 1))
