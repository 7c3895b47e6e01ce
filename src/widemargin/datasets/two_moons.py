"""Two interleaving half circles."""

from __future__ import annotations

import numpy as np
from scipy.special import expit, logsumexp

from .sample import Array, Sample


def two_moons(n_samples: int, noise: float = 0.2, *, seed: int) -> Sample:
    """The upper unit half circle (-1) and the lower one around (1, 1/2) (+1), plus Gaussian noise.

    Examples
    --------
    >>> two_moons(50, seed=0).X.shape
    (50, 2)
    """
    if noise < 0:
        raise ValueError(f"noise must not be negative, got {noise}: it is a standard deviation")
    random = np.random.default_rng(seed)
    y = random.choice([-1.0, 1.0], n_samples)
    angle = random.uniform(0, np.pi, n_samples)
    X = _moons(angle, y) + noise * random.standard_normal((n_samples, 2))
    if noise == 0:
        return Sample(X, y, 0.0, None)

    def posterior(points: Array) -> Array:
        """Both densities integrated along their arcs, with steps well below the noise."""
        angles = (np.arange(steps := int(np.ceil(40 / min(noise, 1)))) + 0.5) * np.pi / steps
        return expit(_log_arc(points, angles, 1.0, noise) - _log_arc(points, angles, -1.0, noise))

    return Sample(X, y, None, posterior)


def _moons(angle: Array, y: Array | float) -> Array:
    upper = np.stack([np.cos(angle), np.sin(angle)], axis=1)
    lower = np.stack([1 - np.cos(angle), 0.5 - np.sin(angle)], axis=1)
    return np.where(np.broadcast_to(y, angle.shape)[:, None] < 0, upper, lower)


def _log_arc(points: Array, angles: Array, label: float, noise: float) -> Array:
    difference = np.asarray(points)[:, None, :] - _moons(angles, label)[None]
    return logsumexp(-0.5 * (difference**2).sum(axis=2) / noise**2, axis=1)
