"""Planning-ahead SMO against SMO, both with second-order selection."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.datasets import published
from widemargin.papers.benchmark import NEEDS, PRINTED, names, problem, sets
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.statistics import geometric_mean, paired_sign
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import Runs, announce, permuted
from widemargin.solvers import SMO

SOLVERS = {"SMO": SMO(), "PA": SMO(step="planning-ahead")}


class PlanningAhead(Experiment):
    """Means over random orders of the examples; a sign says that a paired Wilcoxon test finds the left value
    larger (>) or smaller (<) at level 0.05. Under f, "<" says that PA reached the larger (better)
    objective."""

    title = "SMO against planning-ahead SMO on 22 problems"
    source = "Glasmachers 2008, thesis, tables 7.1 and 7.2"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("SMO iterations"),
        Column("iterations sign", heading=""),
        Column("PA iterations"),
        Column("ratio", ".2f"),
        Column("printed SMO"),
        Column("printed sign", heading=""),
        Column("printed PA"),
        Column("printed ratio", ".2f"),
        Column("SMO seconds", ".4f"),
        Column("seconds sign", heading=""),
        Column("PA seconds", ".4f"),
        Column("time ratio", ".2f"),
        Column("printed time ratio", ".2f"),
        Column("objective sign", heading="f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in names(scope.data_dir, scope.full):
            task = problem(name, scope.data_dir)
            announce(task)
            yield compare(name, permuted(task, SOLVERS, 100 if scope.full else 6))

    def notes(self, table: Table, scope: Scope) -> list[str]:
        means = {
            head: geometric_mean(table[head])
            for head in ("ratio", "printed ratio", "time ratio", "printed time ratio")
        }
        notes = [
            f"Geometric means over {sets(len(table.rows))}, printed ones of the same sets in brackets: "
            f"iterations {means['ratio']:.3f} ({means['printed ratio']:.3f}), "
            f"time {means['time ratio']:.3f} ({means['printed time ratio']:.3f}).",
            f"Significantly fewer iterations on {_count(table, 'iterations')}; less time on "
            f"{_count(table, 'seconds')}; better objective on {_count(table, 'objective', '<', '>')}.",
        ]
        return notes + [note for note in [published.missing(scope.data_dir)] if note]


def compare(name: str, runs: Runs) -> tuple[Any, ...]:
    """The row of a set: means, signs and ratios, ours and printed."""
    printed = PRINTED[name]
    smo, pa = (runs.mean(solver, "iterations") for solver in SOLVERS)
    smo_seconds, pa_seconds = (runs.mean(solver, "seconds") for solver in SOLVERS)

    def sign(quantity: str) -> str:
        return paired_sign(runs.of("SMO", quantity), runs.of("PA", quantity))

    return (
        name,
        smo,
        sign("iterations"),
        pa,
        pa / smo,
        printed.iterations[0],
        printed.iterations_sign,
        printed.iterations[1],
        printed.iterations[1] / printed.iterations[0],
        smo_seconds,
        sign("seconds"),
        pa_seconds,
        pa_seconds / smo_seconds,
        printed.seconds[1] / printed.seconds[0],
        sign("objective"),
    )


def _count(table: Table, quantity: str, better: str = ">", worse: str = "<") -> str:
    signs = table[f"{quantity} sign"]
    return f"{sets(signs.count(better))}, the contrary on {signs.count(worse)}"
