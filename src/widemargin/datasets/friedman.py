"""Friedman's first regression problem."""

from __future__ import annotations

import numpy as np

from .sample import Array, Sample


def friedman1(n_samples: int, dimensions: int = 10, noise: float = 1.0, *, seed: int) -> Sample:
    """y = 10 sin(pi x1 x2) + 20 (x3 - 1/2)^2 + 10 x4 + 5 x5 + N(0, noise^2) on the unit cube.

    `posterior` is the conditional mean, `bayes_error` the mean squared error noise^2 of predicting it.

    Examples
    --------
    >>> friedman1(20, noise=0.5, seed=0).bayes_error
    0.25
    """
    if dimensions < 5:
        raise ValueError(f"dimensions must be at least 5, got {dimensions}: five features matter")
    random = np.random.default_rng(seed)
    X = random.uniform(size=(n_samples, dimensions))
    y = _mean(X) + noise * random.standard_normal(n_samples)
    return Sample(X, y, noise**2, _mean)


def _mean(X: Array) -> Array:
    x1, x2, x3, x4, x5 = np.asarray(X)[:, :5].T
    return 10 * np.sin(np.pi * x1 * x2) + 20 * (x3 - 0.5) ** 2 + 10 * x4 + 5 * x5
