"""All contenders on one workload."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from widemargin.benchmarks.contender import OURS
from widemargin.benchmarks.measurement import Order, measure, merge, repeat_rule

EXACT_TOL = 1e-8
EXACT = f"{OURS} {EXACT_TOL:g}"
EXACT_WORKLOADS = ("chess-1k", "chess-10k", "chess-100k")
SHORT = 0.05  # a peer whose dual value is that much below the best, relatively, has not solved the problem


def compare(order: Order, contenders: Sequence[str], repeats: int) -> dict[str, Any]:
    """Results by contender, measured in turns, and our ratios to the best of them."""
    orders = {name: replace(order, contender=name) for name in contenders}
    if order.workload in EXACT_WORKLOADS:
        orders[EXACT] = replace(orders[OURS], tol=EXACT_TOL)
    runs: dict[str, list[dict[str, Any]]] = {name: [] for name in orders}
    for round in range(repeats):
        for name, wanted in orders.items():
            if repeat_rule(runs[name], repeats):
                runs[name].append(measure(replace(wanted, judged=order.judged and round == 0)))
    results = {name: merge(those) for name, those in runs.items()}
    mark_short(results)
    record = {"workload": order.workload, "threads": order.threads, "tol": order.tol, "cache": order.cache}
    return record | {"results": results, "ratios": ratios(results)}


def mark_short(results: dict[str, Any]) -> None:
    """Mark peers whose dual value is far below the best one of those who keep the constraints."""
    values = {name: each["dual_objective"] for name, each in results.items() if "dual_objective" in each}
    sound = [value for name, value in values.items() if results[name]["infeasibility"] < 1e-4]
    for name, value in values.items():
        results[name]["short"] = bool(sound) and max(sound) - value > SHORT * abs(max(sound))


def ratios(results: dict[str, Any]) -> dict[str, float]:
    """Our times over those of the best peer, and our shortfall in the dual value.

    A peer past the time limit counts with the limit; `bounded` says that the ratio is at most the number.
    """
    ours = results[OURS]
    peers = {name: each for name, each in results.items() if name not in (OURS, EXACT)}
    solved = {name: each for name, each in peers.items() if not each.get("short")}
    best = {key: _best(solved, key) for key in ("fit_seconds", "fit_cpu_seconds", "predict_seconds")}
    found: dict[str, float] = {}
    for key, name in (("fit_seconds", "fit"), ("fit_cpu_seconds", "cpu"), ("predict_seconds", "predict")):
        if key in ours and best[key] is not None:
            found[name] = ours[key] / best[key][0]
            if name == "fit":
                found["bounded"] = best[key][1]
    exact = results.get(EXACT, {})
    if "fit_seconds" in exact and best["fit_seconds"] is not None:
        found["exact"] = exact["fit_seconds"] / best["fit_seconds"][0]
    theirs = peers.get("scikit-learn", {})
    if "predict_seconds" in ours and "predict_seconds" in theirs:
        found["predict_sklearn"] = ours["predict_seconds"] / theirs["predict_seconds"]
    values = [
        each["dual_objective"]
        for each in peers.values()
        if "dual_objective" in each and each["infeasibility"] < 1e-6
    ]
    if "dual_objective" in ours and values:
        found["shortfall"] = (max(values) - ours["dual_objective"]) / abs(max(values))
    return found


def _best(peers: dict[str, Any], key: str) -> tuple[float, bool] | None:
    """The least value, and whether it is a time limit in truth."""
    values = [(each[key], False) for each in peers.values() if key in each]
    if key != "predict_seconds":
        values += [(each["over_limit"], True) for each in peers.values() if "over_limit" in each]
    return min(values, default=None)
