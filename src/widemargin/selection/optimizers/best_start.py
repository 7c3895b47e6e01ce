"""An optimiser that looks around before it begins."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer

Vector = NDArray[np.float64]

NEARBY = 0.1
"""Starts are judged by the largest value within this distance, to first order: no edges of cliffs."""


@dataclass(frozen=True, eq=False)
class BestStartState:
    """The starts to compare, then the state of the optimiser inside."""

    starts: NDArray[np.float64]
    box: Box
    seed: int
    inner: Any = None

    @property
    def points(self) -> NDArray[np.float64]:
        """All starts, then what the optimiser inside asks for."""
        return self.starts if self.inner is None else self.inner.points


class BestStart(Optimizer):
    """Another optimiser, from the best of a few starts around the given one.

    A descent stays in the valley where it begins, and on plateaus where it finds no slope at all: where
    machines have no errors nothing depends on C, where they are constant nothing depends on anything. Starts
    with steep slopes count for less: they may be narrow, at the edge of a cliff.

    Parameters
    ----------
    optimizer : Optimizer
    first : sequence of float, default=(-6.0, -3.0, 0.0)
        Distances of the starts from the given one in the first parameter: in searches of C, log C, which is
        given large.
    others : sequence of float, default=(-2.0, 0.0, 2.0)
        In all other parameters together: the logarithms of widths.

    Examples
    --------
    >>> from widemargin.selection.optimizers import BestStart, IRpropPlus, minimize
    >>> def two_valleys(x):
    ...     return (x @ x - 9) ** 2 + 10 * x[0], 4 * (x @ x - 9) * x + 10
    >>> run = minimize(two_valleys, BestStart(IRpropPlus()), [2.0])
    >>> bool(run.answer[0] < 0)
    True
    """

    def __init__(
        self,
        optimizer: Optimizer,
        *,
        first: Sequence[float] = (-6.0, -3.0, 0.0),
        others: Sequence[float] = (-2.0, 0.0, 2.0),
    ) -> None:
        self.optimizer = optimizer
        self.first = first
        self.others = others

    @property
    def uses_gradient(self) -> bool:  # type: ignore[override]
        """Whether the optimiser inside does."""
        return self.optimizer.uses_gradient

    @property
    def recentres(self) -> bool:  # type: ignore[override]
        """Whether the optimiser inside does."""
        return self.optimizer.recentres

    @property
    def bears_noise(self) -> bool:  # type: ignore[override]
        """No: a lucky draw would be taken for a good start."""
        return False

    def budget(self, n: int) -> int:
        """That of the optimiser inside, and one for each start."""
        return self.optimizer.budget(n) + len(self.first) * len(self.others)

    def _begin(self, x: Vector, box: Box, seed: int) -> BestStartState:
        moves = [np.r_[price, np.full(x.size - 1, width)] for price, width in self._moves(x.size)]
        starts = np.array([x, *(box.clip(x + move) for move in moves if move.any())])
        return BestStartState(starts, box, seed)

    def _moves(self, n: int) -> list[tuple[float, float]]:
        return list(product(self.first, self.others if n > 1 else (0.0,)))

    def step(self, state: BestStartState, evaluations: Sequence[Evaluation]) -> BestStartState:
        """Begin at the best start, then the step of the optimiser inside."""
        if state.inner is not None:
            return replace(state, inner=self.optimizer.step(state.inner, evaluations))
        best = min(evaluations, key=_worst_nearby)
        return replace(state, inner=self.optimizer._begin(best.x, state.box, state.seed))

    def answer(self, state: BestStartState) -> Vector | None:
        """What the optimiser inside answers."""
        return None if state.inner is None else self.optimizer.answer(state.inner)


def _worst_nearby(here: Evaluation) -> float:
    return here.value + (0.0 if here.gradient is None else NEARBY * float(np.linalg.norm(here.gradient)))
