"""The held-out values of a single machine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from threading import Event
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from widemargin.kernels import Precomputed
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.solvers import SMO, Deactivation, Solution, Stop
from widemargin.threads import for_each

Matrix = NDArray[np.float64]

TOLERANCE = 1e-10
"""KKT violation up to which machines are trained."""

ACCEPTED = 1e-8
"""KKT violation, relative to the targets, at which the end of a path is a solution."""

AT_ONCE = 16
"""Points that a thread takes at a time."""

Skip = Callable[[Vector, Vector], NDArray[np.bool_]]


class Machine(Protocol):
    """A problem and how to read it; a data class."""

    @property
    def problem(self) -> Problem:
        """The problem to solve."""
        ...

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept; `size()` is the largest k(x, x)."""
        ...


@dataclass(frozen=True)
class Trained:
    """A machine trained on some of n points."""

    machine: Any
    """On its own points only."""

    rows: NDArray[np.integer]
    """Which those are of the n points."""

    K: Matrix
    """Their kernel matrix."""

    solution: Solution

    @classmethod
    def on(cls, machine: Machine, K: Matrix) -> Trained:
        """Train on rows of the kernel matrix of n points."""
        problem = machine.problem
        rows = np.unique(problem.rows[problem.rows != GROUNDED])
        problem = problem.among(rows)
        inner = K if rows.size == len(K) else np.ascontiguousarray(K[np.ix_(rows, rows)])
        return cls(replace(machine, problem=problem), rows, inner, _solve(problem, inner))  # type: ignore[type-var]

    @property
    def problem(self) -> Problem:
        """The problem it solves."""
        return self.machine.problem

    def shrunk(self, share: float) -> Trained:
        """The machine of the same points whose fixed sums are this share of what they are."""
        problem = replace(self.problem, start=share * self.problem.start)
        problem = replace(problem, start=problem.feasible_near(self.solution.alpha))
        return replace(self, machine=replace(self.machine, problem=problem), solution=_solve(problem, self.K))

    def without(self, point: int) -> Trained:
        """The machine with the same fixed sums and no coefficient at the point, trained from this one."""
        problem = self.problem.without(self.problem.rows == point, self.solution.alpha)
        return replace(self, machine=replace(self.machine, problem=problem), solution=_solve(problem, self.K))

    def values(self, K: Matrix) -> Vector:
        """Of its function, where K has the kernels of some points with its own."""
        coefficients, offset = self._function()
        return K @ coefficients + offset

    @property
    def coefficients(self) -> Vector:
        """Of its points."""
        return self._function()[0]

    def _function(self) -> tuple[Vector, float]:
        return self.machine.function(self.solution, self.rows.size, lambda: float(self.K.diagonal().max()))

    @property
    def needed(self) -> NDArray[np.bool_]:
        """Which points make a difference.

        One without a multiplier makes none if free variables fix the offsets of its groups; else it may be
        an end of the interval that an offset lies in.
        """
        problem, alpha = self.problem, self.solution.alpha
        free = (alpha > problem.lower) & (alpha < problem.upper)
        moves = alpha != 0
        for group in problem.groups:
            moves[group] |= not free[group].any()
        needed = np.zeros(self.rows.size, dtype=bool)
        needed[problem.rows[moves & (problem.rows != GROUNDED)]] = True
        return needed


@dataclass(frozen=True)
class HeldOut:
    """The values of a machine at n points, each without the point if that makes a difference."""

    values: Vector
    retrained: int
    solved: int
    """Points for which there was no path to follow, so that a solver was run."""


def nothing(coefficients: Vector, values: Vector) -> NDArray[np.bool_]:
    """Skip no point."""
    return np.zeros(coefficients.size, dtype=bool)


def hold_out(machine: Trained, K: Matrix, workers: int, skip: Skip = nothing) -> HeldOut:
    """Hold out every point of the machine, except where ``skip(coefficients, values)`` says not to.

    The fixed sums of the problem stay what they are. A point that makes no difference is left alone, all
    others are driven out of the solution. Where that fails, or is not possible because there are two sums,
    the machine is trained again, from the solution without the point.
    """
    values = machine.values(K[:, machine.rows])
    held = values[machine.rows]
    support = np.flatnonzero(machine.needed & ~skip(machine.coefficients, held))
    failed = support.tolist()
    if len(machine.problem.groups) == 1:
        failed = _drive_out(machine, support, held, workers)

    def train_without(point: int, abandoned: Event) -> None:
        if not abandoned.is_set():
            held[point] = machine.without(point).values(machine.K[point])

    for_each(train_without, failed, workers)
    values[machine.rows] = held
    return HeldOut(values, support.size, len(failed))


def hold_out_shares(machine: Trained, K: Matrix, workers: int, shares: Vector) -> HeldOut:
    """Hold out every point of a machine whose fixed sums are a share of the weight of all points.

    Without point i the sums are ``shares[i]`` of what they are with it. Points of the same share have one
    solution with such sums in common, of which each one is then held out as usual.
    """
    values = machine.values(K[:, machine.rows])
    retrained = solved = 0
    for share in np.unique(shares):
        others = shares != share
        part = hold_out(machine.shrunk(float(share)), K, workers, partial(_always, others))
        rows = machine.rows[~others]
        values[rows] = part.values[rows]
        retrained, solved = retrained + part.retrained, solved + part.solved
    return HeldOut(values, retrained, solved)


def _always(these: NDArray[np.bool_], coefficients: Vector, values: Vector) -> NDArray[np.bool_]:
    """Skip these points, whatever the machine says of them."""
    return these


def _drive_out(machine: Trained, support: NDArray[np.intp], held: Vector, workers: int) -> list[int]:
    """Write the values without these points at the ends of their paths; returns those without an end."""
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
    return failed


def _solve(problem: Problem, K: Matrix) -> Solution:
    solver = SMO(finish="newton", precision="double")
    return solver.solve(problem, Precomputed().bind(K), stop=Stop(TOLERANCE))
