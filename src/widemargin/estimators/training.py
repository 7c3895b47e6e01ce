"""Solving the problems of one fit: on one Gram, within its limits, in threads, never silently cut short."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field, replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import numpy as np

from widemargin.estimators.kernel_table import choose_table, tabulate
from widemargin.problems import Problem, Vector
from widemargin.solvers import SMO, Decomposition, LogBarrier, Mehrotra, Solution, Status, Stop
from widemargin.solvers.working_sets import NAMES
from widemargin.threads import allowed_threads, single_threaded_blas

logger = logging.getLogger("widemargin")

REPORT_SECONDS = 1.0
"""Seconds between two progress messages."""

THREADED_SIZE = 2000
"""With fewer variables in all, a fit has one thread: others would take longer to start than they save."""

TINY_PROBLEM = 64
"""Up to this many variables a problem takes less time than it takes threads to hand over the interpreter."""

POLISHED_SIZE, POLISHING_STEPS = 1000, 20_000
"""Machines with up to this many variables in all are solved to rounding, unless a solver was named: for a few
milliseconds weights equal repetitions exactly, and the order of the data does not matter."""

VARIABLE_BYTES, OWN_BYTES = 120, 64 * 2**20
"""What a variable takes of memory besides kernel values; so much in all goes without saying, the rest comes
out of the budget."""

SEVERITY = [
    Status.OPTIMAL,
    Status.STALLED,
    Status.MAX_ITERATIONS,
    Status.MAX_TIME,
    Status.INTERRUPTED,
    Status.UNBOUNDED,
]


INTERIOR = {"log-barrier": LogBarrier, "mehrotra": Mehrotra}
"""Interior-point methods by name."""


def is_auto(solver: Any) -> bool:
    """Whether the choice of the solver is left to us."""
    return solver is None or (isinstance(solver, str) and solver == "auto")


def choose_solver(solver: Any) -> Any:
    """A solver object from `None`, "auto", a name, or the object itself.

    Names are those of working set selections and of interior-point methods.
    """
    if is_auto(solver):
        return Decomposition(inner=SMO(step="planning-ahead", finish="newton"))
    if isinstance(solver, str) and solver in NAMES:
        return SMO(working_set=solver)
    if isinstance(solver, str) and solver in INTERIOR:
        return INTERIOR[solver]()
    if isinstance(solver, type):
        raise ValueError(f"solver must be an object, not a class: write {solver.__name__}().")
    if not hasattr(solver, "solve"):
        raise ValueError(
            f"solver must be 'auto', one of {sorted({*NAMES, *INTERIOR})} or an object with a solve method, "
            f"not {solver!r}."
        )
    return solver


Solve = Callable[[Problem, Vector | None], Solution]
"""What solves a problem from a start."""


@dataclass(frozen=True)
class Job:
    """A problem that is stated when its turn comes: all problems of a fit at once would take much memory."""

    size: int
    """Number of its variables."""
    work: Callable[[Solve], Solution]
    """States the problem, has it solved, takes what it needs of the solution and returns what is kept."""
    optional: bool = False
    """Not begun after Ctrl-C."""


@dataclass
class Watch:
    """What the observers of all problems of a fit share: the callback, the messages and the wish to stop."""

    callback: Callable[[Any], Any] | None
    verbose: bool
    count: int
    stopped: bool = False
    error: BaseException | None = None
    _lock: Any = field(default_factory=threading.Lock)
    _next_question: float = 0.0
    _next_report: float = field(default_factory=lambda: time.monotonic() + REPORT_SECONDS)

    def observer(self, k: int) -> Callable[[Any], bool]:
        """The observer of problem k. A solver reports from its own thread; Ctrl-C arrives here too."""

        def observe(progress: Any) -> bool:
            try:
                with self._lock:
                    if not self.stopped:
                        self._report(k, progress)
                        if self.callback is not None and self.callback(progress):
                            self.stopped = True  # never back to False: Ctrl-C may have arrived meanwhile
            except BaseException as error:
                self.stop(error)
            return self.stopped

        return observe

    def asked_before(self, seconds: float) -> bool:
        """Ask, at most every 50 ms, whether to stop before any solver has begun."""
        if seconds >= self._next_question:
            self._next_question = seconds + 0.05
            nothing = {"iteration": 0, "violation": np.inf, "objective": 0.0, "kernel_evaluations": 0}
            self.observer(0)(SimpleNamespace(**nothing, active_size=0, seconds=seconds))
        return self.stopped

    def stop(self, error: BaseException) -> None:
        """End all problems; the first error is kept."""
        self.error = self.error or error
        self.stopped = True

    def _report(self, k: int, progress: Any) -> None:
        now = time.monotonic()
        if self.verbose and now >= self._next_report:
            self._next_report = now + REPORT_SECONDS
            logger.info(
                "problem %d of %d: violation %.2e after %d iterations and %.1f s, %d variables active",
                k + 1,
                self.count,
                progress.violation,
                progress.iteration,
                progress.seconds,
                progress.active_size,
            )


@dataclass(frozen=True)
class Training:
    """How to solve: the solver, its limits and resources."""

    solver: Any
    tol: float
    cache_bytes: int
    n_jobs: int | None
    polish: bool
    max_iter: int = -1
    max_time: float | None = None
    shrinking: bool = True
    verbose: bool = False
    callback: Callable[[Any], Any] | None = None

    def solve(self, problem: Problem, gram: Any, start: Vector | None) -> Solved:
        """Solve a single problem."""
        return self.run([Job(problem.size, lambda solve: solve(problem, start))], gram)

    def run(self, jobs: Sequence[Job], gram: Any) -> Solved:
        """Solve all problems, several at a time if there are threads for it."""
        begin = time.monotonic()
        watch = Watch(self.callback, self.verbose, len(jobs))
        small = sum(job.size for job in jobs) < THREADED_SIZE
        threads = 1 if small else allowed_threads(self.n_jobs)
        workers = 1 if max(job.size for job in jobs) <= TINY_PROBLEM else min(threads, len(jobs))
        reads_gram = getattr(self.solver, "reads_gram", lambda size: True)
        kind = choose_table([job for job in jobs if reads_gram(job.size)], gram, self.cache_bytes)
        table = None if kind is None else tabulate(gram, kind, threads, self._hurry(begin, watch))
        polish = POLISHING_STEPS if self.polish else 0
        row_bytes = self.cache_bytes - (0 if kind is None or table is None else kind.bytes_for(gram.shape[0]))
        at_once = sum(sorted(job.size for job in jobs)[-workers:])
        row_bytes = max(0, row_bytes - max(0, VARIABLE_BYTES * at_once - OWN_BYTES))
        read: list[int] = []
        alone: list[int] = []

        def solve(k: int, problem: Problem, start: Vector | None) -> Solution:
            solution = self.solver.solve(
                problem,
                gram if table is None else table,
                start=start,
                stop=Stop(self.tol, self.max_iter, self._time_left(begin, watch), polish),
                shrinking=self.shrinking,
                cache_bytes=row_bytes // workers,
                n_threads=max(1, threads // workers),
                observer=watch.observer(k),
            )
            evaluations = solution.counters["kernel_evaluations"]
            read.append(evaluations)
            alone.append(min(evaluations, problem.size**2))  # whoever computes values keeps them
            if solution.status is Status.MAX_TIME and watch.stopped:
                solution = replace(solution, status=Status.INTERRUPTED)  # given no time, see _time_left
            seen = solution.status is Status.INTERRUPTED or solution.keyboard_interrupt
            if seen and not watch.stopped:
                watch.stop(KeyboardInterrupt())  # the solver itself has seen Ctrl-C
            if self.verbose:
                logger.info(
                    "problem %d of %d: %s (violation %.2e, %d iterations, %.2f s)",
                    k + 1,
                    len(jobs),
                    solution.status.sentence,
                    solution.kkt_violation,
                    solution.iterations,
                    solution.seconds,
                )
            return solution

        def begin_job(k: int) -> Solution | None:
            if jobs[k].optional and watch.error is not None:
                return None
            return jobs[k].work(partial(solve, k))

        with visible_messages() if self.verbose else nullcontext(), single_threaded_blas():
            solutions = _in_threads(begin_job, len(jobs), workers, watch)
        if isinstance(watch.error, Exception):
            raise watch.error
        computed = sum(read) if table is None else gram.shape[0] ** 2 + table.computed
        if any(np.isnan(solution.dual_objective) for solution in solutions):
            raise ValueError(
                "kernel values of these points overflow: scale X (StandardScaler or MinMaxScaler), or lower "
                "gamma or degree."
            )
        return Solved(solutions, watch.error, computed, sum(alone))

    def _hurry(self, begin: float, watch: Watch) -> Callable[[], bool]:
        """Whether to give up a table: somebody wants to stop, or half of the time is over."""
        half = np.inf if self.max_time is None else self.max_time / 2

        def hurry() -> bool:
            seconds = time.monotonic() - begin
            return watch.asked_before(seconds) or seconds >= half

        return hurry

    def _time_left(self, begin: float, watch: Watch) -> float | None:
        if watch.stopped:
            return 0.0
        if self.max_time is None:
            return None
        return max(0.0, self.max_time - (time.monotonic() - begin))


@dataclass(frozen=True)
class Solved:
    """The solutions of a fit, and the Ctrl-C that ended it if one did."""

    solutions: list[Solution]
    interruption: BaseException | None
    kernel_evaluations: int
    """Kernel values computed, those of a shared table once."""
    kernel_evaluations_alone: int
    """Kernel values that the problems read, none of them twice: what they would compute without sharing."""

    @property
    def worst(self) -> Solution:
        return worst_of(self.solutions)


def worst_of(solutions: Sequence[Solution]) -> Solution:
    """The solution farthest from the optimum: by status, then by violation."""
    return max(solutions, key=lambda each: (SEVERITY.index(each.status), each.kkt_violation))


def early_end(machine: Any, status: Status) -> tuple[str, str] | None:
    """What has ended a machine's fit before its tolerance was reached, and what may help; None if nothing."""
    if status is Status.MAX_ITERATIONS:
        return f"stopped at max_iter={machine.max_iter}", "raise max_iter"
    if status is Status.MAX_TIME:
        return f"stopped at max_time={machine.max_time} s", "raise max_time"
    return ("stopped where round-off ends all progress", "raise tol") if status is Status.STALLED else None


def in_words(violation: float) -> str:
    """The KKT violation that an early end has left; a solver without time to begin knows none."""
    return f"a KKT violation of {violation:.2g}" if np.isfinite(violation) else "an unknown KKT violation"


def _in_threads(
    begin: Callable[[int], Solution | None], count: int, workers: int, watch: Watch
) -> list[Solution]:
    """The solutions of all jobs that were begun, in their order."""
    if workers == 1:
        return [solution for k in range(count) if (solution := begin(k)) is not None]
    with ThreadPoolExecutor(workers) as pool:
        futures = [pool.submit(begin, k) for k in range(count)]
        try:
            done, _ = wait(futures, return_when=FIRST_EXCEPTION)
            for error in filter(None, (future.exception() for future in done)):
                watch.stop(error)  # the others need not go on
        except KeyboardInterrupt as error:
            watch.stop(error)
        return [solution for future in futures if (solution := future.result()) is not None]


@contextmanager
def visible_messages() -> Iterator[None]:
    """`verbose` means to be heard: messages go to stderr for as long as nobody has configured logging."""
    level, handler = logger.level, None
    if not logger.hasHandlers():
        handler = logging.StreamHandler()
        logger.addHandler(handler)
    if logger.getEffectiveLevel() > logging.INFO:
        logger.setLevel(logging.INFO)
    try:
        yield
    finally:
        logger.setLevel(level)
        if handler is not None:
            logger.removeHandler(handler)
