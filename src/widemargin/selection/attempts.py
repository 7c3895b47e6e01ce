"""Runs of an optimiser: a second one, from elsewhere, if the first has lost its way."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.selection.clock import Clock
from widemargin.selection.optimizers import Box, Evaluation, Optimizer, Run, minimize
from widemargin.selection.plateau import (
    SearchWarning,
    is_at_chance,
    is_stuck,
    shorter_steps,
    starts_around,
    value_reached,
)

logger = logging.getLogger("widemargin")

Vector = NDArray[np.float64]

REACH = 8.0
"""How far a search may go from its start, in logarithms: a factor of 3,000 both ways."""


@dataclass(frozen=True)
class Attempts:
    """One or two runs of an optimiser on a bound objective, within limits that hold for both."""

    bound: Any
    noisy: bool
    optimizer: Optimizer
    max_evaluations: int | None
    clock: Clock
    callback: Callable[[Evaluation, int], bool]
    heuristic: Callable[[], Vector]
    """Where a second run begins, or near it."""

    def run(self, seed: int) -> Run:
        """A run from the start; if that ends on a plateau, or no better than by chance, another one from near
        the heuristic."""
        if self.optimizer.recentres:
            self.bound.parameters.recentre()
        start = np.asarray(self.bound.parameters.start, dtype=np.float64)
        box = Box.around(start, REACH)
        first = self._run(self.optimizer, start, box, seed, self.max_evaluations)
        if len(first.history) == 0 and first.reason != "interrupted":
            limit = "max_evaluations=0" if self.max_evaluations == 0 else f"max_time={self.clock.limit}"
            _warn(
                f"{limit} was over before the first evaluation: the parameters are those at the start. "
                "Allow more."
            )
        why = is_stuck(first, box, self.noisy)
        at_chance = is_at_chance(value_reached(first, self.noisy), getattr(self.bound, "chance", None))
        if first.reason not in ("converged", "max_evaluations") or not (why or at_chance):
            return first
        logger.info("the search is lost (%s); it begins again elsewhere", why or "no better than guessing")
        try:
            start = self.heuristic()
        except KeyboardInterrupt:
            return replace(first, reason="interrupted")
        box = Box.around(start, REACH)
        second = self._elsewhere(first, start, box, seed + 1)
        if second is None:
            if why:
                _warn(
                    f"The search ended on a plateau ({why}), and no evaluations are left to begin elsewhere: "
                    "allow more, try another objective, or scale the data."
                )
            return first
        if second.reason == "interrupted":
            return replace(_lower(first, second), reason="interrupted")
        if not why:
            is_better = value_reached(second, self.noisy) <= value_reached(first, self.noisy)
            return second if is_better else replace(first, history=second.history)
        if not (still := is_stuck(second, box, self.noisy)) and len(second.history) > len(first.history):
            return second
        _warn(
            f"The search ended on a plateau twice ({still or why}): the objective says nothing about the "
            "parameters there. The result is the best of all points seen; try another objective, or scale "
            "the data."
        )
        return _lower(first, second)

    def _elsewhere(self, first: Run, start: Vector, box: Box, seed: int) -> Run | None:
        """The second run, with the history of both; None if there is nothing left for one."""
        starts, draws = starts_around(start, box, self.noisy)
        left = None
        if self.max_evaluations is not None:
            left = self.max_evaluations - len(first.history) - draws * len(starts)
            if left <= 0:
                return None
        means: list[float] = []
        try:
            for x in starts:
                if self.clock.is_over():
                    return None
                means.append(float(np.mean([self.bound.value(x) for _ in range(draws)])))
        except KeyboardInterrupt:
            return replace(first, reason="interrupted")
        best = starts[int(np.nanargmin(means))]
        second = self._run(shorter_steps(self.optimizer), best, box, seed, left)
        return replace(second, history=first.history.then(second.history))

    def _run(self, optimizer: Optimizer, start: Vector, box: Box, seed: int, limit: int | None) -> Run:
        return minimize(
            self.bound.value_and_gradient if optimizer.uses_gradient else self.bound.value,
            optimizer,
            start,
            box=box,
            random_state=seed,
            max_evaluations=limit,
            max_time=self.clock.left,
            callback=self.callback,
        )


def _lower(first: Run, second: Run) -> Run:
    """The second run, with the best point of both."""
    ends = [run.best for run in (first, second) if run.best is not None]
    best = min(ends, key=lambda end: end.value)
    return replace(second, best=best, answer=best.x)


def _warn(sentence: str) -> None:
    warnings.warn(sentence, SearchWarning, stacklevel=5)
