"""All points of a grid."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer, nowhere

Vector = NDArray[np.float64]

LARGEST = 10**6
"""Points beyond which a grid is a mistake."""


@dataclass(frozen=True, eq=False)
class GridState:
    """The points to evaluate, those that are known, and how far apart they are."""

    points: NDArray[np.float64]
    told: tuple[Evaluation, ...]
    spacing: Vector
    box: Box
    rounds: int = 0


class Grid(Optimizer):
    """An equidistant grid around the start, on axes that are logarithms of parameters.

    Points near the start come first. Of several best points the one nearest to their common centre is taken,
    so that a plateau of equal errors is entered, not grazed.

    Parameters
    ----------
    reach : float or array of shape (n,), default=4.0
        From the start to both ends of each axis.
    points : int or array of shape (n,), default=7
        Values per axis.

    Examples
    --------
    >>> from widemargin.selection.optimizers import Grid, minimize
    >>> run = minimize(lambda x: abs(x[0] - 1.0), Grid(reach=2.0, points=5), [0.0])
    >>> run.answer, run.history.value
    (array([1.]), array([1., 2., 0., 3., 1.]))
    """

    def __init__(self, *, reach: Any = 4.0, points: Any = 7) -> None:
        self.reach = reach
        self.points = points

    def budget(self, n: int) -> int:
        """All of them."""
        return int(np.prod(self._counts(n)))

    def _counts(self, n: int) -> NDArray[np.int64]:
        counts = np.broadcast_to(np.asarray(self.points, dtype=np.int64), n)
        if counts.min() < 1:
            raise ValueError(f"points must be at least 1 per axis, not {self.points!r}.")
        return counts

    def _begin(self, x: Vector, box: Box, seed: int) -> GridState:
        counts = self._counts(x.size)
        if np.prod(counts, dtype=float) > LARGEST:
            raise ValueError(
                f"a grid over {x.size} parameters would have {np.prod(counts, dtype=float):.0e} points: take "
                "fewer points per axis, or an optimiser that follows gradients."
            )
        reach = np.broadcast_to(np.asarray(self.reach, dtype=np.float64), x.shape)
        axes = [
            np.linspace(-r, r, count) if count > 1 else np.zeros(1)
            for r, count in zip(reach, counts, strict=True)
        ]
        spacing = np.where(counts > 1, 2 * reach / np.maximum(counts - 1, 1), 0.0)
        return GridState(around(x, axes, box, spacing), (), spacing, box)

    def step(self, state: GridState, evaluations: Sequence[Evaluation]) -> GridState:
        """Done."""
        told = (*state.told, *evaluations)
        return replace(state, told=told, points=nowhere(state.spacing.size))

    def answer(self, state: GridState) -> Vector | None:
        """Of the best points the one nearest to their centre."""
        return best_of(state.told, state.spacing) if state.told else None


def around(x: Vector, axes: Sequence[Vector], box: Box, spacing: Vector) -> NDArray[np.float64]:
    """The grid with these axes moved to x, as far as it is in the box, near points first."""
    grid = np.unique([box.clip(x + np.array(offset)) for offset in product(*axes)], axis=0)
    steps = np.abs(grid - x) / np.where(spacing > 0, spacing, 1.0)
    return grid[np.argsort(steps.max(axis=1), kind="stable")]


def best_of(told: Sequence[Evaluation], spacing: Vector) -> Vector:
    """Of the best points the one nearest to their centre, counted in steps; of several the smallest."""
    least = min(each.value for each in told)
    tied = np.array([each.x for each in told if each.value == least])
    away = (((tied - tied.mean(axis=0)) / np.where(spacing > 0, spacing, 1.0)) ** 2).sum(axis=1)
    near = tied[away <= away.min() + 1e-9]
    return near[np.lexsort(near.T[::-1])[0]]
