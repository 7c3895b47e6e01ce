"""Choosing the ridge: on a grid where a value costs little, by descent where it costs a factor of K."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["Path", "descend", "search_grid"]

Vector = NDArray[np.float64]

RANGE, GRID = (1e-9, 10.0), 41
"""The grid of ridges, relative to the trace of K: below, the system is near singular; above, f is near 0."""

REFINED, ROUNDS = 7, 2
"""Values between the neighbours of the best one, and how often they are refined."""

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


def _path(known: dict[float, float]) -> Path:
    ridges = sorted(known)
    return Path(np.array(ridges), np.array([known[ridge] for ridge in ridges]))


def search_grid(
    errors: Callable[[Vector], Vector], trace: float, refined: int = REFINED, rounds: int = ROUNDS
) -> Path:
    """A logarithmic grid, refined around its best value.

    Parameters
    ----------
    errors : function
        From ridges to their errors, all at once.
    trace : float
        The trace of K, at most which the largest eigenvalue is.
    refined, rounds : int
        Values between the neighbours of the best one, and how often they are refined.
    """
    grid = np.geomspace(*RANGE, GRID) * _positive(trace)
    known: dict[float, float] = {}
    for _ in range(rounds + 1):
        known |= dict(zip(grid.tolist(), errors(grid).tolist(), strict=True))
        path = _path(known)
        at = int(np.searchsorted(path.ridges, path.best))
        low, high = path.ridges[max(at - 1, 0)], path.ridges[min(at + 1, len(path.ridges) - 1)]
        grid = np.geomspace(low, high, refined + 2)[1:-1]
    return path


def descend(error: Callable[[float], float], start: float, trace: float) -> Path:
    """Steps of a factor 4 from `start` until the error rises on both sides, then the vertex of the parabola.

    Four or five values are tried from a good start; the error is taken to have one minimum, and to be smooth
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
