"""A point inside all bounds to start from: phase I, in closed form."""

from __future__ import annotations

import numpy as np

from widemargin.problems import Vector
from widemargin.solvers.interior.program import Program

INSIDE = 0.1
"""How far inside, relative to its room, a variable with an infinite bound begins at least."""

PULL = 0.1
"""The share of phase I's point in a start that touches bounds."""


def inner_start(program: Program, unit: float = 1.0) -> Vector:
    """A strictly feasible point, group by group.

    A machine's group (boxes [0, C_i] and [-C_i, 0], sum 0) starts with the positive variables at c / 2 n_+
    and the negative ones at -c / 2 n_-, c being the least C_i, or `unit` if all are infinite: both halves add
    up to c / 2, and every variable is strictly inside.

    Any other group starts at the solution of the program of phase I,

        maximise s   subject to   lower + s width <= a <= upper - s width,  sum of a fixed:

    all variables at the same relative height theta = (sum - sum of lower) / (sum of widths) in their boxes.
    No point does better, since the mean height, weighted by width, is fixed.
    """
    a = np.empty(program.size)
    for g, total in enumerate(program.sums):
        here = program.group == g
        a[here] = _group_start(program.lower[here], program.upper[here], float(total), unit)
    return a


def _group_start(lower: Vector, upper: Vector, total: float, unit: float) -> Vector:
    rises, falls = lower == 0, upper == 0
    if total == 0 and (rises | falls).all() and rises.any() and falls.any():
        widths = upper - lower
        c = widths[np.isfinite(widths)].min(initial=np.inf)
        c = c if np.isfinite(c) else unit
        return np.where(rises, c / (2 * rises.sum()), -c / (2 * falls.sum()))
    width = 1.0 + abs(total) / lower.size
    low, high, theta = _heights(lower, upper, total, width)
    while min(theta, 1 - theta) < INSIDE:
        wider = _heights(lower, upper, total, 2 * width)
        if not min(wider[2], 1 - wider[2]) > min(theta, 1 - theta):
            break
        (low, high, theta), width = wider, 2 * width
    return low + theta * (high - low)


def _heights(lower: Vector, upper: Vector, total: float, width: float) -> tuple[Vector, Vector, float]:
    """Boxes that are `width` wide where they had no end, and the height in them that the sum asks for.

    The height goes from where it is for narrow boxes to one between 0 and 1 as they get wider, and is inside
    for wide ones; so widths need not be doubled any more once that brings it nearer to 0 or 1.
    """
    low = np.where(np.isfinite(lower), lower, np.where(np.isfinite(upper), upper, 0.5 * width) - width)
    high = np.where(np.isfinite(upper), upper, low + width)
    return low, high, float((total - low.sum()) / (high - low).sum())


def moved_inside(program: Program, a: Vector, inside: Vector) -> Vector:
    """A feasible point, moved towards one inside if it touches bounds."""
    if (a > program.lower).all() and (a < program.upper).all():
        return a
    return (1 - PULL) * a + PULL * inside
