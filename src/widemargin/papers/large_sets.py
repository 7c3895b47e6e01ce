"""The problems on which maximum gain was studied, where they can be had, and stand-ins where not."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from widemargin.datasets import Sample, chess_board, noisy_chess_board, published
from widemargin.papers.trials import Task

MEGABYTES_40 = 40_000_000
CONNECT_4 = 30_555  # examples
CONNECT_4_SHARE = MEGABYTES_40 / (4 * CONNECT_4**2)
MNIST = 60_000
MNIST_SHARE = MEGABYTES_40 / (4 * MNIST**2)

NEEDS = (
    "spam.npz, mnist.npz and connect4.npz in the data folder for the original sets; without them generated "
    "chess boards with the same share of the kernel matrix in the cache."
)


def gamma(sigma: float) -> float:
    """The papers' Gaussian is exp(-|x - z|^2 / (2 sigma^2))."""
    return 1 / (2 * sigma**2)


def spam(data_dir: Path | None) -> Task | None:
    """The spam database with every feature standardised."""
    sample = _stored("spam", data_dir)
    if sample is None:
        return None
    X = (sample.X - sample.X.mean(axis=0)) / sample.X.std(axis=0)
    return Task("spam-database", Sample(X, sample.y), C=50, gamma=gamma(10), cache_bytes=MEGABYTES_40)


def connect_4(data_dir: Path | None, n: int = CONNECT_4) -> Task | None:
    """Connect-4 positions: n at random; the study has a random half of them."""
    sample = _stored("connect4", data_dir)
    if sample is None:
        return None
    some = np.random.default_rng(0).permutation(len(sample.y))[:n]
    task = Task("connect-4", Sample(sample.X[some], sample.y[some]), C=4.5, gamma=gamma(1.5))
    return task.with_cache_share(CONNECT_4_SHARE)


def mnist(data_dir: Path | None, n: int = MNIST) -> Task | None:
    """Digits 0-4 against 5-9 on raw pixels: the first n of the training set."""
    digits = _stored("mnist", data_dir)
    if digits is None:
        return None
    sample = Sample(digits.X[:n], np.where(digits.y[:n] <= 4, 1.0, -1.0))
    return Task("MNIST", sample, C=50, gamma=gamma(3500)).with_cache_share(MNIST_SHARE)


def noisy_board(n: int) -> Task:
    """The stand-in for connect-4: about as many support vectors, many of them bounded."""
    return Task("noisy chess board", noisy_chess_board(n, 0.2, seed=0), C=10, gamma=2).with_cache_share(
        CONNECT_4_SHARE
    )


def clean_board(n: int) -> Task:
    """A stand-in with few support vectors and a long fine-tuning phase."""
    return Task("chess board", chess_board(n, seed=0), C=1000, gamma=2).with_cache_share(CONNECT_4_SHARE)


def _stored(name: str, data_dir: Path | None) -> Sample | None:
    try:
        return published.stored(name, data_dir)
    except FileNotFoundError:
        return None
