"""How many kernel rows hybrid maximum gain should look through."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.large_sets import CONNECT_4, NEEDS, clean_board, connect_4, noisy_board, spam
from widemargin.papers.statistics import unpaired_sign
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import Task, announce, random_starts
from widemargin.solvers import SMO, HybridMaximumGain

VARIANTS = {
    "two rows": SMO(HybridMaximumGain(), stopping="step"),
    "one row": SMO(HybridMaximumGain(rows="one-row"), stopping="step"),
    "whole cache": SMO(HybridMaximumGain(rows="whole-cache"), stopping="step"),
}

# Median iterations, seconds (not given for the whole cache) and objective.
PRINTED = {
    ("spam-database", "two rows"): (10563, 9.17, 27019.140),
    ("spam-database", "one row"): (14023, 10.99, 27019.134),
    ("spam-database", "whole cache"): (7280, None, 27019.143),
    ("connect-4", "two rows"): (50281, 633, 13557.536),
    ("connect-4", "one row"): (83305, 4967, 13557.529),
    ("connect-4", "whole cache"): (51285, None, 13557.538),
}


class RowsConsidered(Experiment):
    """Medians over random first pairs, stopped by the authors' rule (a short step), which the violation shows
    to be looser the fewer pairs are considered. A sign compares with two rows (rank-sum test, level
    0.001)."""

    title = "One row, two rows or the whole cache in maximum-gain selection"
    source = "Glasmachers and Igel 2006, tables 6 and 7; Glasmachers 2008, thesis, tables 6.4 and 6.5"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("n"),
        Column("cache", ".2%"),
        Column("rows considered"),
        Column("iterations"),
        Column("iterations sign", heading=""),
        Column("unshrinks"),
        Column("seconds", ".3f"),
        Column("f", ",.3f"),
        Column("violation", ".4f"),
        Column("printed iterations"),
        Column("printed seconds", ",.2f"),
        Column("printed f", ",.3f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for task in tasks(scope):
            announce(task)
            runs = random_starts(task, VARIANTS, 10 if scope.full else 3)
            for variant in VARIANTS:
                yield (
                    task.name,
                    task.n,
                    task.cache_share,
                    variant,
                    runs.median(variant, "iterations"),
                    unpaired_sign(runs.of(variant, "iterations"), runs.of("two rows", "iterations")),
                    runs.median(variant, "unshrinks"),
                    runs.median(variant, "seconds"),
                    runs.median(variant, "objective"),
                    runs.median(variant, "violation"),
                    *PRINTED.get((task.name, variant), (None, None, None)),
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        missing = sorted({"spam-database", "connect-4"} - set(table["set"]))
        reason = "not in the data folder" if scope.full else "only in the full run"
        return [f"{', '.join(missing)}: {reason}; the chess boards stand in."] if missing else []


def tasks(scope: Scope) -> Iterator[Task]:
    """The sets at hand; the whole cache is dear, so the quick ones are small."""
    if scope.full:
        yield from (task for task in (spam(scope.data_dir), connect_4(scope.data_dir)) if task is not None)
    n = CONNECT_4 if scope.full else 1500
    yield noisy_board(n)
    yield clean_board(n)
