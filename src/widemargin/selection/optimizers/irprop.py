"""Rprop improved: after a change of sign it waits, and may go back."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .evaluation import Evaluation
from .rprop import Rprop, RpropState


class IRpropMinus(Rprop):
    """Rprop that forgets a derivative whose sign has changed: the coordinate rests for one step.

    Parameters
    ----------
    first_step : float, default=0.1
    increase, decrease : float, default=1.2, 0.5
        Factors of the step.
    max_step : float, default=2.0
    tolerance : float, default=1e-4

    References
    ----------
    Igel and Huesken, Empirical evaluation of the improved Rprop learning algorithms, Neurocomputing 50, 2003.

    Examples
    --------
    >>> from widemargin.selection.optimizers import IRpropMinus, minimize
    >>> run = minimize(lambda x: (x @ x, 2 * x), IRpropMinus(), [1.0, -2.0])
    >>> bool(run.best.value < 1e-6)
    True
    """

    def step(self, state: RpropState, evaluations: Sequence[Evaluation]) -> RpropState:
        """One step in every coordinate whose derivative has kept its sign."""
        (here,) = evaluations
        kept = np.where(_turned(state, here), 0.0, here.slope)
        steps = self._adapted(state, here.slope)
        return self._moved(state, here, steps, -np.sign(kept) * steps, kept)


class IRpropPlus(Rprop):
    """Rprop that undoes the last move of a coordinate whose derivative has changed sign, if F has grown.

    Parameters
    ----------
    first_step : float, default=0.1
    increase, decrease : float, default=1.2, 0.5
        Factors of the step.
    max_step : float, default=2.0
    tolerance : float, default=1e-4

    References
    ----------
    Igel and Huesken, Empirical evaluation of the improved Rprop learning algorithms, Neurocomputing 50, 2003.

    Examples
    --------
    >>> from widemargin.selection.optimizers import IRpropPlus, minimize
    >>> run = minimize(lambda x: (x @ x, 2 * x), IRpropPlus(), [1.0, -2.0])
    >>> bool(run.best.value < 1e-6)
    True
    """

    def step(self, state: RpropState, evaluations: Sequence[Evaluation]) -> RpropState:
        """One step in every coordinate, or one back."""
        (here,) = evaluations
        turned = _turned(state, here)
        kept = np.where(turned, 0.0, here.slope)
        steps = self._adapted(state, here.slope)
        move = -np.sign(kept) * steps
        if here.value > state.value:
            move = np.where(turned, -state.moved, move)
        return self._moved(state, here, steps, move, kept)


def _turned(state: RpropState, here: Evaluation) -> np.ndarray:
    return np.sign(state.previous) * np.sign(here.slope) < 0
