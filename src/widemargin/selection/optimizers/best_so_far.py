"""An optimiser that remembers."""

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
class BestSoFarState:
    """The state of the optimiser inside, and the best evaluation it was told."""

    inner: Any
    best: Evaluation | None = None

    @property
    def points(self) -> NDArray[np.float64]:
        """What the optimiser inside asks for."""
        return self.inner.points


class BestSoFar(Optimizer):
    """Another optimiser, with the best evaluation in its state.

    Parameters
    ----------
    optimizer : Optimizer
    """

    def __init__(self, optimizer: Optimizer) -> None:
        self.optimizer = optimizer

    def budget(self, n: int) -> int:
        """That of the optimiser inside."""
        return self.optimizer.budget(n)

    def _begin(self, x: Vector, box: Box, seed: int) -> BestSoFarState:
        return BestSoFarState(self.optimizer._begin(x, box, seed))

    def step(self, state: BestSoFarState, evaluations: Sequence[Evaluation]) -> BestSoFarState:
        """The step of the optimiser inside."""
        return replace(self.seen(state, evaluations), inner=self.optimizer.step(state.inner, evaluations))

    def seen(self, state: BestSoFarState, evaluations: Sequence[Evaluation]) -> BestSoFarState:
        """The best of these and those before, without a step: for points left over when time is up."""
        known = [*evaluations] if state.best is None else [state.best, *evaluations]
        return replace(state, best=min(known, key=lambda each: each.value, default=None))

    def answer(self, state: BestSoFarState) -> Vector | None:
        """What the optimiser inside answers, or the best point."""
        found = self.optimizer.answer(state.inner)
        return found if found is not None or state.best is None else state.best.x
