"""Quasi-Newton steps, by SciPy."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from scipy import optimize

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer, nowhere

Vector = NDArray[np.float64]

HUGE = 1e30
"""Instead of infinite values, with which a line search cannot reckon."""


@dataclass(frozen=True, eq=False)
class BFGSState:
    """Where it began, and everything it has been told since."""

    x0: Vector
    box: Box
    told: tuple[Evaluation, ...]
    points: NDArray[np.float64]


class BFGS(Optimizer):
    """Limited-memory BFGS with bounds, for smooth objectives without noise.

    SciPy's loop calls the objective; a step is one evaluation. What joins them is that the method is
    deterministic: a step runs it again from the start on the evaluations known so far, up to the first point
    nobody has evaluated. Beside an evaluation this costs nothing.

    Parameters
    ----------
    tolerance : float, default=1e-4
        Largest entry of the gradient, projected on the box, at which it ends.
    memory : int, default=10
        Steps that shape the quadratic model.

    References
    ----------
    Byrd, Lu, Nocedal and Zhu, A limited memory algorithm for bound constrained optimization, 1995.

    Examples
    --------
    >>> from widemargin.selection.optimizers import BFGS, minimize
    >>> run = minimize(lambda x: (x @ x, 2 * x), BFGS(), [1.0, -2.0])
    >>> bool(run.best.value < 1e-9)
    True
    """

    uses_gradient: ClassVar[bool] = True

    def __init__(self, *, tolerance: float = 1e-4, memory: int = 10) -> None:
        self.tolerance = tolerance
        self.memory = memory

    def budget(self, n: int) -> int:
        """100 sqrt(n) gradients."""
        return int(100 * np.sqrt(n))

    def _begin(self, x: Vector, box: Box, seed: int) -> BFGSState:
        return BFGSState(x, box, (), x[None])

    def step(self, state: BFGSState, evaluations: Sequence[Evaluation]) -> BFGSState:
        """The next point at which the method wants to know the objective."""
        told = (*state.told, *evaluations)
        return replace(state, told=told, points=self._next(state, told))

    def _next(self, state: BFGSState, told: tuple[Evaluation, ...]) -> NDArray[np.float64]:
        replies = iter(told)

        def reply(x: Vector) -> tuple[float, Vector]:
            known = next(replies, None)
            if known is None:
                raise _Unknown(x.copy())
            return min(known.value, HUGE), known.slope

        options: dict[str, Any] = {"gtol": self.tolerance, "maxcor": self.memory, "maxfun": np.inf}
        bounds = optimize.Bounds(state.box.lower, state.box.upper)
        try:
            optimize.minimize(reply, state.x0, jac=True, method="L-BFGS-B", bounds=bounds, options=options)
        except _Unknown as unknown:
            return unknown.x[None]
        return nowhere(state.x0.size)


class _Unknown(Exception):
    def __init__(self, x: Vector) -> None:
        super().__init__()
        self.x = x
