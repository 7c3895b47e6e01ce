"""C and gamma, uphill from cell to cell of a grid that is never searched as a whole."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

PRICE_STEP, WIDTH_STEP = 4.0, 2.0
"""Factors between neighbouring values of C and of gamma."""

USUAL_PRICE = 4.0
"""A C that is neither hard nor soft for points of variance 1."""

PRICE_RANGE, WIDTH_RANGE = (-4, 7), (-4, 4)
"""How far rungs may go; those of gamma are counted from where the climb begins."""

Judge = Callable[[list[float], float], NDArray[np.float64]]
"""(values of C, rising; gamma) -> their judgements, NaN for what was not reached in time."""


@dataclass(frozen=True)
class Summit:
    """The best cell, how good it is, and how many were looked at."""

    C: float
    gamma: float
    judgement: float
    cells: int

    def chance(self, n: int) -> float:
        """A standard error of the judgement on n points, as if it were an error."""
        return float(np.sqrt(self.judgement * max(0.0, 1 - self.judgement) / n))


def climb(judge: Judge, gamma: float, C: float = USUAL_PRICE, caution: float = 0.0) -> Summit | None:
    """The best C at this gamma, then the gammas beside it as long as they are better.

    `caution` times the squared number of steps from the first gamma and C is added to each judgement: where
    cells hardly differ, the nearest one is taken.

    A column is a chain of rising C on one kernel matrix, so that it costs little more than its last machine.
    None if nothing could be judged.
    """
    known: dict[tuple[int, int], float] = {}
    usual = round(np.log(C) / np.log(PRICE_STEP))

    def look(width: int, rungs: Sequence[int]) -> tuple[int, int] | None:
        """The best cell so far, once these rungs of a column are known."""
        fresh = [p for p in rungs if (width, p) not in known and PRICE_RANGE[0] <= p <= PRICE_RANGE[1]]
        if fresh:
            values = judge([PRICE_STEP**p for p in fresh], gamma * WIDTH_STEP**width)
            for p, value in zip(fresh, values, strict=True):
                known[width, p] = float(value) + caution * (width**2 + (p - usual) ** 2)
        finite = {cell: value for cell, value in known.items() if np.isfinite(value)}
        # Of equally good ones the smallest C, then the smallest gamma: the smoothest machine.
        return min(finite, key=lambda cell: (finite[cell], cell[1], cell[0])) if finite else None

    def column(width: int, rungs: Sequence[int]) -> tuple[int, int] | None:
        """The same, going on beyond the ends of the column while the best cell is there."""
        best = look(width, rungs)
        while best is not None and best[0] == width:
            beyond = [p for p in (best[1] - 1, best[1] + 1) if (width, p) not in known]
            beyond = [p for p in beyond if PRICE_RANGE[0] <= p <= PRICE_RANGE[1]]
            if not beyond:
                break
            before, best = best, look(width, beyond)
            if best == before or any(not np.isfinite(known[width, p]) for p in beyond):
                break
        return best

    best = column(0, range(usual - 1, usual + 2))
    if best is None:
        return None
    for direction in (1, -1):
        while WIDTH_RANGE[0] <= (width := best[0] + direction) <= WIDTH_RANGE[1]:
            now = column(width, range(best[1] - 1, best[1] + 2))
            if now is None or now[0] != width:
                break
            best = now
        if best[0] != 0:
            break
    return Summit(PRICE_STEP ** best[1], gamma * WIDTH_STEP ** best[0], known[best], len(known))
