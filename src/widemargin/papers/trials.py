"""Repeated runs of several solvers on one problem, interleaved so that all see the same state of the
machine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

import numpy as np
from sklearn.base import clone

from widemargin.datasets import Sample
from widemargin.kernels import Gaussian
from widemargin.papers.experiment import say
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, Solution, Stop

SINGLE = 4  # bytes of a kernel entry in the cache


@dataclass(frozen=True)
class Task:
    """The 1-norm soft margin problem of a sample with a Gaussian kernel, and what the solver may use."""

    name: str
    sample: Sample
    C: float
    gamma: float
    cache_bytes: int = 200 * 2**20

    @property
    def n(self) -> int:
        return len(self.sample.y)

    @property
    def cache_share(self) -> float:
        """Share of the kernel matrix that fits into the cache."""
        return self.cache_bytes / (SINGLE * self.n**2)

    def with_cache_share(self, share: float) -> Task:
        """The same task with a cache for that share of the kernel matrix."""
        return Task(self.name, self.sample, self.C, self.gamma, int(share * SINGLE * self.n**2))

    def solve(self, solver: SMO) -> Solution:
        """One run to a KKT violation of 0.001, with shrinking; a Ctrl-C during it is raised here."""
        solution = solver.solve(
            soft_margin(self.sample.y, self.C),
            Gaussian(self.gamma).bind(self.sample.X),
            stop=Stop(tol=1e-3),
            cache_bytes=self.cache_bytes,
        )
        if solution.keyboard_interrupt:
            raise KeyboardInterrupt
        return solution


class Runs:
    """What every solver needed in every trial."""

    def __init__(self, solvers: Iterable[str]):
        self._costs: dict[str, list[dict[str, float]]] = {name: [] for name in solvers}

    def record(self, solver: str, solution: Solution) -> None:
        """Keep the numbers of a run, not its arrays."""
        self._costs[solver].append(
            {
                **solution.counters,
                "seconds": solution.seconds,
                "objective": solution.dual_objective,
                "violation": solution.kkt_violation,
            }
        )

    def of(self, solver: str, quantity: str) -> np.ndarray:
        """One number per trial: "seconds", "objective", "violation" or a counter of the solver."""
        return np.array([cost[quantity] for cost in self._costs[solver]], dtype=float)

    def mean(self, solver: str, quantity: str) -> float:
        return float(self.of(solver, quantity).mean())

    def median(self, solver: str, quantity: str) -> float:
        return float(np.median(self.of(solver, quantity)))


def permuted(task: Task, solvers: Mapping[str, SMO], trials: int) -> Runs:
    """Every solver once per random order of the examples, the same orders for all."""
    return _interleaved(task, solvers, ({"tie_break": "random", "seed": seed} for seed in range(trials)))


def random_starts(task: Task, solvers: Mapping[str, SMO], trials: int) -> Runs:
    """Every solver once per random first pair of opposite labels, the same pairs for all."""
    random = np.random.default_rng(0)
    positive, negative = np.flatnonzero(task.sample.y > 0), np.flatnonzero(task.sample.y < 0)
    pairs = [(int(random.choice(positive)), int(random.choice(negative))) for _ in range(trials)]
    return _interleaved(task, solvers, ({"first_pair": pair} for pair in pairs))


def _interleaved(task: Task, solvers: Mapping[str, SMO], settings: Iterable[dict]) -> Runs:
    runs = Runs(solvers)
    for setting in settings:
        for name, solver in solvers.items():
            runs.record(name, task.solve(clone(solver).set_params(**setting)))
    return runs


def announce(task: Task) -> None:
    """Say what is running now, out of the way of the table."""
    say(f"{task.name} ({task.n:,} examples)")
