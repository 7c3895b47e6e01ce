"""Whether a program has a solution at all."""

from __future__ import annotations

import numpy as np

from widemargin.problems import Vector
from widemargin.solvers.interior.matrix import KernelMatrix
from widemargin.solvers.interior.program import Program

UNBOUNDED = 1e12
"""An optimum, in its own unit, that double precision cannot tell from infinity."""

TOGETHER = 1e-3
"""The share of linear'a that is left of the sum of its terms, at least, where they work together."""

IDENTICAL = 1e-13
"""The spread of points, relative to the largest K_ii, that is rounding."""


class Growth:
    """Tells programs whose objective grows for ever from those that only have a large solution.

    Without upper bounds and with sums of zero, all multiples of a point a are feasible, and the best of them
    proves that the optimum is at least

        max_s  s linear'a - s^2 a'Qa / 2  =  (linear'a)^2 / 2 a'Qa.

    For a hard margin that is 1 / 2 margin^2. The unit of optima is range^2 / spread: the range of the linear
    term, and the mean squared distance of points from their mean; that of variables is range / spread. So
    neither the scale of the data nor their place matters.
    """

    def __init__(self, program: Program, matrix: KernelMatrix) -> None:
        self._linear = program.linear
        self._range = float(np.ptp(program.linear)) if program.size else 0.0
        self._range = self._range or 1.0
        self._spread = _spread(matrix)
        endless = (np.isinf(program.lower) | np.isinf(program.upper)) & (program.ridge == 0)
        self._possible = bool(endless.any())
        self._multiples_are_feasible = bool(endless.all()) and not program.sums.any()

    @property
    def unit(self) -> float:
        """The size of variables, as far as no bound says it."""
        return self._range / self._spread

    def is_endless(self, a: Vector, Qa: Vector) -> bool:
        """Whether a point proves that there is no optimum, or is so large itself that there cannot be one."""
        if not self._possible:
            return False
        if np.abs(a).max(initial=0.0) > UNBOUNDED * self.unit:
            return True
        gain, together = float(self._linear @ a), TOGETHER * self._range * float(np.abs(a).sum())
        least_optimum = gain**2 * self._spread / self._range**2
        return self._multiples_are_feasible and gain > together and least_optimum > UNBOUNDED * float(a @ Qa)


def _spread(matrix: KernelMatrix) -> float:
    """The mean squared distance of points from their mean, in the kernel's Hilbert space."""
    n = matrix.diagonal.size
    if not n:
        return 1.0
    spread = float(matrix.diagonal.mean() - matrix.times(np.ones(n)).mean() / n)
    return max(spread, IDENTICAL * matrix.largest)
