"""Planning ahead is exact on three free variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.datasets import three_variable_problem
from widemargin.kernels import Precomputed
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table
from widemargin.problems import Problem
from widemargin.solvers import SMO, Stop

SOLVERS = {
    "second order": SMO(precision="double"),
    "planning ahead": SMO(step="planning-ahead", precision="double"),
}


class ThreeVariables(Experiment):
    """Three variables with one fixed sum leave a plane, and two planned steps reach any point of it: an
    ordinary step, a planning step and the step it was planned with end in the optimum. SMO zigzags."""

    title = "Three free variables: planning ahead needs three steps, SMO many"
    source = "Glasmachers 2008, thesis, section 7.1 (the planned double step is exact on a plane)"
    needs = "Nothing: random problems."
    columns = (
        Column("solver"),
        Column("problems"),
        Column("fewest"),
        Column("median"),
        Column("most"),
        Column("in three", ".0%"),
        Column("by theory"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        problems = 2000 if scope.full else 200
        for name, solver in SOLVERS.items():
            needed = np.array([iterations(solver, seed) for seed in range(problems)])
            yield (
                name,
                problems,
                int(needed.min()),
                float(np.median(needed)),
                int(needed.max()),
                float((needed == 3).mean()),
                "3" if name == "planning ahead" else "many",
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return []


def iterations(solver: SMO, seed: int) -> int:
    """What a solver needs for violation 1e-10 on a random problem."""
    K, linear, lower, upper = three_variable_problem(seed)
    problem = Problem(linear=linear, lower=lower, upper=upper, start=np.zeros(3))
    return solver.solve(problem, Precomputed().bind(K), stop=Stop(tol=1e-10)).iterations
