"""The chess board: the standard hard problem for SMO, with and without label noise."""

from __future__ import annotations

import numpy as np

from .sample import Array, Sample


def colour(X: Array) -> Array:
    """Label of each point: (-1)^(sum of the floors of its coordinates); the field at the origin is +1."""
    return np.where(np.floor(X).sum(axis=1) % 2 == 0, 1.0, -1.0)


def chess_board(n_samples: int, fields: int = 4, dimensions: int = 2, *, seed: int) -> Sample:
    """Points uniform on [0, fields)^dimensions, labelled by the colour of their field; Bayes error 0.

    Examples
    --------
    >>> sample = chess_board(1000, seed=0)
    >>> sample.X.shape, sample.bayes_error
    ((1000, 2), 0.0)
    """
    return noisy_chess_board(n_samples, 0.0, fields, dimensions, seed=seed)


def noisy_chess_board(
    n_samples: int, noise: float = 0.2, fields: int = 4, dimensions: int = 2, *, seed: int
) -> Sample:
    """A chess board whose labels are replaced by a fair coin with probability `noise`; Bayes error noise / 2.

    Examples
    --------
    >>> noisy_chess_board(10, noise=0.2, seed=0).bayes_error
    0.1
    """
    if not 0 <= noise < 1:
        raise ValueError(f"noise must lie in [0, 1), got {noise}: it is the share of labels drawn by a coin")
    random = np.random.default_rng(seed)
    X = random.uniform(0, fields, (n_samples, dimensions))
    coin = random.choice([-1.0, 1.0], n_samples)
    y = np.where(random.uniform(size=n_samples) < noise, coin, colour(X))

    def posterior(points: Array) -> Array:
        return 0.5 + 0.5 * (1 - noise) * colour(np.asarray(points))

    return Sample(X, y, noise / 2, posterior)
