"""The held-out values of a single machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.kernels import Precomputed
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.solvers import SMO, Deactivation, Solution, Stop
from widemargin.threads import for_each

TOLERANCE = 1e-10
"""KKT violation up to which machines are trained."""

ACCEPTED = 1e-8
"""KKT violation, relative to the targets, at which the end of a path is a solution."""

AT_ONCE = 16
"""Points that a thread takes at a time."""


@dataclass(frozen=True)
class HeldOut:
    """A machine on n points, and its value at each point when it is trained without it."""

    solution: Solution
    coefficients: Vector
    """Of the n points in the machine trained on all of them."""

    values: Vector
    """At the n points: of the machine without the point, or with it if that makes no difference."""

    retrained: int
    solved: int
    """Points for which the path could not be followed, so that a solver was run."""


def hold_out(
    problem: Problem,
    K: NDArray[np.float64],
    workers: int,
    skip: Callable[[Vector, Vector], NDArray[np.bool_]],
) -> HeldOut:
    """Hold out every point of the problem, except where ``skip(coefficients, values)`` says not to.

    A point without coefficient makes no difference if a free variable fixes the bias. All others are driven
    out of the solution, and where that fails the machine is trained again, from the solution without the
    point.
    """
    rows = np.unique(problem.rows[problem.rows != GROUNDED])
    problem, n = problem.among(rows), len(K)
    inner = K if len(rows) == n else np.ascontiguousarray(K[np.ix_(rows, rows)])
    solution = _solve(problem, inner, None)
    inner_coefficients = problem.by_point(solution.alpha, len(rows))
    coefficients = np.zeros(n)
    coefficients[rows] = inner_coefficients
    values = K[:, rows] @ inner_coefficients + solution.offsets[0]
    matters = (inner_coefficients != 0) | _offset_is_open(problem, solution.alpha)
    support = np.flatnonzero(matters & ~skip(inner_coefficients, values[rows]))
    held = values[rows]
    accepted = ACCEPTED * max(1.0, float(np.abs(problem.linear).max()))
    machine = Deactivation(problem, inner, solution.alpha)
    failed: list[int] = []

    def drive_out(points: NDArray[np.intp], abandoned: Event) -> None:
        for point in points.tolist():
            if abandoned.is_set():
                return
            result = machine.without(point)
            if result.violation <= accepted:
                held[point] = result.value
            else:
                failed.append(point)

    for_each(drive_out, np.array_split(support, -(-support.size // AT_ONCE) or 1), workers)
    for point in failed:
        held[point] = _train_without(point, problem, inner, solution.alpha)
    values[rows] = held
    return HeldOut(solution, coefficients, values, support.size, len(failed))


def _offset_is_open(problem: Problem, alpha: Vector) -> bool:
    """Whether no variable fixes the offset, so that any point may be an end of its interval."""
    return not ((alpha > problem.lower) & (alpha < problem.upper)).any()


def _solve(problem: Problem, K: NDArray[np.float64], start: Vector | None) -> Solution:
    solver = SMO(finish="newton", precision="double")
    return solver.solve(problem, Precomputed().bind(K), start=start, stop=Stop(TOLERANCE))


def _train_without(point: int, problem: Problem, K: NDArray[np.float64], alpha: Vector) -> float:
    """The value at a point of the machine trained without it, starting from the solution without it."""
    gone = problem.rows == point
    rest = replace(
        problem, lower=np.where(gone, 0.0, problem.lower), upper=np.where(gone, 0.0, problem.upper)
    )
    solution: Any = _solve(rest, K, rest.feasible_near(np.where(gone, 0.0, alpha)))
    return float(K[point] @ rest.by_point(solution.alpha, len(K)) + solution.offsets[0])
