"""Points within bounds that have a given sum."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.problems.checks import Vector


def filled(upper: Vector, total: float) -> Vector:
    """The first variables at their bounds until they add up to `total`."""
    if total >= upper.sum() * (1 - 1e-12):  # all at their bound, exactly
        return upper.copy()
    before = np.concatenate([[0.0], np.cumsum(upper)[:-1]])
    return np.clip(total - before, 0.0, upper)


def snapped(a: Vector, lower: Vector, upper: Vector) -> Vector:
    """a within its bounds, and at them where the distance is mere rounding."""
    with np.errstate(invalid="ignore"):  # inf - inf
        rounding = 1e-12 * np.abs(a)
        a = np.where(a - lower <= rounding, lower, a)
        return np.where(upper - a <= rounding, upper, a)


def with_sum(
    x: Vector, lower: Vector, upper: Vector, total: float, candidates: list[NDArray[np.bool_]]
) -> Vector:
    """x with the first of the candidate sets of variables shifted that can make the sum `total`."""
    for movable in candidates:
        needed = total - x[~movable].sum()
        if lower[movable].sum() <= needed <= upper[movable].sum():
            break
    x = x.copy()
    x[movable] = projected(x[movable], lower[movable], upper[movable], needed)
    return x


def projected(x: Vector, lower: Vector, upper: Vector, total: float) -> Vector:
    """argmin |z - x|  s.t.  lower <= z <= upper,  sum z = total:  z = clip(x + shift) for the right shift."""
    z = x
    for _ in range(x.size + 1):
        lacking = total - z.sum()
        free = z < upper if lacking > 0 else z > lower
        if abs(lacking) <= 1e-15 * np.abs(z).sum() or not free.any():
            break
        # What would do if nothing were clipped; each pass succeeds or ends with fewer free variables.
        z = np.where(free, np.clip(z + lacking / free.sum(), lower, upper), z)
    return z
