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
    """Our times over those of the best peer, and our shortfall in the dual value, where both were measured.

    Who is past the time limit counts with the limit; `bounded` says that this is so for all peers.
    """
    ours, exact = results[OURS], results.get(EXACT, {})
    peers = {name: each for name, each in results.items() if name not in (OURS, EXACT)}
    solved = [each for each in peers.values() if not each.get("short")]
    sklearn = [each for name, each in peers.items() if name == "scikit-learn"]
    sound = [each["dual_objective"] for each in peers.values() if each.get("infeasibility", 1) < 1e-6]
    found = {
        "fit": _ratio(ours, solved, "fit_seconds"),
        "cpu": _ratio(ours, solved, "fit_cpu_seconds"),
        "exact": _ratio(exact, solved, "fit_seconds"),
        "predict": _ratio(ours, solved, "predict_seconds"),
        "predict_sklearn": _ratio(ours, sklearn, "predict_seconds"),
        "bounded": all("over_limit" in each for each in solved if _time(each, "fit_seconds")) or None,
    }
    if "dual_objective" in ours and sound:
        found["shortfall"] = (max(sound) - ours["dual_objective"]) / abs(max(sound))
    return {name: value for name, value in found.items() if value is not None}


def _ratio(ours: dict[str, Any], peers: list[dict[str, Any]], key: str) -> float | None:
    times = [time for time in (_time(each, key) for each in peers) if time is not None]
    own = _time(ours, key)
    return own / min(times) if own is not None and times else None


def _time(result: dict[str, Any], key: str) -> float | None:
    return result.get(key, result.get("over_limit") if key.startswith("fit") else None)
