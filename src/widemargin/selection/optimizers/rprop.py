"""Steps of their own for every coordinate, from signs of derivatives alone."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer, check_steps, nowhere

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class RpropState:
    """Where the next gradient is wanted, the steps, and what the last one said."""

    x: Vector
    steps: Vector
    previous: Vector
    """The last gradient; zero where it is to be forgotten."""
    moved: Vector
    value: float
    box: Box
    done: bool = False

    @property
    def points(self) -> NDArray[np.float64]:
        """The next point."""
        return nowhere(self.x.size) if self.done else self.x[None]


class Rprop(Optimizer):
    """Resilient back-propagation.

    In every coordinate, with g the derivative, g' the one before and d the step,

        d <- increase d  if g g' > 0,    decrease d  if g g' < 0,        x <- x - sign(g) d.

    Only signs of derivatives matter, so that the path is the same for F and every increasing function of F.
    It ends when in every coordinate the step is shorter than `tolerance`, leads out of the box or has no
    slope. Under noise it stalls: a wrong sign shortens the step for good; `NoisyRprop` knows better.

    Parameters
    ----------
    first_step : float, default=0.1
    increase, decrease : float, default=1.2, 0.5
        Factors of the step.
    max_step : float, default=2.0
    tolerance : float, default=1e-4

    References
    ----------
    Riedmiller and Braun, A direct adaptive method for faster backpropagation learning, 1993.

    Examples
    --------
    >>> from widemargin.selection.optimizers import Rprop, minimize
    >>> run = minimize(lambda x: (x @ x, 2 * x), Rprop(), [1.0, -2.0])
    >>> bool(run.best.value < 1e-6)
    True
    """

    uses_gradient: ClassVar[bool] = True
    recentres: ClassVar[bool] = True

    def __init__(
        self,
        *,
        first_step: float = 0.1,
        increase: float = 1.2,
        decrease: float = 0.5,
        max_step: float = 2.0,
        tolerance: float = 1e-4,
    ) -> None:
        self.first_step = first_step
        self.increase = increase
        self.decrease = decrease
        self.max_step = max_step
        self.tolerance = tolerance

    def budget(self, n: int) -> int:
        """100 sqrt(n) gradients."""
        return int(100 * np.sqrt(n))

    def _begin(self, x: Vector, box: Box, seed: int) -> RpropState:
        check_steps(self.first_step, self.tolerance)
        none = np.zeros_like(x)
        return RpropState(x, np.full_like(x, self.first_step), none, none, np.inf, box)

    def step(self, state: RpropState, evaluations: Sequence[Evaluation]) -> RpropState:
        """One step in every coordinate."""
        (here,) = evaluations
        steps = self._adapted(state, here.slope)
        return self._moved(state, here, steps, -np.sign(here.slope) * steps, here.slope)

    def _adapted(self, state: RpropState, g: Vector) -> Vector:
        """Longer steps where the sign stays, shorter ones where it changes."""
        agreement = np.sign(state.previous) * np.sign(g)
        factor = np.where(agreement > 0, self.increase, np.where(agreement < 0, self.decrease, 1.0))
        return np.minimum(state.steps * factor, self.max_step)

    def _moved(
        self, state: RpropState, here: Evaluation, steps: Vector, move: Vector, previous: Vector
    ) -> RpropState:
        x = state.box.clip(state.x + move)
        at_wall = (move != 0) & (x == state.x)
        rests = (here.slope == 0) | at_wall | (steps < self.tolerance)
        return replace(
            state,
            x=x,
            steps=steps,
            previous=previous,
            moved=x - state.x,
            value=here.value,
            done=bool(rests.all()),
        )
