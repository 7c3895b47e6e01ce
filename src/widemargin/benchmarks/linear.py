"""LinearSVC beside scikit-learn's, both with a penalised intercept: the time to the same duality gap.

One function judges both from weights and intercepts alone: their primal value less the best dual value known,
which bounds the optimum from below, relative to the latter and summed over the classes. The tolerance of a
contender is tightened until that is small enough; the fit with the tolerance that sufficed is what counts.
"""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import svm
from sklearn.exceptions import ConvergenceWarning

from widemargin.benchmarks.workload import stored
from widemargin.estimators import LinearSVC
from widemargin.threads import allowed_threads

SETS, LOSSES, C = ("a9a", "w8a", "sector"), ("hinge", "squared_hinge"), 1.0
GAPS = (1e-2, 1e-4, 1e-6)
EXACT, PATIENCE = 1e-9, 60.0
"""Tolerance of the dual value that all are compared with, and seconds after which none is tightened."""

TOLERANCES = 10.0 ** -np.arange(0, 10, 0.25)


@dataclass(frozen=True)
class Result:
    """A tolerance, the gap of its fit, and the time, which is infinite if no tolerance sufficed."""

    tol: float
    gap: float
    seconds: float
    cpu_seconds: float


@dataclass(frozen=True)
class Comparison:
    """Both contenders on a data set."""

    name: str
    loss: str
    wanted: float
    threads: int
    theirs: Result
    ours: Result

    @property
    def ratio(self) -> float:
        """Our time as a part of theirs."""
        return self.ours.seconds / self.theirs.seconds

    @property
    def cpu_ratio(self) -> float:
        """The same of the time of all processors."""
        return self.ours.cpu_seconds / self.theirs.cpu_seconds

    def __str__(self) -> str:
        return (
            f"{self.name:<8} {self.loss:<14} gap {self.wanted:.0e}: scikit-learn {self.theirs.seconds:.3f} s "
            f"({self.theirs.gap:.0e}), ours {self.ours.seconds:.3f} s ({self.ours.gap:.0e}) with "
            f"{self.threads} thread(s), ratio {self.ratio:.2f} (cpu {self.cpu_ratio:.2f})"
        )


def available(data_dir: Path | None) -> list[str]:
    """The sets whose files are there."""
    return [name for name in SETS if data_dir is not None and (data_dir / f"{name}.npz").is_file()]


def comparisons(
    names: Sequence[str], data_dir: Path, points: int | None, threads: Sequence[int] | None, repeats: int
) -> Iterator[Comparison]:
    """One after the other, each for every gap."""
    for name, loss in product(names, LOSSES):
        X, y, *_ = stored(name)(data_dir, points)
        X = X.astype(np.float64)
        dual = LinearSVC(loss=loss, C=C, bias="penalised", tol=EXACT).fit(X, y).dual_objective_
        judge = partial(relative_gap, X, y, loss=loss, dual=dual)
        contenders = [_scikit_learn(loss), *(_ours(loss, count) for count in threads or [1])]
        tolerances = [TOLERANCES] * len(contenders)
        for wanted in GAPS:
            found = [
                tightened(make, X, y, judge, wanted, some)
                for make, some in zip(contenders, tolerances, strict=True)
            ]
            tolerances = [some[some <= each.tol] for some, each in zip(tolerances, found, strict=True)]
            theirs, *ours = in_turns(contenders, found, X, y, repeats)
            for count, each in zip(threads or [1], ours, strict=True):
                yield Comparison(name, loss, wanted, allowed_threads(count), theirs, each)


def relative_gap(X: Any, y: Any, machine: Any, *, loss: str, dual: float) -> float:
    """The judge: the primal value of a machine less the best dual value, relative to the latter."""
    return primal_value(X, y, machine, loss) / dual - 1.0


def primal_value(X: Any, y: Any, machine: Any, loss: str) -> float:
    """1/2 |w|^2 + 1/2 b^2 + C sum of losses, over the classes against all others (of two, once)."""
    classes = machine.classes_[1:] if len(machine.classes_) == 2 else machine.classes_
    total = 0.0
    for name, w, b in zip(classes, machine.coef_, machine.intercept_, strict=True):
        slack = np.maximum(0.0, 1.0 - np.where(y == name, 1.0, -1.0) * (X @ w + b))
        total += (w @ w + b * b) / 2 + C * float((slack**2 if loss == "squared_hinge" else slack).sum())
    return total


def tightened(
    make: Callable[[float], Any],
    X: Any,
    y: Any,
    judge: Callable[[Any], float],
    wanted: float,
    tolerances: NDArray[np.float64],
) -> Result:
    """The first of these tolerances whose fit has the wanted gap."""
    for tol in tolerances:
        wall, cpu, machine = _timed(make(tol), X, y)
        gap = judge(machine)
        if gap <= wanted:
            return Result(tol, max(gap, 0.0), wall, cpu)
        if wall > PATIENCE:
            break
    return Result(tol, gap, np.inf, np.inf)


def in_turns(
    contenders: Sequence[Callable[[float], Any]], found: Sequence[Result], X: Any, y: Any, repeats: int
) -> list[Result]:
    """The same with the least times of several rounds, in which every contender has its turn."""
    for _ in range(repeats - 1 if np.isfinite([each.seconds for each in found]).all() else 0):
        again = [_timed(make(each.tol), X, y) for make, each in zip(contenders, found, strict=True)]
        found = [
            replace(each, seconds=min(each.seconds, wall), cpu_seconds=min(each.cpu_seconds, cpu))
            for each, (wall, cpu, _) in zip(found, again, strict=True)
        ]
    return list(found)


def _timed(machine: Any, X: Any, y: Any) -> tuple[float, float, Any]:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        wall, cpu = time.perf_counter(), time.process_time()
        machine.fit(X, y)
    return time.perf_counter() - wall, time.process_time() - cpu, machine


def _scikit_learn(loss: str) -> Callable[[float], Any]:
    """Its own choice between dual and primal."""
    return lambda tol: svm.LinearSVC(loss=loss, C=C, dual="auto", tol=tol, max_iter=100_000, random_state=0)


def _ours(loss: str, threads: int) -> Callable[[float], Any]:
    return lambda tol: LinearSVC(loss=loss, C=C, bias="penalised", tol=tol, n_jobs=threads)


def summary(found: Sequence[Comparison]) -> str:
    """The geometric mean of the ratios, and how many are at most one."""
    ratios, cpu = (np.array([getattr(each, name) for each in found]) for name in ("ratio", "cpu_ratio"))
    return (
        f"LinearSVC beside scikit-learn's at equal duality gap: {np.exp(np.log(ratios).mean()):.2f} of the "
        f"time (geometric mean; cpu {np.exp(np.log(cpu).mean()):.2f}), no slower in "
        f"{np.count_nonzero(ratios <= 1)} of {len(ratios)}, at worst {ratios.max():.2f}"
    )
