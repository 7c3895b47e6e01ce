"""How the time grows with the number of points: the exponent p of seconds ~ n^p."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.benchmarks.measurement import Order, measure

SIZES = (2000, 4000, 8000, 16_000, 32_000, 64_000)
WORKLOADS = ("moons", "classification")


def exponent(sizes: Sequence[float], seconds: Sequence[float]) -> float | None:
    """Slope of log seconds on log n by least squares; None with fewer than three points.

    Examples
    --------
    >>> round(exponent([1000, 2000, 4000], [0.5, 2.0, 8.0]), 6)
    2.0
    """
    if len(sizes) < 3:
        return None
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0])


def lines(order: Order, contenders: Sequence[str], sizes: Sequence[int] = SIZES) -> Iterator[dict[str, Any]]:
    """Seconds by size of each workload and contender; one that passes the limit is spared larger sizes."""
    for workload in WORKLOADS:
        seconds: dict[str, dict[int, float]] = {name: {} for name in contenders}
        for n in sizes:
            for name in [name for name in contenders if len(seconds[name]) == list(sizes).index(n)]:
                result = measure(replace(order, workload=workload, contender=name, points=n, judged=False))
                if "fit_seconds" in result:
                    seconds[name][n] = result["fit_seconds"]
        for name, by_size in seconds.items():
            p = exponent(list(by_size), list(by_size.values()))
            yield {
                "workload": workload,
                "threads": order.threads,
                "contender": name,
                "sizes": list(by_size),
                "seconds": list(by_size.values()),
                "exponent": p,
            }
