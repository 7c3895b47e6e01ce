"""The held-out values of a single machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from threading import Event

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
class Trained:
    """A machine trained on some of n points."""

    problem: Problem
    """On its own points only."""

    rows: NDArray[np.integer]
    """Which those are of the n points."""

    K: NDArray[np.float64]
    """Their kernel matrix."""

    solution: Solution

    @classmethod
    def on(cls, problem: Problem, K: NDArray[np.float64]) -> Trained:
        """Train on rows of the kernel matrix of n points."""
        rows = np.unique(problem.rows[problem.rows != GROUNDED])
        problem = problem.among(rows)
        inner = K if rows.size == len(K) else np.ascontiguousarray(K[np.ix_(rows, rows)])
        return cls(problem, rows, inner, _solve(problem, inner, None))

    @property
    def coefficients(self) -> Vector:
        """Of its points."""
        return self.problem.by_point(self.solution.alpha, self.rows.size)

    def values(self, K: NDArray[np.float64]) -> Vector:
        """Of its function at all n points."""
        return K[:, self.rows] @ self.coefficients + self.solution.offsets[0]


@dataclass(frozen=True)
class HeldOut:
    """The values of a machine at n points, each without the point if that makes a difference."""

    values: Vector
    retrained: int
    solved: int
    """Points for which the path could not be followed, so that a solver was run."""


def hold_out(
    machine: Trained,
    K: NDArray[np.float64],
    workers: int,
    skip: Callable[[Vector, Vector], NDArray[np.bool_]],
) -> HeldOut:
    """Hold out every point of the machine, except where ``skip(coefficients, values)`` says not to.

    A point without coefficient makes no difference if a free variable fixes the bias. All others are driven
    out of the solution, and where that fails the machine is trained again, from the solution without the
    point.
    """
    values = machine.values(K)
    held, coefficients = values[machine.rows], machine.coefficients
    matters = (coefficients != 0) | _offset_is_open(machine.problem, machine.solution.alpha)
    support = np.flatnonzero(matters & ~skip(coefficients, held))
    accepted = ACCEPTED * max(1.0, float(np.abs(machine.problem.linear).max()))
    paths = Deactivation(machine.problem, machine.K, machine.solution.alpha)
    failed: list[int] = []

    def drive_out(points: NDArray[np.intp], abandoned: Event) -> None:
        for point in points.tolist():
            if abandoned.is_set():
                return
            result = paths.without(point)
            if result.violation <= accepted:
                held[point] = result.value
            else:
                failed.append(point)

    for_each(drive_out, np.array_split(support, -(-support.size // AT_ONCE) or 1), workers)
    for point in failed:
        held[point] = _train_without(point, machine)
    values[machine.rows] = held
    return HeldOut(values, support.size, len(failed))


def _offset_is_open(problem: Problem, alpha: Vector) -> bool:
    """Whether no variable fixes the offset, so that any point may be an end of its interval."""
    return not ((alpha > problem.lower) & (alpha < problem.upper)).any()


def _solve(problem: Problem, K: NDArray[np.float64], start: Vector | None) -> Solution:
    solver = SMO(finish="newton", precision="double")
    return solver.solve(problem, Precomputed().bind(K), start=start, stop=Stop(TOLERANCE))


def _train_without(point: int, machine: Trained) -> float:
    """The value at a point of the machine trained without it, starting from the solution without it."""
    problem, gone = machine.problem, machine.problem.rows == point
    lower, upper = (np.where(gone, 0.0, bound) for bound in (problem.lower, problem.upper))
    rest = replace(problem, lower=lower, upper=upper)
    start = rest.feasible_near(np.where(gone, 0.0, machine.solution.alpha))
    solution = _solve(rest, machine.K, start)
    return float(machine.K[point] @ rest.by_point(solution.alpha, len(machine.K)) + solution.offsets[0])
