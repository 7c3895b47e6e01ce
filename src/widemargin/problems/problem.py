"""The quadratic program that all machines are."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.problems.checks import Vector, as_vector, refuse
from widemargin.problems.feasible import snapped, with_sum

GROUNDED = -1
"""The point of a variable whose row and column of K are zero."""

FEW_BOUNDED = 0.6
"""Part of the number of free variables."""


@dataclass(frozen=True, eq=False)
class Problem:
    """maximise linear'a - 1/2 a'(K + diag(ridge))a, lower <= a <= upper, each group's sum as in `start`.

    Parameters
    ----------
    linear, lower, upper : array of shape (m,)
        Linear term and box; bounds may be infinite or equal.
    start : array of shape (m,)
        A feasible point; it fixes the sum of each group.
    ridge : array of shape (m,), optional
        Added to the diagonal of the quadratic term, variable by variable.
    points : integer array of shape (m,), optional
        The row of the Gram that belongs to each variable (default: its own index). Variables may share a row;
        -1 is a grounded variable, whose kernel row is zero.
    group_sizes : tuple of int, optional
        Sizes of the groups of consecutive variables with a fixed sum each (default: one group of all).

    Examples
    --------
    >>> from widemargin.problems import soft_margin
    >>> problem = soft_margin([+1, -1], C=2.0)
    >>> problem.lower, problem.upper
    (array([ 0., -2.]), array([2., 0.]))
    """

    linear: Vector
    lower: Vector
    upper: Vector
    start: Vector
    ridge: Vector | None = None
    points: NDArray[np.int32] | None = None
    group_sizes: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        for name in ("linear", "lower", "upper", "start", "ridge"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, as_vector(value, name))
        if self.points is not None:
            object.__setattr__(self, "points", np.ascontiguousarray(self.points, dtype=np.int32))
        self._check_shapes()
        self._check_values()

    def _check_shapes(self) -> None:
        m = self.linear.size
        if m == 0:
            raise ValueError("a problem needs at least one variable.")
        for name in ("lower", "upper", "start", "ridge", "points"):
            value = getattr(self, name)
            if value is not None and value.shape != (m,):
                raise ValueError(
                    f"{name} has shape {value.shape}, but linear has {m} entries: give one per variable."
                )
        if self.group_sizes is not None and (
            min(self.group_sizes, default=0) < 1 or sum(self.group_sizes) != m
        ):
            raise ValueError(
                f"group_sizes {self.group_sizes} must be positive and add up to the {m} variables."
            )

    def _is_sound(self) -> bool:
        sound = np.isfinite(self.linear) & np.isfinite(self.start)
        sound &= (self.lower <= self.start) & (self.start <= self.upper)
        if self.ridge is not None:
            sound &= (self.ridge >= 0) & (self.ridge < np.inf)
        if self.points is not None:
            sound &= self.points >= GROUNDED
        return bool(sound.all())

    def _check_values(self) -> None:
        if self._is_sound():
            return  # what is wrong takes longer to find
        for name in ("linear", "start", "ridge"):
            value = getattr(self, name)
            if value is not None:
                refuse(~np.isfinite(value), value, name, "must be finite")
        for name in ("lower", "upper"):
            refuse(np.isnan(getattr(self, name)), getattr(self, name), name, "must not be NaN")
        refuse(self.lower > self.upper, self.lower, "lower", "must not exceed upper")
        refuse(
            (self.start < self.lower) | (self.start > self.upper),
            self.start,
            "start",
            "must lie within the bounds",
        )
        if self.ridge is not None:
            refuse(self.ridge < 0, self.ridge, "ridge", "must not be negative")
        if self.points is not None:
            refuse(self.points < GROUNDED, self.points, "points", "must be a row of the Gram, or -1")

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.linear.size

    @property
    def groups(self) -> list[slice]:
        """The variables of each group."""
        ends = np.cumsum(self.group_sizes or (self.size,)).tolist()
        return [slice(begin, end) for begin, end in zip([0, *ends[:-1]], ends, strict=True)]

    @property
    def rows(self) -> NDArray[np.int32]:
        """The row of the Gram of each variable: `points`, or its own index."""
        return np.arange(self.size, dtype=np.int32) if self.points is None else self.points

    def on(self, rows: ArrayLike) -> Problem:
        """The same problem on these rows of a larger Gram: point p becomes rows[p]."""
        rows = np.asarray(rows, dtype=np.int32)
        if self.points is None and rows.size == self.size:
            return self._with_points(rows)
        return self._with_points(np.where(self.rows == GROUNDED, np.int32(GROUNDED), rows[self.rows]))

    def among(self, rows: NDArray[np.integer]) -> Problem:
        """The same problem on a Gram of these rows only: point rows[p] becomes p."""
        place = np.empty(rows.max() + 1, dtype=np.int32)
        place[rows] = np.arange(rows.size)
        return self._with_points(np.where(self.rows == GROUNDED, np.int32(GROUNDED), place[self.rows]))

    def _with_points(self, points: NDArray[np.int32]) -> Problem:
        """The same problem on other points; what has been checked is not checked again."""
        refuse(points < GROUNDED, points, "points", "must be a row of the Gram, or -1")
        other = object.__new__(Problem)
        other.__dict__.update(self.__dict__, points=np.ascontiguousarray(points))
        return other

    def by_point(self, a: ArrayLike, n: int) -> Vector:
        """Coefficients of the n points: the sum of the variables that share each point."""
        a, rows = np.asarray(a, dtype=np.float64), self.rows
        if rows.min() == GROUNDED:
            a, rows = a[rows != GROUNDED], rows[rows != GROUNDED]
        return np.bincount(rows, weights=a, minlength=n).astype(np.float64, copy=False)

    def feasible_near(self, a: ArrayLike) -> Vector:
        """A feasible point near `a`, for a warm start after the box has changed.

        The variables are clipped to their bounds, or set to them if they are within rounding of them. Then,
        group by group, the free ones (if they cannot do it, all that are not zero, or all) are shifted
        together until the sum is right, so that a sparse point stays sparse; a grounded one takes up all.
        """
        a = as_vector(a, "a")
        if a.shape != self.start.shape:
            raise ValueError(f"a warm start of {a.size} variables does not fit a problem of {self.size}.")
        return self._near(a, self.lower, self.upper)

    def without(self, gone: NDArray[np.bool_], near: ArrayLike) -> Problem:
        """The same problem with some variables held at zero, and the same sums, starting near a point."""
        lower, upper = (np.where(gone, 0.0, bound) for bound in (self.lower, self.upper))
        return replace(
            self, lower=lower, upper=upper, start=self._near(as_vector(near, "near"), lower, upper)
        )

    def _near(self, a: Vector, lower: Vector, upper: Vector) -> Vector:
        """A point near `a` within these bounds that has the sums of this problem."""
        near = snapped(a, lower, upper)
        for group in self.groups:
            x, low, high = near[group], lower[group], upper[group]
            grounded = self.rows[group] == GROUNDED
            movable = [grounded] if grounded.any() else [(x > low) & (x < high), x != 0, x == x]
            near[group] = with_sum(x, low, high, float(self.start[group].sum()), movable)
        return near

    def start_after(self, other: Problem, a: ArrayLike) -> Vector:
        """A feasible point near the solution `a` of a problem that differs from this one in its box only.

        What was at a bound other than zero goes to the new bound, and the others stay where they were as far
        as the sums allow. If those at a bound are few beside the free ones, they stay, too: whatever they do,
        all the free ones have to answer.
        """
        a = as_vector(a, "a")
        at_lower, at_upper = a == other.lower, a == other.upper
        bounded, free = ((at_lower | at_upper) & (a != 0)).sum(), (~at_lower & ~at_upper).sum()
        if bounded > FEW_BOUNDED * free:
            a = np.where(at_lower & np.isfinite(self.lower), self.lower, a)
            a = np.where(at_upper & np.isfinite(self.upper), self.upper, a)
        return self.feasible_near(a)
