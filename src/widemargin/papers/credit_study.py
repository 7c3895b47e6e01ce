"""The data and settings of the study of barrier and pair methods on ratings of companies."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

import numpy as np

from widemargin.datasets import Sample, credit_ratings, read_credit_ratings
from widemargin.datasets.credit_ratings import FILE, RATINGS
from widemargin.kernels import Gaussian, Kernel, Polynomial

SOURCE = "Lau 2020, SVMs: a study in numerical optimisation"

NEEDS = (
    f"Nothing for generated companies; {FILE}, which comes with MATLAB, in the data folder for the real ones."
)

STAND_IN = (
    "The companies are generated, with the numbers of ratings of the real ones (datasets.credit_ratings): "
    "objectives and accuracies are of the same kind as the printed ones, not the same."
)

POLYNOMIAL_C, GAUSSIAN_C = 10.0, 100.0
"""The prices that the study chose for its kernels."""

DEGREES, SIGMAS = (1, 2, 3), (0.01, 0.1, 0.5, 1.0)

PRICES = 10.0 ** np.arange(-2, 3.1, 0.5)
"""Of the sweeps: C = 10^-2, 10^-1.5, ..., 10^3."""


class Split(NamedTuple):
    """Training and test companies."""

    train: Sample
    test: Sample


def kernels() -> dict[str, tuple[Kernel, float]]:
    """The kernels of the study with the prices chosen for them."""
    polynomials = {f"poly p = {p}": (Polynomial(degree=p), POLYNOMIAL_C) for p in DEGREES}
    return polynomials | {f"gauss s = {s:g}": (study_gaussian(s), GAUSSIAN_C) for s in SIGMAS}


def best_kernels() -> dict[str, tuple[Kernel, float]]:
    """What the study went on with: its best Gaussian and its best polynomial."""
    return {name: kernels()[name] for name in ("gauss s = 0.5", "poly p = 2")}


def study_gaussian(sigma: float) -> Gaussian:
    """exp(-|x - z|^2 / sigma^2), the study's convention: gamma = 1 / sigma^2.

    Examples
    --------
    >>> study_gaussian(0.5).gamma
    4.0
    """
    return Gaussian(gamma=1 / sigma**2)


def companies(data_dir: Path | None) -> Sample:
    """The real companies if the folder has them, else generated ones; all features between 0 and 1."""
    if data_dir is not None and are_real(data_dir):
        sample = read_credit_ratings(data_dir)
    else:
        sample = credit_ratings(seed=0)
    low, high = sample.X.min(axis=0), sample.X.max(axis=0)
    return Sample((sample.X - low) / (high - low), sample.y)


def are_real(data_dir: Path | None) -> bool:
    """Whether the folder has the real companies."""
    return data_dir is not None and (data_dir / FILE).is_file()


def two_ratings(data_dir: Path | None, most: int | None = None, seed: int = 0) -> Split:
    """BBB (+1) against BB (-1): four fifths for training, or at most so many, and a fifth for testing."""
    sample = companies(data_dir)
    rows = np.flatnonzero(np.isin(sample.y, [RATINGS.index("BBB"), RATINGS.index("BB")]))
    y = np.where(sample.y[rows] == RATINGS.index("BBB"), 1.0, -1.0)
    return split(Sample(sample.X[rows], y), most, seed)


def split(sample: Sample, most: int | None, seed: int) -> Split:
    """A random fifth for testing; of the rest all, or `most`, for training."""
    order = np.random.default_rng(seed).permutation(len(sample.y))
    test, train = np.split(order, [len(order) // 5])
    return Split(*(Sample(sample.X[rows], sample.y[rows]) for rows in (train[:most], test)))


def data_notes(data_dir: Path | None) -> list[str]:
    """What to know of the numbers."""
    return [] if are_real(data_dir) else [STAND_IN]
