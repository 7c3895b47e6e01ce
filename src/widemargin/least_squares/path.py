"""Choosing the ridge: on a grid where a value costs little, by descent where it costs a factorisation."""

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

FIRST, LAST = 10.0, 1.5
"""Factors of the steps of a descent: each round takes the square root of the one before."""

START = 1e-5
"""Where a descent begins, relative to the trace of K."""


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


def search_grid(errors: Callable[[Vector], Vector], trace: float) -> Path:
    """A logarithmic grid, refined twice around its best value.

    Parameters
    ----------
    errors : function
        From ridges to their errors, all at once.
    trace : float
        The trace of K, at most which the largest eigenvalue is.
    """
    grid = np.geomspace(*RANGE, GRID) * _positive(trace)
    known: dict[float, float] = {}
    for _ in range(ROUNDS + 1):
        known |= dict(zip(grid.tolist(), errors(grid).tolist(), strict=True))
        path = _path(known)
        at = int(np.searchsorted(path.ridges, path.best))
        low, high = path.ridges[max(at - 1, 0)], path.ridges[min(at + 1, len(path.ridges) - 1)]
        grid = np.geomspace(low, high, REFINED + 2)[1:-1]
    return path


def descend(error: Callable[[float], float], trace: float) -> Path:
    """Steps of a factor 10 as long as the error falls, then of its square root, and so on.

    About ten values are tried; the error is taken to have one minimum.
    """
    lowest, highest = (end * _positive(trace) for end in RANGE)
    best, factor = START * _positive(trace), FIRST
    known = {best: error(best)}

    def better(ridge: float) -> bool:
        if ridge not in known:
            known[ridge] = error(ridge)
        return known[ridge] < known[best]

    while factor > LAST:
        for step in (factor, 1 / factor):
            moved = False
            while lowest <= best * step <= highest and better(best * step):
                best, moved = best * step, True
            if moved:
                break
        factor = factor**0.5
    return _path(known)


def _positive(trace: float) -> float:
    return trace if trace > 0 else 1.0
