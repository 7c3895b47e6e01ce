"""RLSRegressor beside SciPy's Cholesky solver and scikit-learn's KernelRidge, and what a path of lam costs.

All solve the same system, (K + lam n I) c = y, on Friedman's function; the solver of SciPy is given K.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from scipy.linalg import cho_factor, cho_solve
from sklearn.kernel_ridge import KernelRidge
from sklearn.metrics.pairwise import rbf_kernel

from widemargin.benchmarks.workload import WORKLOADS
from widemargin.estimators import RLSRegressor

POINTS, GAMMA, LAM = 10_000, 1.0, 1e-4
LAMS = np.geomspace(1e-8, 1.0, 50)
"""The path, around the best."""

OURS, PATH, EIGEN = "fit", "50 lam with leave-one-out", "eigen fit"


@dataclass(frozen=True)
class Timing:
    """The least seconds of a task."""

    task: str
    seconds: float

    def __str__(self) -> str:
        return f"{self.task:<28} {self.seconds:8.2f} s"


def timings(points: int | None, threads: int | None, repeats: int) -> Iterator[Timing]:
    """The tasks in turns; those of a path once, for they are long."""
    X, y, *_ = WORKLOADS["friedman"].load(None, points or POINTS)
    tasks: dict[str, Callable[[], Any]] = {
        OURS: lambda: _machine(LAM, "auto", threads).fit(X, y),
        "cho_factor and cho_solve": _by_scipy(X, y),
        "KernelRidge": lambda: KernelRidge(kernel="rbf", gamma=GAMMA, alpha=LAM * len(y)).fit(X, y),
    }
    paths: dict[str, Callable[[], Any]] = {
        "fit with leave-one-out": lambda: _machine(LAM, "auto", threads, leave_one_out=True).fit(X, y),
        EIGEN: lambda: _machine(LAM, "eigen", threads).fit(X, y),
        PATH: lambda: _machine(LAMS, "auto", threads).fit(X, y),
    }
    least = dict.fromkeys(tasks, np.inf)
    for _ in range(repeats):
        least = {name: min(least[name], _seconds(task)) for name, task in tasks.items()}
    yield from (Timing(name, seconds) for name, seconds in least.items())
    yield from (Timing(name, _seconds(task)) for name, task in paths.items())


def summary(found: Sequence[Timing]) -> str:
    """Our fit as a part of the others', and a path in fits."""
    seconds = {each.task: each.seconds for each in found}
    fit = seconds[OURS]
    return (
        f"RLSRegressor takes {fit / seconds['cho_factor and cho_solve']:.2f} of the time of cho_factor and "
        f"cho_solve and {fit / seconds['KernelRidge']:.2f} of that of KernelRidge. The leave-one-out errors "
        f"of 50 values of lam take {seconds[PATH] / fit:.1f} fits, or {seconds[PATH] / seconds[EIGEN]:.1f} "
        "fits with solver='eigen'."
    )


def _machine(lam: Any, solver: str, threads: int | None, **options: Any) -> RLSRegressor:
    return RLSRegressor(gamma=GAMMA, lam=lam, solver=solver, n_jobs=threads, **options)


def _by_scipy(X: Any, y: Any) -> Callable[[], Any]:
    K = rbf_kernel(X, gamma=GAMMA)
    K[np.diag_indices_from(K)] += LAM * len(y)
    return lambda: cho_solve(cho_factor(K), y)


def _seconds(task: Callable[[], Any]) -> float:
    begin = time.perf_counter()
    task()
    return time.perf_counter() - begin
