"""The statistics by which NoisyRprop judges its own walk, where there is nothing but noise."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table

MOVES, LOOKS = 1600, 100
THRESHOLDS = (
    ("|S1|", 0.20, 0.25),
    ("|S1|", 0.90, 1.64),
    ("S2", 0.10, 0.95),
    ("S2", 0.75, 1.77),
    ("|S3|", 0.15, 0.29),
    ("|S3|", 0.90, 2.5),
)
"""Statistic, quantile, and its printed value."""

RIGHT = 0.75
"""Probability of a move towards the optimum of |x|, but -|x| with probability 1/4."""


class WalkStatistics(Experiment):
    """Quantiles of S1 (how far the walk has come), S2 (the range that it has covered) and S3 (whether moves
    to both sides have equally large derivatives) over walks without drift, normal derivatives; and how the
    stationary law of a walk with fixed steps falls from step to step, if three of four moves go towards the
    optimum: by (1 - q) / q, so that half the step has half the spread."""

    title = "How the walk of NoisyRprop looks without drift, and with a fixed step"
    source = "Glasmachers 2008, thesis, chapter 11"
    needs = "Nothing."
    columns = (
        Column("quantity"),
        Column("quantile", ".2f"),
        Column("ours", ".3f"),
        Column("printed", ".3f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        walks = statistics(400_000 if scope.full else 20_000, MOVES)
        for name, quantile, printed in THRESHOLDS:
            yield name, quantile, float(np.quantile(walks[name], quantile)), printed
        yield "P(k+1)/P(k), fixed step", None, decay(10**6 if scope.full else 10**5), (1 - RIGHT) / RIGHT

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return ["The printed 75 % quantile of S2 is a little too large, which does no harm."]


def statistics(walks: int, moves: int, seed: int = 0) -> dict[str, NDArray[np.float64]]:
    """S1, S2 and S3 of so many walks without drift, as `NoisyRprop` defines them."""
    random = np.random.default_rng(seed)
    found: dict[str, list[NDArray[np.float64]]] = {"|S1|": [], "S2": [], "|S3|": []}
    looks = np.unique(np.arange(1, LOOKS + 1) * moves // LOOKS)
    for part in np.array_split(np.arange(walks), max(1, walks // 2000)):
        g = random.normal(size=(part.size, moves))
        x = np.cumsum(-np.sign(g), axis=1)
        seen = np.column_stack([np.zeros(part.size), x[:, looks - 1]])
        right, left = g < 0, g > 0
        sums = [np.where(side, np.abs(g), 0).sum(axis=1) for side in (right, left)]
        means = [total / side.sum(axis=1) for total, side in zip(sums, (right, left), strict=True)]
        found["|S1|"].append(np.abs(x[:, -1]) / np.sqrt(moves))
        found["S2"].append(np.ptp(seen, axis=1) / np.sqrt(moves))
        found["|S3|"].append(np.sqrt(moves) * np.abs(means[0] - means[1]) / (sum(sums) / moves))
    return {name: np.concatenate(parts) for name, parts in found.items()}


def decay(moves: int, walks: int = 100, seed: int = 0) -> float:
    """By which factor the stationary law falls per step, right of the optimum between two points of a walk.

    The walk is on k + 1/2; the factor is that of P(3/2) to P(1/2).
    """
    random = np.random.default_rng(seed)
    x, counts = np.full(walks, 0.5), np.zeros(2)
    for _ in range(moves // walks):
        x = x - np.sign(x) * np.where(random.uniform(size=walks) < RIGHT, 1.0, -1.0)
        counts += [(x == 0.5).sum(), (x == 1.5).sum()]
    return float(counts[1] / counts[0])
