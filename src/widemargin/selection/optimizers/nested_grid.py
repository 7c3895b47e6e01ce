"""Grids within grids."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .evaluation import Evaluation
from .grid import Grid, GridState, around, best_of
from .optimizer import nowhere


class NestedGrid(Grid):
    """A grid, and around its best point one of half the spacing, again and again.

    Parameters
    ----------
    reach : float or array of shape (n,), default=4.0
        From the start to both ends of each axis of the first grid.
    points : int or array of shape (n,), default=7
        Its values per axis.
    rounds : int, default=2
        How often the spacing is halved; each time costs 3^n - 1 evaluations in n dimensions.

    Examples
    --------
    >>> from widemargin.selection.optimizers import NestedGrid, minimize
    >>> run = minimize(lambda x: abs(x[0] - 0.8), NestedGrid(reach=2.0, points=5), [0.0])
    >>> run.answer, len(run.history)
    (array([0.75]), 9)
    """

    def __init__(self, *, reach: Any = 4.0, points: Any = 7, rounds: int = 2) -> None:
        super().__init__(reach=reach, points=points)
        self.rounds = rounds

    def budget(self, n: int) -> int:
        """All points of the grid and of its refinements."""
        return super().budget(n) + self.rounds * (3**n - 1)

    def step(self, state: GridState, evaluations: Sequence[Evaluation]) -> GridState:
        """The neighbours of the best point at half the distance."""
        told = (*state.told, *evaluations)
        if state.rounds >= self.rounds or not state.spacing.any():
            return replace(state, told=told, points=nowhere(state.spacing.size))
        spacing = state.spacing / 2
        axes = [np.array([-s, 0.0, s]) if s > 0 else np.zeros(1) for s in spacing]
        points = around(best_of(told, state.spacing), axes, state.box, spacing)
        known = {tuple(each.x) for each in told}
        fresh = np.array([p for p in points if tuple(p) not in known]).reshape(-1, spacing.size)
        return replace(state, told=told, points=fresh, spacing=spacing, rounds=state.rounds + 1)
