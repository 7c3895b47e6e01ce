"""LASVM with caches of several sizes."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.online_sets import ALGORITHMS, NEEDS, online_sets
from widemargin.papers.table import Column, Table

SHARES = (0.001, 0.01, 0.1, 1.0)


class LasvmCache(Experiment):
    """Seconds and kernel evaluations (in per cent of the entries of the kernel matrix) of one epoch, and of
    the batch machine; the best of three runs, of adult one."""

    title = "LASVM by size of the cache"
    source = "Glasmachers 2008, thesis, figure 8.2 (curves, no numbers printed)"
    needs = NEEDS
    columns = (
        Column("set"),
        Column("cache", ".1%"),
        *(Column(f"seconds {name}", ".3f") for name in ("MVP", "SO", "batch")),
        *(Column(f"evaluations {name}", ".1%") for name in ("MVP", "SO", "batch")),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        for each in online_sets(scope.data_dir, scope.full):
            say(each.name)
            for share in SHARES:
                seconds, evaluations = [], []
                for algorithm in (*ALGORITHMS, "batch"):
                    times = []
                    for _ in range(1 if each.is_slow else 3):
                        begin = time.perf_counter()
                        machine = each.fitted(algorithm, cache_size=each.megabytes(share), n_jobs=1)
                        times.append(time.perf_counter() - begin)
                    seconds.append(min(times))
                    evaluations.append(machine.kernel_evaluations_ / each.n**2)
                yield each.name, share, *seconds, *evaluations

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [
            "Claimed: on adult the batch machine is faster, elsewhere LASVM, most clearly with small caches. "
            "The batch machine here computes many rows at a time and needs fewer steps than the one of then."
        ]
