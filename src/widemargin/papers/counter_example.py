"""Pure maximum-gain selection gets stuck on four variables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.datasets import mg_counter_example
from widemargin.kernels import Precomputed
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table
from widemargin.problems import Problem
from widemargin.solvers import SMO, Stop

RULES = ("maximum-gain", "hybrid-maximum-gain", "most-violating-pair", "second-order", "greedy")
FIRST_PAIR = (2, 0)

# By hand. After the first pair a = (-C, 0, C, 0); the pair (4, 2), counted from one, leads on to the optimum
# (-C, -m, C, m), m = (1 - sqrt(3)/5)/7. The article's figure puts it at (-C, -C, C, C), where f is smaller.
STUCK = (0.17, 2 - 2 * np.sqrt(3) / 5)
SOLVED = (0.17 + (1 - np.sqrt(3) / 5) ** 2 / 7, 0.0)


class CounterExample(Experiment):
    """All rules start with the same pair; only a pair that shares no variable with it makes progress then."""

    title = "Maximum gain alone gets stuck, every other rule arrives"
    source = "Glasmachers and Igel 2006, theorem 7; Glasmachers 2008, thesis, section 6.1.4"
    needs = "Nothing."
    columns = (
        Column("rule"),
        Column("iterations"),
        Column("f", ".10f"),
        Column("f by hand", ".10f"),
        Column("violation", ".4f"),
        Column("by hand", ".4f"),
        Column("status"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        K, linear, lower, upper = mg_counter_example()
        problem = Problem(linear=linear, lower=lower, upper=upper, start=np.zeros(4))
        for rule in RULES:
            solver = SMO(rule, first_pair=FIRST_PAIR, precision="double")
            solution = solver.solve(problem, Precomputed().bind(K), stop=Stop(tol=1e-10))
            objective, violation = STUCK if rule == "maximum-gain" else SOLVED
            yield (
                rule,
                solution.iterations,
                solution.dual_objective,
                objective,
                max(0.0, solution.kkt_violation),
                violation,
                solution.status.name.lower(),
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return []
