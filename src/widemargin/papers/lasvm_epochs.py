"""LASVM over many epochs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.online_sets import ALGORITHMS, NEEDS, online_sets
from widemargin.papers.table import Column, Table


class LasvmEpochs(Experiment):
    """Values of both problems divided by the dual value of the batch machine: they meet at one."""

    title = "LASVM over epochs: primal and dual values"
    source = "Glasmachers 2008, thesis, figure 8.1 (curves, no numbers printed)"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("epochs"),
        *(Column(f"{value} {name}", ".4f") for name in ("MVP", "SO") for value in ("primal", "dual")),
        *(Column(f"candidates {name}") for name in ("MVP", "SO")),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for each in online_sets(scope.data_dir, scope.full):
            if each.is_slow:
                continue
            say(each.name)
            best = each.fitted("batch").dual_objective_
            for epochs in (1, 2, 5, 10, 20, 50) if scope.full else (1, 2, 5, 10):
                machines = [each.fitted(algorithm, epochs=epochs) for algorithm in ALGORITHMS]
                values = [v / best for m in machines for v in (each.primal(m), m.dual_objective_)]
                yield each.name, epochs, *values, *(int(m.n_candidates_[0]) for m in machines)

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [
            "Claimed: on hard problems both rules need several epochs, second order fewer. Adult, of which "
            "one epoch takes half a minute, is left out."
        ]
