"""A point strictly inside its bounds, with their multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import Vector
from widemargin.solvers.interior.program import Program


@dataclass(frozen=True, eq=False)
class Point:
    """Variables a, their distances below = a - lower and above = upper - a, the multipliers u and v of those
    bounds and nu of the groups' sums.

    Distances are kept beside a, since near an upper bound upper - a would lose all its digits. Infinite
    distances have multiplier zero.
    """

    a: Vector
    below: Vector
    above: Vector
    u: Vector
    v: Vector
    nu: Vector

    @classmethod
    def at(cls, program: Program, a: Vector) -> Point:
        """A point without multipliers."""
        zero = np.zeros(program.size)
        nothing = np.zeros(program.sums.size)
        return cls(a, a - program.lower, program.upper - a, zero, zero, nothing)

    def room(self, direction: Vector) -> float:
        """The largest step along a direction that stays within the bounds."""
        falling, rising = direction < 0, direction > 0
        down = (self.below[falling] / -direction[falling]).min(initial=np.inf)
        up = (self.above[rising] / direction[rising]).min(initial=np.inf)
        return float(min(down, up))

    def moved(self, program: Program, change: Vector) -> Point:
        """The point a + change; the smaller distance is exact, the other follows from it."""
        below, above = self.below + change, self.above - change
        near_lower, bounded = below <= above, np.isfinite(below) | np.isfinite(above)
        a = self.a + change
        np.add(program.lower, below, out=a, where=near_lower & bounded)
        np.subtract(program.upper, above, out=a, where=~near_lower & bounded)
        below = np.where(near_lower, below, a - program.lower)
        above = np.where(near_lower, program.upper - a, above)
        return Point(a, below, above, self.u, self.v, self.nu)

    def with_multipliers(self, u: Vector, v: Vector, nu: Vector) -> Point:
        return Point(self.a, self.below, self.above, u, v, nu)

    def centred(self, t: float, nu: Vector) -> Point:
        """The point with u = 1 / (t below) and v = 1 / (t above), as they are on the central path."""
        return self.with_multipliers(1.0 / (t * self.below), 1.0 / (t * self.above), nu)

    def products(self) -> tuple[Vector, Vector]:
        """below u and above v, zero where there is no bound."""
        with np.errstate(invalid="ignore"):
            below, above = self.below * self.u, self.above * self.v
        return np.where(np.isfinite(self.below), below, 0.0), np.where(np.isfinite(self.above), above, 0.0)

    def complementarity(self) -> float:
        """below'u + above'v: the duality gap of a feasible pair."""
        return float(sum(products.sum() for products in self.products()))

    def stiffness(self) -> Vector:
        """What the bounds add to the curvature: u / below + v / above."""
        return self.u / self.below + self.v / self.above

    def at_bounds(self, program: Program, slope: float) -> tuple[NDArray[np.bool_], NDArray[np.bool_]]:
        """Which variables go to their lower bound and which to their upper one: those whose distance is
        small beside their multiplier, each in its own unit; multipliers are measured by `slope`."""
        reach = float(np.abs(self.a).max(initial=0.0)) or 1.0
        width = program.upper - program.lower
        width = np.where(np.isfinite(width), width, reach)
        at_lower = self.below * slope < self.u * width
        at_upper = (self.above * slope < self.v * width) & ~at_lower
        return at_lower, at_upper
