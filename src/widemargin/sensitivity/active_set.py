"""Which points of a solution can move, and which are bounded."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import GROUNDED, Problem, Vector

Rows = NDArray[np.int32]


@dataclass(frozen=True)
class ActiveSet:
    """The coefficients c of f(x) = sum_i c_i k(x_i, x) + b on n points, and what holds each of them.

    Free points are strictly between their bounds, and their values are fixed: f(x_i) + ridge_i c_i = t_i.
    Bounded points are at the bound C_i. All others have c_i = 0. Outside a set of measure zero this stays so
    for small changes of C and the kernel, and the solution is a differentiable function of them.

    If no point is free, b is the middle of an interval whose `ends` are the t_i - sum_j c_j k(x_i, x_j) of
    one or two points.
    """

    coefficients: Vector
    free: Rows
    bounded: Rows
    ends: Rows
    """The points that bound b, if none is free and there is a bias; one if it bounds both sides."""

    side: Vector
    """By point: the derivative of the target t_i in epsilon, -1 or +1 for regression and else 0; also 0 for
    one that bounds b on both sides."""

    ridge: Vector
    """By point: what the machine adds to K_ii."""

    has_bias: bool

    @classmethod
    def of(cls, problem: Problem, alpha: Vector, gradient: Vector, n: int) -> ActiveSet:
        """Read a solution of a problem on n points; the solver's own bounds decide who is free."""
        real = problem.rows != GROUNDED
        has_bias = bool(real.all())
        rows = problem.rows if has_bias else problem.rows[real]
        a, lower, upper = (values[real] for values in (alpha, problem.lower, problem.upper))
        inside = (a > lower) & (a < upper)
        is_free = np.zeros(n, dtype=bool)
        is_free[rows[inside]] = True
        coefficients = problem.by_point(alpha, n)
        ends = _ends(alpha, gradient, problem) if has_bias and not inside.any() else np.empty(0, dtype=int)
        ridge, side = np.zeros(n), np.zeros(n)
        if problem.ridge is not None:
            ridge[rows] = problem.ridge[real]
        if rows.size > n or np.bincount(rows).max() > 1:  # two variables for each point: those of regression
            decisive = np.concatenate([np.flatnonzero(inside), ends])
            np.add.at(side, rows[decisive], np.where(upper[decisive] > 0, -1.0, 1.0))
        return cls(
            coefficients,
            free=np.flatnonzero(is_free).astype(np.int32),
            bounded=np.flatnonzero((coefficients != 0) & ~is_free).astype(np.int32),
            ends=np.unique(rows[ends]),
            side=side,
            ridge=ridge,
            has_bias=has_bias,
        )

    @property
    def support(self) -> Rows:
        """The points with a coefficient."""
        return np.flatnonzero(self.coefficients).astype(np.int32)


def _ends(alpha: Vector, gradient: Vector, problem: Problem) -> NDArray[np.intp]:
    """The variables whose gradients are the ends of the interval of b."""
    below = np.where(alpha < problem.upper, gradient, -np.inf)
    above = np.where(alpha > problem.lower, gradient, np.inf)
    ends = [(int(below.argmax()), below.max()), (int(above.argmin()), above.min())]
    return np.array([variable for variable, end in ends if np.isfinite(end)], dtype=int)
