"""One parameter after the other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer, nowhere

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CoordinateState:
    """The best point and its value, the coordinate whose turn it is, and where to look next."""

    points: NDArray[np.float64]
    x: Vector
    box: Box
    value: float
    turn: int
    settled: int
    """Coordinates in a row that no step improves."""


class CoordinateSearch(Optimizer):
    """Multiply or divide one parameter as long as that helps, then the next, until none helps.

    The search by hand of many experiments (Rifkin 2002, thesis, chapter on multiclass classification): it
    begins at values of the right size, moves by factors of two, and takes the width of the kernel first,
    which matters most. It ends at a point that no single factor improves; of equal values the first stays.

    Parameters
    ----------
    factor : float, default=2.0
        By which parameters, whose logarithms the coordinates are, are multiplied or divided.
    last_first : bool, default=True
        Whether to begin with the last parameter. In a search those of the kernel follow C.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.optimizers import CoordinateSearch, minimize
    >>> target = np.log([4.0, 0.5])
    >>> run = minimize(lambda x: abs(x - target).sum(), CoordinateSearch(), [0.0, 0.0])
    >>> np.exp(run.answer).round(3), len(run.history)
    (array([4. , 0.5]), 10)
    """

    def __init__(self, *, factor: float = 2.0, last_first: bool = True) -> None:
        self.factor = factor
        self.last_first = last_first

    def budget(self, n: int) -> int:
        """A few rounds of a dozen factors per parameter."""
        return 40 * n

    def _begin(self, x: Vector, box: Box, seed: int) -> CoordinateState:
        if not (np.isfinite(self.factor) and self.factor > 1):
            raise ValueError(f"factor must be a finite number above 1, not {self.factor!r}.")
        return CoordinateState(x[None], x, box, np.inf, turn=-1, settled=0)

    def step(self, state: CoordinateState, evaluations: Sequence[Evaluation]) -> CoordinateState:
        """On in the direction that has helped, or to the next coordinate."""
        best = min(evaluations, key=lambda each: each.value)
        if state.turn < 0:
            return self._look_around(replace(state, value=best.value, turn=0))
        if best.value < state.value:
            onward = state.box.clip(2 * best.x - state.x)
            state = replace(state, x=best.x, value=best.value, settled=0)
            if (onward != best.x).any():
                return replace(state, points=onward[None])
        return self._look_around(replace(state, turn=state.turn + 1, settled=state.settled + 1))

    def _look_around(self, state: CoordinateState) -> CoordinateState:
        """To both sides along the coordinate whose turn it is, or the next that can move."""
        n = state.x.size
        while state.settled < n:
            move = np.zeros(n)
            move[(-1 - state.turn if self.last_first else state.turn) % n] = np.log(self.factor)
            sides = [state.box.clip(state.x + side * move) for side in (-1, 1)]
            inside = [x for x in sides if (x != state.x).any()]
            if inside:
                return replace(state, points=np.array(inside))
            state = replace(state, turn=state.turn + 1, settled=state.settled + 1)
        return replace(state, points=nowhere(n))
