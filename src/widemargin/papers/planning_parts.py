"""Which part of planning-ahead SMO makes it fast, and whether longer steps alone would do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.datasets import published
from widemargin.papers.benchmark import NEEDS, names, problem, sets
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.statistics import geometric_mean, paired_sign
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import announce, permuted
from widemargin.solvers import SMO, OverRelaxed, PlanningSelection

SOLVERS = {
    "SMO": SMO(),
    "planning": SMO(step="planning-ahead"),
    "recall only": SMO(PlanningSelection("second-order", always=True)),
    "over-relaxed": SMO(step=OverRelaxed(1.1)),
}
VARIANTS = tuple(name for name in SOLVERS if name != "SMO")


class PlanningParts(Experiment):
    """Mean iterations over random orders of the examples, relative to SMO: with planning ahead; with the pair
    of two iterations ago as an extra candidate but no planning; with steps of 1.1 times the Newton step. A
    sign says that SMO needs significantly more (>) or fewer (<) iterations (paired Wilcoxon test, level
    0.05)."""

    title = "Planning ahead, its selection without planning, and over-relaxed steps against SMO"
    source = "Glasmachers 2008, thesis, sections 7.2.2 and 7.2.3 (no numbers printed)"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("SMO"),
        *(
            column
            for name in VARIANTS
            for column in (Column(f"{name} sign", heading=""), Column(f"{name} / SMO", ".3f"))
        ),
        Column("over-relaxed / planning", ".3f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in names(scope.data_dir, scope.full):
            task = problem(name, scope.data_dir)
            announce(task)
            runs = permuted(task, SOLVERS, 100 if scope.full else 6)
            smo = runs.of("SMO", "iterations")
            row: list[Any] = [name, float(smo.mean())]
            for variant in VARIANTS:
                iterations = runs.of(variant, "iterations")
                row += [paired_sign(smo, iterations), float(iterations.mean() / smo.mean())]
            yield (*row, runs.mean("over-relaxed", "iterations") / runs.mean("planning", "iterations"))

    def notes(self, table: Table, scope: Scope) -> list[str]:
        means = ", ".join(f"{name} {geometric_mean(table[f'{name} / SMO']):.3f}" for name in VARIANTS)
        claims = (
            "Claimed: recalling without planning has no clear effect; over-relaxed steps serve as well as "
            "planning on simple problems and significantly worse on the chess board."
        )
        missing = published.missing(scope.data_dir)
        return [
            f"Geometric means over {sets(len(table.rows))}: {means}.",
            claims,
            *([missing] if missing else []),
        ]
