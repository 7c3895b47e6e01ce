"""The common frame of interior-point methods."""

from __future__ import annotations

from abc import abstractmethod

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.problems import Problem, Vector
from widemargin.solvers.interior.history import History
from widemargin.solvers.interior.matrix import kernel_matrix
from widemargin.solvers.interior.phase_one import inner_start, moved_inside
from widemargin.solvers.interior.point import Point
from widemargin.solvers.interior.program import Program
from widemargin.solvers.interior.run import Run
from widemargin.solvers.interior.watch import Stopped, Watch
from widemargin.solvers.setting import check_between
from widemargin.solvers.smo import Observer, check_trace
from widemargin.solvers.solution import Solution, Status, Stop
from widemargin.solvers.task import check_task
from widemargin.threads import blas_for

NEGLIGIBLE = 1e-10
"""A gap of so little, relative to the objective, is rounding."""

ROUNDING = 1e-9
"""What a sum of a start may be wrong by, relative to its terms."""


class InteriorSolver(BaseEstimator):
    """A method that walks through the inside of the box; a sub-class defines `_walk` and `_check`."""

    epsilon: float
    low_rank: bool
    trace: int

    def solve(
        self,
        problem: Problem,
        gram: _core.Gram,
        *,
        start: ArrayLike | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        cache_bytes: int = 0,
        n_threads: int = 1,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a problem on a kernel matrix.

        Parameters
        ----------
        problem : Problem
        gram : Gram
            Square kernel matrix, positive semi-definite, from ``kernel.bind(X)``.
        start : array-like or None
            A feasible point to start from, moved inside if it touches bounds; by default phase I finds one.
        stop : Stop or None
            Tolerance and limits; an iteration is a step of Newton.
        shrinking, cache_bytes
            Without meaning here: all variables take part, and the matrix is kept or the problem refused.
        n_threads : int
            Threads for kernel values; with more than one, BLAS takes all of its own for matrices of more than
            1024 rows.
        observer : callable or None
            As in :meth:`SMO.solve`; it and Ctrl-C are heard between the panels of a Cholesky factor, less
            than 0.2 s apart.
        """
        self._check()
        check_task(problem, gram, stop)
        if start is not None:
            start = check_start(problem, start)
        watch = Watch(stop or Stop(), observer)
        history = History(self.trace)
        run, status, interrupted = None, Status.OPTIMAL, False
        with blas_for(gram.shape[0], n_threads):
            try:
                program = Program.of(problem, gram, n_threads)
                matrix = kernel_matrix(gram, program.rows, n_threads, watch.look, self.low_rank)
                watch.progress.kernel_evaluations = matrix.kernel_evaluations
                run = Run(problem, gram, program, matrix, watch, self.epsilon, history, n_threads)
                if program.size:
                    status = self._walk(run, Point.at(program, _start(run, start)))
            except Stopped as end:
                status = end.status
            except KeyboardInterrupt:
                status, interrupted = Status.INTERRUPTED, True
            solution = _solution(problem, run, watch, status, interrupted)
        if not interrupted:
            watch.tell()
        return solution

    @abstractmethod
    def _walk(self, run: Run, point: Point) -> Status:
        """Go from a point inside to the solution; `run` keeps what is found."""

    def _check(self) -> None:
        """Refuse settings that cannot work."""
        check_trace(self.trace)
        check_between("epsilon", self.epsilon, 0)


def _start(run: Run, start: Vector | None) -> Vector:
    """Where to begin, inside all bounds."""
    inside = inner_start(run.program, run.growth.unit)
    return inside if start is None else moved_inside(run.program, start[run.program.variables], inside)


def check_start(problem: Problem, start: ArrayLike) -> Vector:
    """The start, refused if it is not feasible: interior points stay feasible, they do not become so."""
    start = np.asarray(start, dtype=float)
    if start.shape != (problem.size,):
        raise ValueError(
            f"start must have one value for each of the {problem.size} variables; got {start.shape}."
        )
    outside = ~((start >= problem.lower) & (start <= problem.upper))
    if outside.any():
        i = int(np.argmax(outside))
        raise ValueError(
            f"start is infeasible: start[{i}] is {start[i]:g}, outside its bounds "
            f"[{problem.lower[i]:g}, {problem.upper[i]:g}]; use problem.feasible_near(start)."
        )
    for g, group in enumerate(problem.groups):
        size = np.abs(start[group]).sum() + np.abs(problem.start[group]).sum()
        total, wanted = start[group].sum(), problem.start[group].sum()
        if abs(total - wanted) > ROUNDING * size + 1e-12:
            raise ValueError(
                f"start is infeasible: group {g} adds up to {total:g} instead of {wanted:g}; use "
                "problem.feasible_near(start)."
            )
    return start


def _solution(problem: Problem, run: Run | None, watch: Watch, status: Status, interrupted: bool) -> Solution:
    """What a run leaves, whatever has ended it."""
    hurried = status in (Status.MAX_TIME, Status.INTERRUPTED)
    if run is None:
        groups = len(problem.groups)
        return Solution(
            alpha=problem.start.copy(),
            gradient=problem.linear.copy(),
            status=status,
            iterations=0,
            seconds=watch.seconds,
            dual_objective=-np.inf,
            primal_objective=np.inf,
            duality_gap=np.inf,
            kkt_violation=np.inf,
            exact=False,
            offsets=np.zeros(groups),
            offset_intervals=np.tile([-np.inf, np.inf], (groups, 1)),
            counters={"kernel_evaluations": watch.progress.kernel_evaluations},
            keyboard_interrupt=interrupted,
        )
    found = run.conclude(hurried)
    proved = found.certificate
    if status in (Status.OPTIMAL, Status.STALLED):  # what counts is what can be proved in the end
        least = max(run.epsilon, NEGLIGIBLE * abs(proved.dual))
        good = proved.violation <= watch.stop.tol and proved.gap <= least
        status = Status.OPTIMAL if good else Status.STALLED
    watch.progress.violation, watch.progress.objective = proved.violation, proved.dual
    return Solution(
        alpha=found.alpha,
        gradient=found.gradient,
        status=status,
        iterations=watch.progress.iteration,
        seconds=watch.seconds,
        dual_objective=proved.dual,
        primal_objective=proved.dual + proved.gap,
        duality_gap=proved.gap,
        kkt_violation=proved.violation,
        exact=True,
        offsets=proved.offsets,
        offset_intervals=proved.intervals,
        counters={
            "iterations": watch.progress.iteration,
            "kernel_evaluations": watch.progress.kernel_evaluations,
            "rank": run.matrix.rank,
            **run.counts,
        },
        trace=run.history.columns(),
        keyboard_interrupt=interrupted,
    )
