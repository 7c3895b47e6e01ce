"""What can be proved about a feasible point, from its exact gradient.

With offsets r, one per group, h = linear - K a - r and s the sums of the groups,

    f(a) <= f* <= P(r) = 1/2 a'Ka + sum_i max { h_i x - ridge_i x^2 / 2 : lower_i <= x <= upper_i } + r's.

Where a bound is infinite and no ridge helps, P is finite only if h has the right sign there; then (c a, c r)
with the least c >= 1 that gives it takes the place of (a, r): a margin made one by scaling.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin.problems import GROUNDED, Problem, Vector

ROUNDING = 1e-13
"""A slope towards an infinite bound is none if it is so small beside the largest of its terms."""


@dataclass(frozen=True, eq=False)
class Certificate:
    """Dual and primal value, the violation of the KKT conditions, and the offsets with their intervals."""

    dual: float
    gap: float
    violation: float
    offsets: Vector
    intervals: np.ndarray

    @classmethod
    def of(cls, problem: Problem, alpha: Vector, gradient: Vector) -> Certificate:
        """The certificate of a feasible point; `gradient` is linear - (K + diag(ridge)) alpha."""
        ends, offsets = [], []
        for group in problem.groups:
            low, high, offset = _offset(problem, alpha, gradient, group)
            ends.append((low, high))
            offsets.append(offset)
        intervals, r = np.array(ends), np.array(offsets)
        with np.errstate(invalid="ignore"):
            violation = float(np.nan_to_num(intervals[:, 0] - intervals[:, 1], neginf=0.0).max(initial=0.0))
        dual = float(alpha @ (problem.linear + gradient)) / 2
        gap = _gap(problem, alpha, gradient, r)
        return cls(dual, gap, violation, r, np.sort(intervals, axis=1))


def _offset(problem: Problem, alpha: Vector, gradient: Vector, group: slice) -> tuple[float, float, float]:
    """The largest gradient of a variable that may rise, the least of one that may fall, and the offset."""
    a, G = alpha[group], gradient[group]
    rise, fall = a < problem.upper[group], a > problem.lower[group]
    up, down = G[rise].max(initial=-np.inf), G[fall].min(initial=np.inf)
    ends = [end for end in (up, down) if np.isfinite(end)]
    free = rise & fall
    if (problem.rows[group] == GROUNDED).any() or not ends:
        offset = 0.0
    else:
        offset = float(G[free].mean()) if free.any() else float(np.mean(ends))
    return float(up), float(down), offset


def _gap(problem: Problem, alpha: Vector, gradient: Vector, offsets: Vector) -> float:
    """P - D, term by term: what each variable could still gain."""
    ridge = np.zeros(problem.size) if problem.ridge is None else problem.ridge
    r = np.concatenate([np.full(g.stop - g.start, x) for g, x in zip(problem.groups, offsets, strict=True)])
    Ka = problem.linear - gradient - ridge * alpha
    scale = _feasible_scale(problem, Ka + r, ridge)
    if np.isinf(scale):
        return np.inf
    r = scale * r
    gain = _largest_gain(problem.linear - scale * Ka - r, ridge, problem.lower, problem.upper)
    terms = gain - (problem.linear - r - 0.5 * (1 + scale**2) * Ka) * alpha + 0.5 * ridge * alpha**2
    return max(0.0, float(terms.sum()))


def _largest_gain(h: Vector, ridge: Vector, lower: Vector, upper: Vector) -> Vector:
    """max { h x - ridge x^2 / 2 : lower <= x <= upper }; a slope towards an infinite bound is rounding."""
    with np.errstate(divide="ignore", invalid="ignore"):
        x = np.where(ridge > 0, np.clip(h / ridge, lower, upper), np.where(h > 0, upper, lower))
    x = np.where(np.isinf(x), 0.0, x)
    return h * x - 0.5 * ridge * x**2


def _feasible_scale(problem: Problem, q: Vector, ridge: Vector) -> float:
    """The least c >= 1 with linear - c q of the sign that infinite bounds ask for; infinite without one."""
    rounding = ROUNDING * max(1.0, np.abs(problem.linear).max(), np.abs(q).max())
    wrong = np.isinf(problem.upper) & (problem.linear - q > rounding)
    wrong |= np.isinf(problem.lower) & (problem.linear - q < -rounding)
    wrong &= ridge == 0
    if not wrong.any():
        return 1.0
    with np.errstate(divide="ignore", invalid="ignore"):
        scales = problem.linear[wrong] / q[wrong]
    return float(scales.max()) if (scales >= 1).all() else np.inf
