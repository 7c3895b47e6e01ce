"""What was to be shown, and whether it holds."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from widemargin.benchmarks.comparison import EXACT_WORKLOADS
from widemargin.benchmarks.contender import OURS
from widemargin.benchmarks.growth import fastest, lines
from widemargin.papers.statistics import geometric_mean

LIMITED = ("covtype12k", "classification", "mnist-10k")
SHORTFALL = 1e-6  # relative difference of dual values below which two solutions are equally good
MEMORY_BESIDE_CACHE = 100


@dataclass(frozen=True)
class Bar:
    """A statement, the number that decides it, where it comes from, and the largest number allowed."""

    statement: str
    value: float
    place: str
    allowed: float

    @property
    def holds(self) -> bool:
        """Whether the number is small enough."""
        return self.value <= self.allowed

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "DOES NOT HOLD"
        return f"{verdict:<14} {self.statement}: {self.value:.3g} (at most {self.allowed:.3g}), {self.place}"


def bars(outcome: dict[str, Any]) -> list[Bar]:
    """All statements that something was measured for, by number of threads."""
    found: list[Bar] = []
    for threads in sorted({record["threads"] for record in outcome["workloads"]}):
        records = [record for record in outcome["workloads"] if record["threads"] == threads]
        found += [_labelled(bar, threads) for bar in _workload_bars(records)]
    grid = outcome["grid"] or {}
    if "ratio" in grid:
        found.append(Bar("5 grid, time / scikit-learn's", grid["ratio"], "spam", 1 / 20))
        found.append(Bar("5 grid, scores apart, examples per fold", grid["examples_apart"], "spam", 1))
    return found + list(_growth_bars(lines(outcome["growth"])))


def _labelled(bar: Bar, threads: int) -> Bar:
    return Bar(bar.statement, bar.value, f"{bar.place}, {threads} thread{'s' * (threads > 1)}", bar.allowed)


def _workload_bars(records: list[dict[str, Any]]) -> Iterator[Bar]:
    fits = [record["ratios"]["fit"] for record in records if "fit" in record["ratios"]]
    if fits:
        place = f"{len(fits)} workload{'s' * (len(fits) > 1)}"
        yield Bar("1 fit / best peer, geometric mean", geometric_mean(fits), place, 1 / 4)
    chess = [record for record in records if record["workload"] in EXACT_WORKLOADS]
    limited = [record for record in records if record["workload"] in LIMITED]
    yield from _worst("1 fit / best peer, worst", _ratio(records, "fit"), 1)
    yield from _worst(
        "1 dual value below the best peer's, relatively", _ratio(records, "shortfall"), SHORTFALL
    )
    yield from _worst(
        "1 KKT violation / tol", _ours(records, lambda r, own: own["kkt_violation"] / r["tol"]), 1
    )
    yield from _worst("2 chess boards, fit / best peer", _ratio(chess, "fit"), 1 / 20)
    yield from _worst("2 chess boards, fit at tol 1e-8 / best peer at tol", _ratio(chess, "exact"), 1)
    yield from _worst(
        "3 fit / limit", _ours(limited, lambda _, own: own["fit_seconds"] / own["limit_seconds"]), 6
    )
    yield from _worst("4 predict / scikit-learn", _ratio(records, "predict_sklearn"), 1 / 10)
    yield from _worst("4 predict / best peer", _ratio(records, "predict"), 1)
    beyond = _ours(records, lambda r, own: own["peak_megabytes"] - r["cache"])
    yield from _worst("6 memory beyond the cache, MB", beyond, MEMORY_BESIDE_CACHE)


def _ratio(records: list[dict[str, Any]], name: str) -> list[tuple[float, str]]:
    return [(record["ratios"][name], record["workload"]) for record in records if name in record["ratios"]]


def _ours(records: list[dict[str, Any]], value: Any) -> list[tuple[float, str]]:
    found = []
    for record in records:
        try:
            found.append((value(record, record["results"][OURS]), record["workload"]))
        except KeyError:  # not measured
            continue
    return found


def _worst(statement: str, values: list[tuple[float, str]], allowed: float) -> Iterator[Bar]:
    if values:
        value, place = max(values)
        yield Bar(statement, value, place, allowed)


def _growth_bars(growth: Iterable[dict[str, Any]]) -> Iterator[Bar]:
    """Our exponent against that of the fastest peer, for each workload and number of threads."""
    known = [line for line in growth if line["exponent"] is not None]
    for workload, threads in dict.fromkeys((line["workload"], line["threads"]) for line in known):
        here = [line for line in known if (line["workload"], line["threads"]) == (workload, threads)]
        peers = [line for line in here if line["contender"] != OURS]
        for ours in here:
            if ours["contender"] == OURS and peers:
                best = fastest(peers)
                place = f"{workload}, {threads} thread{'s' * (threads > 1)}, against {best['contender']}"
                yield Bar("6 growth exponent", ours["exponent"], place, best["exponent"])
