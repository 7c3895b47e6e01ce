"""Most violating pair, second order and hybrid maximum gain with a cache smaller than the kernel matrix."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.large_sets import (
    CONNECT_4,
    MNIST,
    NEEDS,
    clean_board,
    connect_4,
    mnist,
    noisy_board,
    spam,
)
from widemargin.papers.statistics import unpaired_sign
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import Task, announce, random_starts
from widemargin.solvers import SMO

RULES = {
    "MVP": SMO("most-violating-pair"),
    "SO": SMO("second-order"),
    "HMG": SMO("hybrid-maximum-gain"),
    "HMG, own stop": SMO("hybrid-maximum-gain", stopping="step"),
}

# LIBSVM 2.71, LIBSVM 2.8 and HMG with its own stop: iterations, seconds (1533 MHz Athlon), objective.
PRINTED = {
    ("spam-database", "MVP"): (36610, 11.21, 27019.138),
    ("spam-database", "SO"): (9228, 8.44, 27019.140),
    ("spam-database", "HMG, own stop"): (10563, 9.17, 27019.140),
    ("connect-4", "MVP"): (65167, 916, 13557.542),
    ("connect-4", "SO"): (45504, 734, 13557.542),
    ("connect-4", "HMG, own stop"): (50281, 633, 13557.536),
    ("MNIST", "MVP"): (185162, 13657, 143199.142),
    ("MNIST", "SO"): (110441, 9957, 143199.146),
    ("MNIST", "HMG, own stop"): (152873, 7485, 143199.160),
}


class WorkingSets(Experiment):
    """Medians over random first pairs, the same for all rules. All stop at a KKT violation of 0.001; "own
    stop" is the authors' rule for HMG, which stops at a short step. A sign compares with SO (two-tailed
    Wilcoxon rank-sum test, level 0.001): ">" is more, "<" less. Rows are those of the kernel matrix, computed
    wholly or in part."""

    title = "Working-set selection with a small cache"
    source = "Glasmachers and Igel 2006, table 2; Glasmachers 2008, thesis, table 6.2"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("n"),
        Column("cache", ".2%"),
        Column("rule"),
        Column("iterations"),
        Column("iterations sign", heading=""),
        Column("rows"),
        Column("rows sign", heading=""),
        Column("seconds", ".3f"),
        Column("seconds sign", heading=""),
        Column("f", ",.3f"),
        Column("violation", ".5f"),
        Column("printed iterations"),
        Column("printed seconds", ",.2f"),
        Column("printed f", ",.3f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for task in tasks(scope):
            announce(task)
            runs = random_starts(task, RULES, 10 if scope.full else 3)
            whole = task.n == {"MNIST": MNIST, "connect-4": CONNECT_4}.get(task.name, task.n)
            for rule in RULES:
                signs = {
                    quantity: unpaired_sign(runs.of(rule, quantity), runs.of("SO", quantity))
                    for quantity in ("iterations", "cache_misses", "seconds")
                }
                yield (
                    task.name,
                    task.n,
                    task.cache_share,
                    rule,
                    runs.median(rule, "iterations"),
                    signs["iterations"],
                    runs.median(rule, "cache_misses"),
                    signs["cache_misses"],
                    runs.median(rule, "seconds"),
                    signs["seconds"],
                    runs.median(rule, "objective"),
                    runs.median(rule, "violation"),
                    *(PRINTED.get((task.name, rule), (None, None, None)) if whole else (None, None, None)),
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        missing = sorted({"spam-database", "connect-4", "MNIST"} - set(table["set"]))
        notes = ["The face data of the study are not public."]
        if missing:
            notes.append(f"Not found in the data folder: {', '.join(missing)}.")
        if "connect-4" in missing:
            notes.append(
                "The chess boards stand in for connect-4 (30,555 examples, 1.07 % of the matrix cached)."
            )
        return notes


def tasks(scope: Scope) -> Iterator[Task]:
    """The sets at hand; quick ones are the same problems with fewer examples and the same share cached."""
    originals = (
        spam(scope.data_dir),
        connect_4(scope.data_dir, CONNECT_4 if scope.full else 4000),
        mnist(scope.data_dir, MNIST if scope.full else 1500),
    )
    yield from (task for task in originals if task is not None)
    n = CONNECT_4 if scope.full else 4000
    yield noisy_board(n)
    yield clean_board(n)
