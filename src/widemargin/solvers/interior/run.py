"""What both interior-point methods share: the program, its matrix, and how a run ends."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from widemargin import _core
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.solvers.interior.certificate import Certificate
from widemargin.solvers.interior.growth import Growth
from widemargin.solvers.interior.history import History
from widemargin.solvers.interior.matrix import KernelMatrix
from widemargin.solvers.interior.newton_system import NewtonSystem
from widemargin.solvers.interior.point import Point
from widemargin.solvers.interior.program import Program
from widemargin.solvers.interior.watch import Watch

HELD = 1e30
"""Curvature, relative to the largest K_ii, of variables that are to stay where they are."""

FLAT = 1e-9
"""The least unit of multipliers, relative to what K_ii times the largest variable would be."""


@dataclass(frozen=True, eq=False)
class Candidate:
    """A feasible point of the problem that could be the solution."""

    alpha: Vector
    gradient: Vector
    certificate: Certificate


@dataclass
class Run:
    """A program being solved."""

    problem: Problem
    gram: _core.Gram
    program: Program
    matrix: KernelMatrix
    watch: Watch
    epsilon: float
    history: History
    threads: int = 1
    point: Point | None = None
    best: Candidate | None = None
    counts: dict[str, int] = field(default_factory=lambda: {"centrings": 0, "backtracks": 0, "systems": 0})

    def __post_init__(self) -> None:
        self.growth = Growth(self.program, self.matrix)
        self._constant = float(self.program.shift @ self.program.sums)
        rest = self.program.rest
        if rest.any():
            self._constant += float(rest @ (self.problem.linear + self._exact_gradient(rest))) / 2

    def gradient(self, a: Vector) -> Vector:
        """(K + diag(ridge)) a - linear, of what is minimised."""
        return self.curvature_times(a) - self.program.linear

    def curvature_times(self, x: Vector) -> Vector:
        """(K + diag(ridge)) x."""
        program = self.program
        return program.by_variable(self.matrix.times(program.by_point(x))) + program.ridge * x

    def objective(self, a: Vector, gradient: Vector) -> float:
        """The dual objective of the whole problem."""
        return self._constant - float(a @ (gradient - self.program.linear)) / 2

    def is_endless(self, point: Point, gradient: Vector) -> bool:
        """Whether a point shows that the objective grows without bound."""
        return self.growth.is_endless(point.a, gradient + self.program.linear)

    def system(self, D: Vector) -> NewtonSystem:
        """The linear system with Q + diag(D - ridge): D has the ridge in it."""
        self.counts["systems"] += 1
        return NewtonSystem(self.program, self.matrix, D, self.watch.look)

    def note(self, point: Point, gradient: Vector, **columns: float) -> None:
        """Take the point for the state of the run: tell and record it."""
        at_lower, at_upper = self._at_bounds(point, gradient)
        self.point = point
        progress = self.watch.progress
        progress.objective = self.objective(point.a, gradient)
        progress.violation = self._violation(gradient, at_lower, at_upper)
        progress.active_size = int(point.a.size - at_lower.sum() - at_upper.sum())
        self.history.record(
            iteration=progress.iteration,
            objective=progress.objective,
            violation=progress.violation,
            active_size=progress.active_size,
            **columns,
            seconds=self.watch.seconds,
        )
        self.watch.look()

    def _at_bounds(self, point: Point, gradient: Vector) -> tuple[np.ndarray, np.ndarray]:
        """Which variables go to their bounds; the unit of multipliers is the spread of gradients.

        Where no bound matters in the end that spread goes to zero together with all multipliers, and would
        make any of them look large.
        """
        spread = max(float(np.ptp(self.program.linear)), float(np.ptp(gradient + self.program.linear)))
        flat = FLAT * self.matrix.largest * float(np.abs(point.a).max(initial=0.0))
        slope = max(spread, flat, float(point.u.max(initial=0.0)), float(point.v.max(initial=0.0)))
        return point.at_bounds(self.program, slope or 1.0)

    def _violation(self, gradient: Vector, at_lower: np.ndarray, at_upper: np.ndarray) -> float:
        """The KKT violation if the variables that go to their bounds were there."""
        worst = 0.0
        for g in range(self.program.sums.size):
            here = self.program.group == g
            up = (-gradient[here & ~at_upper]).max(initial=-np.inf)
            down = (-gradient[here & ~at_lower]).min(initial=np.inf)
            worst = max(worst, float(up - down))
        return worst

    def settles(self, point: Point) -> bool:
        """Whether the vertex, edge or face that a point leads to is optimal within the tolerances.

        Variables that go to their bounds are put there, and the others take the step of Newton that is left.
        """
        program = self.program
        a, free = self._rounded(point)
        D = np.where(free, point.stiffness() + program.ridge, HELD * self.matrix.largest)
        right = np.where(free, -self.gradient(a), 0.0)
        step, _ = self.system(D).solve(right, program.sums - program.by_group(a))
        for candidate in (a + np.where(free, step, 0.0), a):
            self._consider(np.clip(candidate, program.lower, program.upper))
            if self._good_enough():
                return True
        return False

    def _rounded(self, point: Point) -> tuple[Vector, np.ndarray]:
        """The point with variables at the bounds that they approach, and which of them are free."""
        at_lower, at_upper = self._at_bounds(point, self.gradient(point.a))
        a = np.where(at_lower, self.program.lower, np.where(at_upper, self.program.upper, point.a))
        return a, ~(at_lower | at_upper)

    def _good_enough(self) -> bool:
        assert self.best is not None
        proved = self.best.certificate
        return proved.violation <= self.watch.stop.tol and proved.gap <= self.epsilon

    def _consider(self, a: Vector) -> None:
        """Keep a point, made feasible to the last bit, if it is better than the best so far."""
        alpha = self.problem.feasible_near(self.program.whole(a))
        gradient = self._whole_gradient(alpha)
        certificate = Certificate.of(self.problem, alpha, gradient)
        if self.best is None or certificate.violation < self.best.certificate.violation:
            self.best = Candidate(alpha, gradient, certificate)

    def _whole_gradient(self, alpha: Vector) -> Vector:
        """linear - Q alpha for all variables of the problem, by the matrix at hand."""
        if self.program.rest.any() or self.program.size < self.problem.size:
            return self._exact_gradient(alpha)
        return self.problem.linear - self.curvature_times(alpha)

    def _exact_gradient(self, alpha: Vector) -> Vector:
        """The same by kernel values, in double precision."""
        ridge = 0.0 if self.problem.ridge is None else self.problem.ridge
        return self.problem.linear - self._kernel_product(alpha) - ridge * alpha

    def _kernel_product(self, alpha: Vector) -> Vector:
        """K alpha, variable by variable."""
        weights = self.problem.by_point(alpha, self.gram.shape[0])
        support = np.flatnonzero(weights).astype(np.int32)
        every = np.unique(self.problem.rows[self.problem.rows != GROUNDED]).astype(np.int32)
        product = np.zeros(self.gram.shape[0])
        if support.size:
            product[every] = self.gram.accumulated(support, weights[support], every, threads=self.threads)
            self.watch.progress.kernel_evaluations += support.size * every.size
        return np.where(self.problem.rows == GROUNDED, 0.0, product[self.problem.rows])

    def conclude(self, hurry: bool) -> Candidate:
        """The best point there is, its gradient from kernel values unless there is no time for them."""
        if self.best is None and self.point is not None:
            for a in (self._rounded(self.point)[0], self.point.a):
                self._consider(a)
        if self.best is None:
            self._consider(self.problem.start[self.program.variables])
        assert self.best is not None
        if hurry or self.matrix.rank == self.program.rows.size:
            return self.best
        gradient = self._exact_gradient(self.best.alpha)
        return Candidate(self.best.alpha, gradient, Certificate.of(self.problem, self.best.alpha, gradient))
