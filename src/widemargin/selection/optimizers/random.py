"""Points at random."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RandomState:
    """The next point, and how many there were."""

    x0: Vector
    points: NDArray[np.float64]
    box: Box
    seed: int
    drawn: int = 0


class Random(Optimizer):
    """Points drawn uniformly from a cube around the start, which comes first.

    The yardstick for everything else; in many dimensions of which few matter, better than a grid.

    Parameters
    ----------
    reach : float or array of shape (n,), default=4.0
        Half an edge of the cube.

    References
    ----------
    Bergstra and Bengio, Random search for hyper-parameter optimization, JMLR 13, 2012.

    Examples
    --------
    >>> from widemargin.selection.optimizers import Random, minimize
    >>> run = minimize(lambda x: x @ x, Random(), [3.0, 3.0], random_state=0, max_evaluations=200)
    >>> bool(run.best.value < 1.0)
    True
    """

    def __init__(self, *, reach: Any = 4.0) -> None:
        self.reach = reach

    def budget(self, n: int) -> int:
        """60 points are enough for one of the best twentieth, with a probability of 95 %."""
        return 60

    def _begin(self, x: Vector, box: Box, seed: int) -> RandomState:
        return RandomState(x, x[None], box, seed)

    def step(self, state: RandomState, evaluations: Sequence[Evaluation]) -> RandomState:
        """Another point."""
        drawn = state.drawn + 1
        draw = np.random.default_rng([state.seed, drawn])
        x = state.x0 + np.asarray(self.reach) * draw.uniform(-1, 1, size=state.x0.size)
        return replace(state, points=state.box.clip(x)[None], drawn=drawn)
