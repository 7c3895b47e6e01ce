"""How the working-set rules depend on the size of the cache."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.large_sets import CONNECT_4, connect_4, noisy_board
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import announce, random_starts
from widemargin.solvers import SMO

RULES = {
    "MVP": SMO("most-violating-pair"),
    "SO": SMO("second-order"),
    "HMG": SMO("hybrid-maximum-gain"),
}

# Share of the kernel matrix in the cache: seconds of each rule for connect-4 (20, 40, 100 and 200 MB).
PRINTED = {
    0.0056: {"MVP": 958, "SO": 766, "HMG": 656},
    0.0112: {"MVP": 916, "SO": 734, "HMG": 633},
    0.028: {"MVP": 758, "SO": 649, "HMG": 583},
    0.056: {"MVP": 603, "SO": 547, "HMG": 555},
}


class CacheSizes(Experiment):
    """Medians over random first pairs at a KKT violation of 0.001; "/ SO": relative to second order."""

    title = "Working-set selection by size of the cache"
    source = "Glasmachers and Igel 2006, table 5; Glasmachers 2008, thesis, table 6.3"
    needs = (
        "connect4.npz in the data folder; without it a noisy chess board with the same shares of the matrix."
    )
    columns = (
        Column("set"),
        Column("cache", ".2%"),
        Column("rule"),
        Column("iterations"),
        Column("rows"),
        Column("rows / SO", ".2f"),
        Column("seconds", ".3f"),
        Column("seconds / SO", ".2f"),
        Column("printed seconds"),
        Column("printed / SO", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        n = CONNECT_4 if scope.full else 4000
        task = connect_4(scope.data_dir, n) or noisy_board(n)
        announce(task)
        for share, printed in PRINTED.items():
            runs = random_starts(task.with_cache_share(share), RULES, 10 if scope.full else 3)
            for rule in RULES:
                rows, seconds = runs.median(rule, "cache_misses"), runs.median(rule, "seconds")
                yield (
                    task.name,
                    share,
                    rule,
                    runs.median(rule, "iterations"),
                    rows,
                    rows / runs.median("SO", "cache_misses"),
                    seconds,
                    seconds / runs.median("SO", "seconds"),
                    printed[rule],
                    printed[rule] / printed["SO"],
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        if "connect-4" in table["set"]:
            return []
        return [
            "The printed numbers are for connect-4 (42 features). A row of the chess board (2 features) is "
            "so cheap that the time shows the cost of selection; the rows show what is saved."
        ]
