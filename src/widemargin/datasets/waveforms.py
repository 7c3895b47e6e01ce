"""Breiman's waveforms: random mixtures of two of three triangular waves, with noise."""

from __future__ import annotations

import numpy as np
from scipy.special import logsumexp
from scipy.stats import norm

from .sample import Array, Sample

_positions = np.arange(1, 22)
WAVES = np.maximum(6 - abs(_positions - np.array([[11], [15], [7]])), 0).astype(float)
MIXTURES = ((0, 1), (0, 2), (1, 2))  # the two waves of each class


def waveform(n_samples: int, *, seed: int) -> Sample:
    """Three classes on 21 features: x = u h_p + (1 - u) h_q + N(0, I), u uniform on [0, 1].

    The Bayes error, 14 %, has no closed form; the posterior has (see `log_density`).

    Examples
    --------
    >>> sample = waveform(100, seed=0)
    >>> sample.X.shape, sample.posterior(sample.X).shape
    ((100, 21), (100, 3))
    """
    random = np.random.default_rng(seed)
    y = random.integers(3, size=n_samples)
    u = random.uniform(size=(n_samples, 1))
    p, q = np.array(MIXTURES)[y].T
    X = u * WAVES[p] + (1 - u) * WAVES[q] + random.standard_normal((n_samples, 21))
    return Sample(X, y, None, _posterior)


def waveform_binary(n_samples: int, positive: int = 1, *, seed: int) -> Sample:
    """The two-class task of the benchmarks: class `positive` against the two others.

    Examples
    --------
    >>> sorted(set(waveform_binary(100, seed=0).y.tolist()))
    [-1.0, 1.0]
    """
    sample = waveform(n_samples, seed=seed)
    y = np.where(sample.y == positive, 1.0, -1.0)
    return Sample(sample.X, y, None, lambda points: _posterior(points)[:, positive])


def log_density(X: Array, mixture: tuple[int, int]) -> Array:
    """Log density of one class up to a constant shared by all: a Gaussian integrated along a segment.

    With d = h_p - h_q and r = x - h_q, the integrand is a Gaussian in u with mean t = r'd/|d|^2 and standard
    deviation 1/|d|, times exp(-(|r|^2 - (r'd)^2/|d|^2)/2).
    """
    p, q = mixture
    d = WAVES[p] - WAVES[q]
    length = np.linalg.norm(d)
    r = np.asarray(X) - WAVES[q]
    t = r @ d / length**2
    distance2 = (r**2).sum(axis=1) - (t * length) ** 2
    # The mass of [-t, 1-t]|d| on the side where both ends are negative: no cancellation far from the segment.
    low, high = -t * length, (1 - t) * length
    flip = low > 0
    low, high = np.where(flip, -high, low), np.where(flip, -low, high)
    log_mass = norm.logcdf(high) + np.log1p(-np.exp(norm.logcdf(low) - norm.logcdf(high)))
    return -0.5 * distance2 + log_mass - np.log(length)


def _posterior(points: Array) -> Array:
    log_joint = np.stack([log_density(points, mixture) for mixture in MIXTURES], axis=1)
    return np.exp(log_joint - logsumexp(log_joint, axis=1, keepdims=True))
