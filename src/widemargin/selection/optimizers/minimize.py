"""The loop around an optimiser."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .best_so_far import BestSoFar
from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class History:
    """A table of evaluations, in their order.

    Attributes
    ----------
    x : array of shape (n_evaluations, n_parameters)
    value : array of shape (n_evaluations,)
    gradient_norm : array of shape (n_evaluations,)
        NaN where there is no gradient.
    seconds : array of shape (n_evaluations,)
        From the beginning to the end of each evaluation.
    """

    x: NDArray[np.float64]
    value: Vector
    gradient_norm: Vector
    seconds: Vector

    @classmethod
    def of(cls, told: list[tuple[Evaluation, float]], n: int) -> History:
        """The table of these evaluations of n parameters and the seconds at their ends."""
        norms = [np.nan if e.gradient is None else float(np.linalg.norm(e.gradient)) for e, _ in told]
        x = np.array([e.x for e, _ in told]).reshape(-1, n)
        values, seconds = (np.array(column) for column in ([e.value for e, _ in told], [t for _, t in told]))
        return cls(x, values, np.array(norms), seconds)

    def __len__(self) -> int:
        return len(self.value)

    def then(self, later: History) -> History:
        """Both tables, one after the other."""
        offset = self.seconds[-1] if len(self) else 0.0
        return History(
            np.vstack([self.x, later.x]),
            np.append(self.value, later.value),
            np.append(self.gradient_norm, later.gradient_norm),
            np.append(self.seconds, offset + later.seconds),
        )


@dataclass(frozen=True, eq=False)
class Run:
    """What a minimisation leaves.

    Attributes
    ----------
    best : Evaluation or None
        The lowest value that was seen.
    answer : array of shape (n,)
        The point to take: the best, or what an optimiser that bears noise has settled on.
    history : History
    reason : str
        "converged", "max_evaluations", "max_time", "callback" or "interrupted".
    state : the optimiser's last state
    """

    best: Evaluation | None
    answer: Vector
    history: History
    reason: str
    state: Any


def minimize(
    objective: Callable[[Vector], Any],
    optimizer: Optimizer,
    x0: ArrayLike,
    *,
    box: Box | None = None,
    random_state: int | None = None,
    max_evaluations: int | None = None,
    max_time: float | None = None,
    callback: Callable[[Evaluation, int], Any] | None = None,
) -> Run:
    """Minimise an objective with an optimiser, within limits.

    Parameters
    ----------
    objective : function
        From x to its value, or to the pair of value and gradient if the optimiser wants gradients.
    optimizer : Optimizer
    x0 : array of shape (n,)
    box : Box, optional
    random_state : int, optional
    max_evaluations : int, optional
        By default the optimiser's own `budget`.
    max_time : float, optional
        Seconds after which no evaluation is begun.
    callback : function, optional
        ``callback(evaluation, count)`` after each; True ends the run.

    Returns
    -------
    run : Run
        Ctrl-C ends it too, as the reason "interrupted": the caller decides what becomes of it.

    Examples
    --------
    >>> from widemargin.selection.optimizers import IRpropPlus, minimize
    >>> run = minimize(lambda x: ((x - 1) @ (x - 1), 2 * (x - 1)), IRpropPlus(), [0.0], max_evaluations=100)
    >>> run.answer.round(3), run.reason
    (array([1.]), 'converged')
    """
    begin = time.monotonic()
    wrapped = BestSoFar(optimizer)
    state = wrapped.init(x0, box, random_state)
    n = state.points.shape[1]
    limit = wrapped.budget(n) if max_evaluations is None else max_evaluations
    told: list[tuple[Evaluation, float]] = []
    batch: list[Evaluation] = []
    reason = ""
    try:
        while not reason and len(state.points):
            batch = []
            for x in state.points:
                reason = _limit_reached(len(told), limit, time.monotonic() - begin, max_time)
                if reason:
                    break
                batch.append(_evaluate(objective, x, optimizer.uses_gradient))
                told.append((batch[-1], time.monotonic() - begin))
                if callback is not None and callback(batch[-1], len(told)):
                    reason = "callback"
                    break
            whole = len(batch) == len(state.points)
            state = wrapped.step(state, batch) if whole else wrapped.seen(state, batch)
    except KeyboardInterrupt:
        reason = "interrupted"
        state = wrapped.seen(state, batch)
    answer = wrapped.answer(state)
    start = np.array(x0, dtype=np.float64)
    return Run(
        state.best,
        start if answer is None else answer,
        History.of(told, n),
        reason or "converged",
        state.inner,
    )


def _limit_reached(count: int, limit: int, elapsed: float, max_time: float | None) -> str:
    if count >= limit:
        return "max_evaluations"
    return "max_time" if max_time is not None and elapsed >= max_time else ""


def _evaluate(objective: Callable[[Vector], Any], x: Vector, with_gradient: bool) -> Evaluation:
    found = objective(x.copy())
    if not with_gradient:
        return Evaluation(x, float(found))
    value, gradient = found
    return Evaluation(x, float(value), np.asarray(gradient, dtype=np.float64))
