"""Choosing the ridge: on a grid where a value costs little, by descent where it costs a factor of K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

__all__ = ["Path", "Ridge", "descend", "scan", "search_grid"]

Vector = NDArray[np.float64]

Ridge = float | Vector | None
"""A ridge that is given, several to choose from (ascending), or None for a search, both by leave-one-out."""

RANGE, GRID = (1e-9, 10.0), 41
"""The grid of ridges, relative to the trace of K: below, the system is near singular; above, f is near 0."""

REFINED, ROUNDS = 3, 2
"""Values between the best one and each of its neighbours, and how often they are refined."""

STEP = 4.0
"""Factor between the ridges of a descent."""


@dataclass(frozen=True)
class Path:
    """The ridges that were tried, ascending, with their leave-one-out errors."""

    ridges: Vector
    errors: Vector

    @property
    def best(self) -> float:
        """The ridge of the smallest error; the largest of several."""
        smallest = np.flatnonzero(self.errors == np.nanmin(self.errors))
        return float(self.ridges[smallest[-1]])

    @property
    def around(self) -> slice:
        """The best ridge and its neighbours; at an end of the path there is one."""
        at = int(np.searchsorted(self.ridges, self.best))
        return slice(max(at - 1, 0), at + 2)

    @property
    def vertex(self) -> float:
        """Where the parabola through the best ridge and its neighbours, over log ridge, is least."""
        t, errors = np.log(self.ridges[self.around]), self.errors[self.around]
        if t.size < 3:
            return self.best
        slopes, middles = np.diff(errors) / np.diff(t), (t[:-1] + t[1:]) / 2
        if not slopes[0] < slopes[1]:
            return self.best
        share = -slopes[0] / (slopes[1] - slopes[0])
        return float(np.exp(middles[0] + share * (middles[1] - middles[0])))

    def joined(self, ridges: Vector, errors: Vector) -> Path:
        """With further ridges, each of which is there once."""
        known = dict(zip(self.ridges.tolist(), self.errors.tolist(), strict=True))
        return _path(known | dict(zip(ridges.tolist(), errors.tolist(), strict=True)))


def _path(known: dict[float, float]) -> Path:
    ridges = sorted(known)
    return Path(np.array(ridges), np.array([known[ridge] for ridge in ridges]))


def scan(
    errors: Callable[[Vector], Vector], trace: float, refined: int = REFINED, rounds: int = ROUNDS
) -> Path:
    """A logarithmic grid, refined on both sides of its best value.

    Parameters
    ----------
    errors : function
        From ridges to their errors, all at once.
    trace : float
        The trace of K, at most which the largest eigenvalue is.
    refined, rounds : int
        Values between the best one and each of its neighbours, and how often they are refined.
    """
    grid = np.geomspace(*RANGE, GRID) * _positive(trace)
    path = Path(grid, errors(grid))
    for _ in range(rounds):
        ends = pairwise(path.ridges[path.around])
        finer = np.concatenate([np.geomspace(low, high, refined + 2)[1:-1] for low, high in ends])
        path = path.joined(finer, errors(finer))
    return path


def search_grid(errors: Callable[[Vector], Vector], trace: float) -> Path:
    """The values of `scan`, and the vertex of the parabola through the best three."""
    path = scan(errors, trace)
    vertex = np.array([path.vertex])
    return path.joined(vertex, errors(vertex))


def descend(error: Callable[[float], float], start: float, trace: float) -> Path:
    """Steps of a factor 4 from `start` until the error rises on both sides, then the vertex of the parabola.

    Four to six values are tried from a good start; the error is taken to have one minimum, and to be smooth
    in the logarithm of the ridge.
    """
    lowest, highest = (float(np.log(end * _positive(trace))) for end in RANGE)
    known: dict[float, float] = {}

    def at(t: float) -> float:
        t = min(max(t, lowest), highest)
        if t not in known:
            known[t] = error(float(np.exp(t)))
        return known[t]

    step = float(np.log(STEP))
    middle = min(max(float(np.log(start)), lowest), highest)
    while (around := [at(middle - step), at(middle), at(middle + step)]).index(min(around)) != 1:
        further = middle + step if around[2] < around[0] else middle - step
        if not lowest <= further <= highest:
            break
        middle = further
    left, center, right = around
    if left + right > 2 * center:  # else the minimum is at the end of the range
        at(middle + step / 2 * (left - right) / (left - 2 * center + right))
    return _path({float(np.exp(t)): value for t, value in known.items()})


def _positive(trace: float) -> float:
    return trace if trace > 0 else 1.0
