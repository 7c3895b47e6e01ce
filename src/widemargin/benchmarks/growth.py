"""How the time grows with the number of points: the exponent p of seconds ~ n^p."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from widemargin.benchmarks.measurement import Order, measure_least
from widemargin.papers.statistics import geometric_mean

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


def measurements(
    order: Order, contenders: Sequence[str], repeats: int, sizes: Sequence[int] = SIZES
) -> Iterator[dict[str, Any]]:
    """Seconds of all contenders, size by size; one that passes the limit is spared the larger sizes."""
    for workload in WORKLOADS:
        able = list(contenders)
        for n in sizes:
            for name in list(able):
                asked = replace(order, workload=workload, contender=name, points=n, judged=False)
                result = measure_least(asked, repeats)
                if "fit_seconds" not in result:
                    able.remove(name)
                    continue
                point = {"workload": workload, "threads": order.threads, "contender": name, "n": n}
                yield point | {"seconds": result["fit_seconds"]}


def lines(points: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The points gathered by workload, threads and contender, with the exponent."""
    keys = ("workload", "threads", "contender")
    gathered: dict[tuple[Any, ...], dict[int, float]] = {}
    for point in points:
        gathered.setdefault(tuple(point[key] for key in keys), {})[point["n"]] = point["seconds"]
    return [
        dict(zip(keys, name, strict=True))
        | {"sizes": list(s), "seconds": list(s.values()), "exponent": exponent(list(s), list(s.values()))}
        for name, s in gathered.items()
    ]


def fastest(lines: Sequence[dict[str, Any]]) -> dict[str, Any]:
    """The line of whoever got to the largest size, and took the least time there and before.

    All sizes count alike: times are compared by their geometric mean.
    """
    return min(lines, key=lambda line: (-max(line["sizes"]), geometric_mean(line["seconds"])))
