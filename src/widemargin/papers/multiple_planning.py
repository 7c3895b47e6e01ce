"""Planning ahead with several recent working sets."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.datasets import published
from widemargin.papers.benchmark import NEEDS, PRINTED, names, problem, sets
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.statistics import geometric_mean
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import announce, permuted
from widemargin.solvers import SMO, PlanningAhead

RECENT = (1, 2, 3, 5, 10, 20)
SOLVERS = {str(N): SMO(step=PlanningAhead(recent=N)) for N in RECENT}


class MultiplePlanning(Experiment):
    """Means over random orders of the examples, relative to N = 1, on the sets that took the original 0.1 s
    or more."""

    title = "Planning ahead with the N most recent working sets"
    source = "Glasmachers 2008, thesis, figure 7.4 (curves, no numbers printed)"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("iterations"),
        Column("seconds", ".4f"),
        *(Column(f"iterations N={N}", ".2f") for N in RECENT[1:]),
        *(Column(f"time N={N}", ".2f") for N in RECENT[1:]),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in names(scope.data_dir, scope.full):
            if PRINTED[name].seconds[1] < 0.1:
                continue
            task = problem(name, scope.data_dir)
            announce(task)
            runs = permuted(task, SOLVERS, 100 if scope.full else 3)
            base = {quantity: runs.mean("1", quantity) for quantity in ("iterations", "seconds")}
            yield (
                name,
                *base.values(),
                *(runs.mean(str(N), quantity) / base[quantity] for quantity in base for N in RECENT[1:]),
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        def means(quantity: str) -> str:
            return ", ".join(f"{N}: {geometric_mean(table[f'{quantity} N={N}']):.3f}" for N in RECENT[1:])

        missing = published.missing(scope.data_dir)
        return [
            f"Geometric means over {sets(len(table.rows))}, by N: iterations {means('iterations')}; "
            f"time {means('time')}.",
            "Claimed: N = 2 and 3 equal or slightly better than 1 in time, 5 worse, 10 and 20 much worse.",
            *([missing] if missing else []),
        ]
