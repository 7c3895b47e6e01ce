"""Machines with many values of their hyperparameters, on the same points."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import cached_property
from threading import Event
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators.base import start_from
from widemargin.estimators.training import POLISHED_SIZE, POLISHING_STEPS, THREADED_SIZE, choose_solver
from widemargin.kernels import Kernel, Precomputed
from widemargin.kernels.points import count
from widemargin.memory import cache_bytes
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.selection.folds import Fold
from widemargin.selection.parameters import Parameters
from widemargin.sensitivity import ActiveSet, KernelWeights, Response
from widemargin.solvers import Solution, Status, Stop
from widemargin.threads import allowed_threads, for_each, single_threaded_blas

Rows = NDArray[np.int32]
Matrix = NDArray[np.float64]

ACCURACY = 1e-6
"""KKT violation up to which machines are trained whose derivatives are wanted; less where all values are that
small."""


LEAST_SCALE = 1e-6
"""Values are never taken to be smaller than that: a tolerance near rounding is not reached."""


class Machine:
    """A trained function f = sum_i c_i k(x_i, .) + b on some of the n points of a workbench."""

    def __init__(self, problem: Problem, solution: Solution, gram: Any, intercept: float) -> None:
        self.problem = problem
        self.solution = solution
        self.gram = gram
        self.intercept = intercept
        self._seen: tuple[Rows, Matrix] | None = None

    @cached_property
    def active(self) -> ActiveSet:
        """Who is free and who is bounded."""
        return ActiveSet.of(self.problem, self.solution.alpha, self.solution.gradient, self.gram.shape[0])

    @cached_property
    def response(self) -> Response:
        """How the function answers to small changes."""
        return Response(self.active, self.gram)

    @property
    def coefficients(self) -> Vector:
        """c, of all n points."""
        return self.active.coefficients

    def values(self, rows: Rows) -> Vector:
        """f at these points."""
        return self._seen_from(rows) @ self.coefficients[self._decisive] + self.intercept

    def refined(self) -> Machine:
        """The machine after an exact step on its free points, which leaves rounding in place of a tolerance.

        If no point is free, or the step leads out of the box or does not help, it stays as it is.
        """
        problem, alpha, gradient = self.problem, self.solution.alpha, self.solution.gradient
        if not self.active.free.size:
            return self
        free = self._free_variables()
        d, offsets = self.response.free_set.solve(gradient[free])
        moved = alpha.copy()
        moved[free] += d
        after = gradient - self._kernel_product(free, d)
        within = (problem.lower < moved) & (moved < problem.upper)
        if not within[free].all() or np.ptp(after[free]) > np.ptp(gradient[free]):
            return self
        solution = replace(self.solution, alpha=moved, gradient=after, offsets=offsets)
        refined = Machine(problem, solution, self.gram, float(offsets[0]) if self.active.has_bias else 0.0)
        refined.response = self.response.at(problem.by_point(moved, self.gram.shape[0]))
        refined.active = refined.response.active
        return refined

    def _free_variables(self) -> NDArray[np.intp]:
        """The variables within their bounds in the order of the free set: by point, the grounded one last."""
        problem, alpha = self.problem, self.solution.alpha
        free = np.flatnonzero((alpha > problem.lower) & (alpha < problem.upper))
        rows = problem.rows[free]
        return free[np.argsort(np.where(rows == GROUNDED, self.gram.shape[0], rows), kind="stable")]

    def _kernel_product(self, variables: NDArray[np.intp], d: Vector) -> Vector:
        """(K + ridge) d for a change d of these variables, for all variables."""
        problem = self.problem
        product = np.zeros(problem.size)
        real, moving = problem.rows != GROUNDED, problem.rows[variables] != GROUNDED
        block = self.gram.block(problem.rows[real], problem.rows[variables[moving]])
        product[real] = block @ d[moving]
        if problem.ridge is not None:
            product[variables] += problem.ridge[variables] * d
        return product

    def kernel_times(self, rows: Rows, q: Vector) -> Vector:
        """sum_j k(x_i, x_j) q_j over these rows j, for the support vectors and ends i; 0 for all others."""
        product = np.zeros(self.gram.shape[0])
        product[self._decisive] = q @ self._seen_from(rows)
        return product

    @cached_property
    def _decisive(self) -> Rows:
        """The support vectors and ends."""
        return np.union1d(self.active.support, self.active.ends).astype(np.int32)

    def _seen_from(self, rows: Rows) -> Matrix:
        """The kernel between these points and the decisive ones, kept: derivatives follow values."""
        if self._seen is None or self._seen[0] is not rows:
            self._seen = rows, self.gram.block(rows, self._decisive)
        return self._seen[1]


@dataclass(frozen=True)
class Start:
    """Where the next run begins: the coefficients of the last one, those at their bound marked."""

    coefficients: Vector
    bounded: NDArray[np.int32]
    C: float


class Workbench:
    """Trains the machines of an estimator on parts of n points, again and again.

    The kernel matrix is computed once for each theta, whole if memory allows; that of a kernel
    exp(-gamma e(x, z)) from exponents that are computed once for all gammas. Every machine starts from the
    coefficients of the one before it with the same key.

    Parameters
    ----------
    parameters : Parameters
    X : data
    y : array of shape (n,)
    weight : array of shape (n,)
    exactly : bool
        Whether derivatives are wanted, so that machines are trained to 1e-6 at least.
    """

    def __init__(
        self, parameters: Parameters, X: Any, y: NDArray[Any], weight: Vector, exactly: bool
    ) -> None:
        self.parameters = parameters
        self.X = X
        self.y = y
        self.weight = weight
        self.n = count(X)
        estimator = parameters.estimator
        self.jobs = allowed_threads(estimator.n_jobs)
        self.threads = 1 if self.n < THREADED_SIZE else self.jobs
        self._exactly = exactly
        self._starts: dict[Any, Start] = {}
        self._theta: Vector | None = None
        self._kernel: Any = None
        self._gram: Any = None

    @cached_property
    def _has_room(self) -> bool:
        """Whether the whole matrix and the exponents behind it fit into the memory for kernel values."""
        return 16 * self.n**2 <= cache_bytes(self.parameters.estimator.cache_size, 2 * self.n)

    @cached_property
    def _exponents(self) -> Matrix:
        every = np.arange(self.n, dtype=np.int32)
        return self.parameters.kernel.bind_exponent(self.X).block(every, every)

    def at(self, x: Vector) -> Bench:
        """The bench for machines with these parameters."""
        theta = self.parameters.theta_of(x)
        if self._theta is None or not np.array_equal(theta, self._theta):
            self._theta, self._kernel = theta.copy(), self.parameters.kernel_with(x)
            self._gram = self._matrix(self._kernel)
        estimator = copy(self.parameters.estimator)  # not a clone, which takes as long as a small machine
        estimator.kernel = self._kernel
        if self.parameters.price is not None:
            estimator.C = float(np.exp(x[0]))
        return Bench(self, estimator, self._kernel, self._gram)

    def is_refined(self, problem: Problem) -> bool:
        """Whether machines are taken to rounding: small ones, whose derivatives are wanted."""
        return self._exactly and problem.size <= POLISHED_SIZE

    def _matrix(self, kernel: Kernel) -> Any:
        if isinstance(kernel, Precomputed) or not self._has_room:
            return kernel.bind(self.X)
        if hasattr(kernel, "bind_exponent"):
            K = np.multiply(self._exponents, -kernel.gamma)
            return Precomputed().bind(np.exp(K, out=K))
        return Precomputed().bind(kernel.gram(self.X))

    def solve(
        self,
        estimator: Any,
        problem: Problem,
        gram: Any,
        start: Vector | None,
        abandoned: Event | None = None,
        shared: int = 1,
    ) -> Solution:
        """The solution of a problem, from a start, as one of so many that are solved at a time."""
        polish = POLISHING_STEPS if problem.size <= POLISHED_SIZE else 0
        solution = choose_solver(estimator.solver).solve(
            problem,
            gram,
            start=start,
            stop=Stop(self._tolerance(estimator, gram), estimator.max_iter, estimator.max_time, polish),
            shrinking=bool(estimator.shrinking),
            cache_bytes=cache_bytes(estimator.cache_size, self.n) // shared,
            n_threads=max(1, self.threads // shared),
            observer=None if abandoned is None else lambda _: abandoned.is_set(),
        )
        if solution.keyboard_interrupt or solution.status is Status.INTERRUPTED:
            raise KeyboardInterrupt
        return solution

    def _tolerance(self, estimator: Any, gram: Any) -> float:
        if not self._exactly:
            return float(estimator.tol)
        largest = estimator.C * float(gram.diagonal().max())  # that a point adds to a value
        return min(estimator.tol, ACCURACY * float(np.clip(largest, LEAST_SCALE, 1.0)))

    def start(self, key: Any, problem: Problem, C: float) -> Vector | None:
        """A feasible point near the last solution with this key; what was bounded goes to the new bound."""
        last = self._starts.get(key)
        if last is None:
            return None
        coefficients = last.coefficients
        if last.bounded.size and np.isfinite(C):
            coefficients = coefficients.copy()
            coefficients[last.bounded] *= C / last.C
        return start_from(problem, coefficients)

    def remember(self, key: Any, machine: Machine, C: float) -> None:
        """Let the next machine with this key start here."""
        self._starts[key] = Start(machine.coefficients, machine.active.bounded, C)


@dataclass(frozen=True)
class Bench:
    """A workbench at one point of the search."""

    workbench: Workbench
    estimator: Any
    kernel: Kernel
    gram: Any

    @property
    def n(self) -> int:
        """Number of points."""
        return self.workbench.n

    def train_all(self, parts: Sequence[Fold]) -> Iterator[list[Machine]]:
        """The machines of all these parts, several at a time if there is enough to do for threads.

        Nothing of them is kept here: what is computed from machines is large.
        """
        found: dict[int, list[Machine]] = {}

        def work(number: int, abandoned: Event) -> None:
            fold = parts[number]
            found[number] = self.train(fold.train, fold.targets, number, abandoned, workers)

        much = sum(fold.train.size for fold in parts) >= THREADED_SIZE
        workers = min(len(parts), self.workbench.jobs) if much else 1
        for_each(work, range(len(parts)), workers)
        return (found.pop(number) for number in range(len(parts)))

    def train(
        self, rows: Rows, targets: Any, key: Any, abandoned: Event | None = None, shared: int = 1
    ) -> list[Machine]:
        """The machines of the estimator on these points, one for each column of its code."""
        estimator, workbench = self.estimator, self.workbench
        found = []
        with single_threaded_blas():
            for column, stated in enumerate(estimator._machines(targets, workbench.weight, rows)):
                start = workbench.start((key, column), stated.problem, estimator.C)
                solution = workbench.solve(estimator, stated.problem, self.gram, start, abandoned, shared)
                found.append((stated.problem, solution))
        self._check_bounded([solution for _, solution in found], targets)
        machines = [self._machine(*each) for each in found]
        for column, machine in enumerate(machines):
            workbench.remember((key, column), machine, estimator.C)
        return machines

    def without(self, machine: Machine, point: int) -> Machine:
        """The machine trained without one of its points, starting from the solution with it."""
        problem, gone = machine.problem, machine.problem.rows == point
        lower, upper = (np.where(gone, 0.0, bound) for bound in (problem.lower, problem.upper))
        rest = replace(problem, lower=lower, upper=upper, start=np.zeros(problem.size))
        start = rest.feasible_near(np.where(gone, 0.0, machine.solution.alpha))
        solution = self.workbench.solve(self.estimator, rest, self.gram, start)
        return self._machine(rest, solution)

    def _machine(self, problem: Problem, solution: Solution) -> Machine:
        intercept = float(solution.offsets[0]) if self.estimator.fit_intercept else 0.0
        machine = Machine(problem, solution, self.gram, intercept)
        return machine.refined() if self.workbench.is_refined(problem) else machine

    def _check_bounded(self, solutions: list[Solution], targets: Any) -> None:
        """Raise a ValueError if a machine that allows no losses cannot be trained."""
        if hasattr(targets, "count"):
            self.estimator._check_separable(solutions, targets.scheme.M, targets.names)
        else:
            self.estimator._intercept(solutions[0])


class Gradient:
    """The gradient of a sum of functions of trained machines, in the parameters of a bench."""

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.by_log_C = 0.0
        self.weights = KernelWeights(bench.n)

    def add(
        self,
        machine: Machine,
        rows: Rows | None = None,
        q: Vector | None = None,
        by_coefficient: Vector | None = None,
    ) -> None:
        """Add what depends on the values of a machine by q at some rows, and on its coefficients."""
        n = self.bench.n
        p, u = np.zeros(n), np.zeros(n)
        total = 0.0
        if rows is not None and q is not None:
            p += machine.kernel_times(rows, q)
            np.add.at(u, rows, q)
            total = float(q.sum())
        if by_coefficient is not None:
            p += by_coefficient
        pulled = machine.response.pull(p, total)
        self.by_log_C += float(pulled.by_log_price.sum())
        self.weights.add(u - pulled.by_target, machine.coefficients)

    def total(self) -> Vector:
        """The gradient in x."""
        by_kernel = self.weights.contract(self.bench.kernel, self.bench.workbench.X, self.bench.gram)
        if self.bench.workbench.parameters.price is None:
            return by_kernel
        return np.insert(by_kernel, 0, self.by_log_C)
