"""Do our copies of the benchmark problems resemble the original ones?"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from widemargin.datasets import published
from widemargin.papers.benchmark import NEEDS, PRINTED, names, problem
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import announce
from widemargin.solvers import SMO


class BenchmarkSets(Experiment):
    """Sizes and support vectors of the 22 problems: equal ones mean the same problem up to the sample."""

    title = "The 22 benchmark problems: support vectors"
    source = "Glasmachers 2008, thesis, table 7.1"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("C", ",g"),
        Column("gamma", "g"),
        Column("n"),
        Column("printed n"),
        Column("SV"),
        Column("printed SV"),
        Column("bounded"),
        Column("printed bounded"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for name in names(scope.data_dir, scope.full):
            task, printed = problem(name, scope.data_dir), PRINTED[name]
            announce(task)
            alpha = np.abs(task.solve(SMO(step="planning-ahead")).alpha)
            yield (
                name,
                task.C,
                task.gamma,
                task.n,
                printed.n,
                int((alpha > 0).sum()),
                printed.support,
                int((alpha >= task.C).sum()),
                printed.bounded,
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [note for note in [published.missing(scope.data_dir)] if note]
