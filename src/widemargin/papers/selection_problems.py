"""The problems on which strategies of model selection are compared, trial by trial."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from widemargin.datasets import Sample, chess_board, noisy_chess_board, published, sparse_coordinates

POINTS = 200
"""Training points of a trial."""

TEST_POINTS = (10_000, 100_000)
"""Of generated problems, quickly and fully; of the others all points that are not trained with."""


@dataclass(frozen=True)
class Generated:
    """Fresh points for each trial."""

    name: str
    draw: Callable[[int, int], Sample]
    """From a number of points and a seed."""

    test_points: int
    per_feature: bool

    def trial(self, number: int) -> tuple[Sample, Sample]:
        """Points of two seeds of their own."""
        return self.draw(POINTS, 2 * number), self.draw(self.test_points, 2 * number + 1)


@dataclass(frozen=True)
class Drawn:
    """A random part of a data set for each trial, the rest to test."""

    name: str
    data_dir: Path | None
    per_feature: bool

    @cached_property
    def sample(self) -> Sample:
        """All points."""
        return published.load(self.name, self.data_dir)

    def trial(self, number: int) -> tuple[Sample, Sample]:
        """200 points, and all others."""
        X, y = np.asarray(self.sample.X, dtype=np.float64), self.sample.y
        order = np.random.default_rng(number).permutation(len(y))
        train, test = order[:POINTS], order[POINTS:]
        return Sample(X[train], y[train]), Sample(X[test], y[test])


Problem = Generated | Drawn


def toys(full: bool) -> list[Problem]:
    """Chess boards and sparse coordinates."""
    draws: dict[str, Callable[[int, int], Sample]] = {
        "sparse-3": lambda n, seed: sparse_coordinates(n, k=3, seed=seed),
        "sparse-5": lambda n, seed: sparse_coordinates(n, k=5, seed=seed),
        "chess": lambda n, seed: chess_board(n, seed=seed),
        "noisy-chess": lambda n, seed: noisy_chess_board(n, 0.2, seed=seed),
    }
    return [Generated(name, draw, TEST_POINTS[full], "sparse" in name) for name, draw in draws.items()]


def benchmarks(names: list[str], data_dir: Path | None, per_feature: bool) -> list[Problem]:
    """Those of these published sets that are here."""
    here = published.available(data_dir)
    return [Drawn(name, data_dir, per_feature) for name in names if name in here]
