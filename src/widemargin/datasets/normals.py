"""Breiman's twonorm and ringnorm: two Gaussian classes in twenty dimensions."""

from __future__ import annotations

import numpy as np
from scipy.special import expit
from scipy.stats import ncx2, norm

from .sample import Array, Sample


def twonorm(n_samples: int, dimensions: int = 20, *, seed: int) -> Sample:
    """Classes N(a, I) and N(-a, I), a = (2, ..., 2)/sqrt(dimensions); Bayes error Phi(-2) = 2.28 %.

    Examples
    --------
    >>> round(twonorm(10, seed=0).bayes_error, 4)
    0.0228
    """
    random = np.random.default_rng(seed)
    a = np.full(dimensions, 2 / np.sqrt(dimensions))
    y = random.choice([-1.0, 1.0], n_samples)
    X = y[:, None] * a + random.standard_normal((n_samples, dimensions))

    def posterior(points: Array) -> Array:
        return expit(2 * np.asarray(points) @ a)

    return Sample(X, y, float(norm.cdf(-2.0)), posterior)


def ringnorm(n_samples: int, dimensions: int = 20, *, seed: int) -> Sample:
    """Classes N(0, 4I) (label +1) and N(a, I) (label -1), a = (2, ..., 2)/sqrt(dimensions).

    The Bayes rule is a ball: -1 inside |x - 4a/3|^2 < T with T = 4/3 (2 d ln 2 + |a|^2/3), so both errors
    are values of the non-central chi-squared distribution.

    Examples
    --------
    >>> round(ringnorm(10, seed=0).bayes_error, 4)
    0.0124
    """
    random = np.random.default_rng(seed)
    d = dimensions
    a = np.full(d, 2 / np.sqrt(d))
    y = random.choice([-1.0, 1.0], n_samples)
    noise = random.standard_normal((n_samples, d))
    X = np.where(y[:, None] > 0, 2 * noise, a + noise)

    def posterior(points: Array) -> Array:
        points = np.asarray(points)
        wide = -0.125 * (points**2).sum(axis=1) - d * np.log(2.0)
        narrow = -0.5 * ((points - a) ** 2).sum(axis=1)
        return expit(wide - narrow)

    T = 4 / 3 * (2 * d * np.log(2.0) + a @ a / 3)
    wide_error = ncx2.cdf(T / 4, d, 4 / 9 * (a @ a))
    narrow_error = ncx2.sf(T, d, (a @ a) / 9)
    return Sample(X, y, float(wide_error + narrow_error) / 2, posterior)
