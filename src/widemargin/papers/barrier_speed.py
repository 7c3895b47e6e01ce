"""Steps and seconds of barrier and pair methods against the number of points."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.kernels import Linear
from widemargin.papers.credit_study import NEEDS, POLYNOMIAL_C, SOURCE, data_notes, two_ratings
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, LogBarrier, Mehrotra, Solution, Stop
from widemargin.threads import single_threaded_blas

SIZES = (300, 600, 900)
DRAWS = (3, 10)
"""Random sets of training companies: quickly and fully."""

SOLVERS: dict[str, Any] = {
    "LogBarrier, n x n": LogBarrier(low_rank=False),
    "LogBarrier": LogBarrier(),
    "Mehrotra": Mehrotra(),
    "SMO": SMO("most-violating-pair"),
}

PRINTED = {
    ("LogBarrier, n x n", 300): (53, 0.680),
    ("LogBarrier, n x n", 600): (52, 4.418),
    ("LogBarrier, n x n", 900): (54, 14.451),
    ("SMO", 300): (901, 0.051),
    ("SMO", 600): (930, 0.124),
    ("SMO", 900): (1824, 0.315),
}
"""Iterations and seconds."""


class BarrierSpeed(Experiment):
    """BBB against BB with a linear kernel, C = 10: mean iterations and seconds over random sets of training
    companies, in one thread. "LogBarrier, n x n" is the study's method, a system of all points in each step;
    "LogBarrier" knows that the kernel matrix has rank 6; SMO takes the most violating pair. An iteration is a
    step of Newton for the first three and a pair for SMO. The study's seconds are of another computer and of
    MATLAB."""

    title = "Barrier and pair methods: steps and seconds"
    source = f"{SOURCE}, section 4.2.3"
    needs = NEEDS
    columns = (
        Column("T"),
        Column("solver"),
        Column("iterations", ",.1f"),
        Column("printed iterations", ",.0f", "printed"),
        Column("seconds", ".4f"),
        Column("printed seconds", ".3f", "printed"),
        Column("per iteration", ".1e"),
        Column("gap", ".0e"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for T in SIZES:
            for name in SOLVERS:
                say(f"{name}, {T} points")
                runs = [run(name, T, seed, scope) for seed in range(DRAWS[scope.full])]
                iterations = float(np.mean([each.iterations for each in runs]))
                seconds = float(np.mean([each.seconds for each in runs]))
                gap = max(each.duality_gap for each in runs)
                printed = PRINTED.get((name, T), (None, None))
                yield T, name, iterations, printed[0], seconds, printed[1], seconds / iterations, gap

    def notes(self, table: Table, scope: Scope) -> list[str]:
        notes = data_notes(scope.data_dir)
        if table.complete:
            exponents = {name: exponent(table, name) for name in SOLVERS}
            notes += [
                "Seconds per iteration grow with T to the power of "
                + ", ".join(f"{value:.1f} ({name})" for name, value in exponents.items())
                + "; printed: 2.8 (LogBarrier), 0.5 (SMO).",
                "Claimed: the number of Newton steps does not depend on T, and SMO is faster in all.",
            ]
        return notes


def run(solver: str, T: int, seed: int, scope: Scope) -> Solution:
    """One training set of T companies."""
    train = two_ratings(scope.data_dir, T, seed).train
    with single_threaded_blas():
        return SOLVERS[solver].solve(
            soft_margin(train.y, POLYNOMIAL_C), Linear().bind(train.X), stop=Stop(tol=1e-3)
        )


def exponent(table: Table, solver: str) -> float:
    """p with seconds per iteration = T^p, by least squares over the sizes."""
    rows = [record for record in table.records() if record["solver"] == solver]
    return float(np.polyfit(np.log([r["T"] for r in rows]), np.log([r["per iteration"] for r in rows]), 1)[0])
