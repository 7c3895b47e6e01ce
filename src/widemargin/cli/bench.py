"""Measure this library beside its peers: time, memory and what was computed in it.

Every measurement is a fresh process; the contenders take turns with equal threads, tolerance and cache.
Ctrl-C prints and writes what is measured so far.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, replace
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from widemargin.benchmarks import (
    auto,
    comparison,
    gradients,
    grid,
    growth,
    least_squares,
    linear,
    picture,
    summary,
    table,
)
from widemargin.benchmarks.contender import OURS, PEERS, missing
from widemargin.benchmarks.machine import machine, sentence
from widemargin.benchmarks.measurement import Order
from widemargin.benchmarks.workload import WORKLOADS
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS

QUICK_LIMIT, LIMIT = 15.0, 300.0


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin bench`."""
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory with the data sets as NAME.npz")
    parser.add_argument("--only", nargs="+", metavar="NAME", help=f"workloads, of {', '.join(WORKLOADS)}")
    parser.add_argument("--peers", nargs="*", default=PEERS, metavar="NAME", help=f"of {', '.join(PEERS)}")
    parser.add_argument("--quick", action="store_true", help="some workloads, once, within three minutes")
    parser.add_argument("--growth", action="store_true", help="only the growth of the time with n")
    parser.add_argument("--grid", action="store_true", help="only the search over a grid of C and gamma")
    parser.add_argument("--auto", action="store_true", help="only AutoSVC beside a grid search")
    parser.add_argument("--linear", action="store_true", help="only LinearSVC beside scikit-learn's, by gap")
    parser.add_argument(
        "--least-squares", action="store_true", help="only RLSRegressor beside Cholesky solvers"
    )
    parser.add_argument("--gradients", action="store_true", help="only what gradients of objectives cost")
    parser.add_argument("--threads", type=int, nargs="+", metavar="K", help="(default: 1 2; quick: 2)")
    parser.add_argument(
        "--repeats", type=int, metavar="K", help="least of K times, or K splits (default: 3; quick: 1)"
    )
    parser.add_argument("--tol", type=float, default=1e-3, help="tolerance of all (default: %(default)g)")
    parser.add_argument("--cache", type=float, default=200, metavar="MB", help="(default: %(default)g)")
    parser.add_argument("--points", type=int, metavar="N", help="train on N points only")
    parser.add_argument(
        "--limit-seconds",
        type=float,
        metavar="S",
        help=f"end fits that take longer (default: {LIMIT:g}; quick: {QUICK_LIMIT:g})",
    )
    parser.add_argument("--no-judge", action="store_true", help="do not recompute dual value and violation")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write all numbers to this file")
    parser.add_argument("--picture", type=Path, metavar="FILE", help="draw the ratios to this file")


def run(arguments: argparse.Namespace) -> int:
    """Check the arguments, measure, and say what holds."""
    _check(arguments)
    outcome: dict[str, Any] = {"machine": machine(), "workloads": [], "growth": [], "grid": None}
    print(sentence(outcome["machine"]))
    try:
        _measure(arguments, outcome)
        code = SUCCESS
    except KeyboardInterrupt:
        print("\ninterrupted; measured so far:")
        code = INTERRUPTED
    bars = summary.bars(outcome)
    outcome["bars"] = [vars(bar) | {"holds": bar.holds} for bar in bars]
    print("", *map(table.growth_line, growth.lines(outcome["growth"])), *bars, sep="\n")
    _write(arguments, outcome)
    if arguments.picture is not None and (outcome["workloads"] or outcome["growth"]):
        picture.draw(outcome, arguments.picture)
    return code


def _check(arguments: argparse.Namespace) -> None:
    """Refuse what cannot work."""
    for option, names, known in (
        ("--only", arguments.only or (), WORKLOADS),
        ("--peers", arguments.peers, PEERS),
    ):
        for name in names:
            if name not in known:
                raise ValueError(f"{option}: nothing is called {name!r}, choose from {', '.join(known)}")
    if arguments.data is not None and not arguments.data.is_dir():
        raise NotADirectoryError(20, "not a directory", str(arguments.data))
    homeless = [name for name in arguments.only or () if _lacks_data(name, arguments.data)]
    if arguments.grid and _lacks_data(grid.WORKLOAD, arguments.data):
        homeless.append("--grid")
    if arguments.auto and not auto.available(arguments.data):
        homeless.append("--auto")
    if arguments.linear and not linear.available(arguments.data):
        homeless.append("--linear")
    if arguments.linear and not set(arguments.only or linear.SETS) & set(linear.SETS):
        raise ValueError(f"--linear measures {', '.join(linear.SETS)}: choose --only from these")
    if homeless:
        raise ValueError(f"{', '.join(homeless)}: give the directory that holds the data by --data DIR")
    for option in ("threads", "repeats", "tol", "points", "limit_seconds"):
        value = getattr(arguments, option)
        if value is not None and min(value if isinstance(value, list) else [value]) <= 0:
            raise ValueError(f"--{option.replace('_', '-')} must be positive")
    for path in (arguments.json, arguments.picture):
        if path is not None and not path.parent.is_dir():
            raise NotADirectoryError(20, "not a directory", str(path.parent))
    if arguments.picture is not None and find_spec("matplotlib") is None:
        raise ValueError("--picture needs matplotlib: pip install 'widemargin[bench]'")


def _lacks_data(name: str, data: Path | None) -> bool:
    file = WORKLOADS[name].file
    return file is not None and (data is None or not (data / f"{file}.npz").is_file())


def _measure(arguments: argparse.Namespace, outcome: dict[str, Any]) -> None:
    """Fill the outcome, printing and writing as it grows.

    Workloads, growth and grid are all measured unless some of them are asked for.
    """
    alone = {"auto": _auto, "linear": _linear, "least_squares": _least_squares, "gradients": _gradients}
    asked = [name for name in alone if getattr(arguments, name)]
    for name in asked:
        comparisons, conclusion = alone[name](arguments)
        found = []
        for each in comparisons:
            found.append(each)
            outcome[name] = [asdict(each) for each in found]
            print(each, flush=True)
            _write(arguments, outcome)
        print(conclusion(found))
    if asked:
        return
    chosen = bool(arguments.only or arguments.quick)
    everything = not (chosen or arguments.growth or arguments.grid)
    contenders = _contenders(arguments.peers)
    repeats = _repeats(arguments)
    orders = [
        _order(arguments, threads) for threads in arguments.threads or ([2] if arguments.quick else [1, 2])
    ]
    if chosen or everything:
        _measure_workloads(arguments, orders, contenders, repeats, outcome)
    if arguments.growth or everything:
        for order in orders:
            for point in growth.measurements(order, contenders, repeats):
                outcome["growth"].append(point)
                print(table.growth_point(point), flush=True)
                _write(arguments, outcome)
    if arguments.grid or (everything and not _lacks_data(grid.WORKLOAD, arguments.data)):
        outcome["grid"] = grid.compare(orders[-1])
        print(table.grid_line(outcome["grid"]), flush=True)


Alone = tuple[Iterable[Any], Callable[[Any], str]]
"""What is measured one after the other, and a sentence on all of it."""


def _auto(arguments: argparse.Namespace) -> Alone:
    names = auto.available(arguments.data)
    return auto.comparisons(names, arguments.data, arguments.points, _repeats(arguments)), auto.summary


def _linear(arguments: argparse.Namespace) -> Alone:
    names = [name for name in linear.available(arguments.data) if name in (arguments.only or linear.SETS)]
    threads, repeats = arguments.threads, _repeats(arguments)
    return linear.comparisons(names, arguments.data, arguments.points, threads, repeats), linear.summary


def _least_squares(arguments: argparse.Namespace) -> Alone:
    points, threads, repeats = arguments.points, _most_threads(arguments), _repeats(arguments)
    return least_squares.timings(points, threads, repeats), least_squares.summary


def _gradients(arguments: argparse.Namespace) -> Alone:
    points, threads, repeats = arguments.points, _most_threads(arguments), _repeats(arguments)
    return gradients.costs(points, threads, repeats), gradients.summary


def _most_threads(arguments: argparse.Namespace) -> int | None:
    return max(arguments.threads) if arguments.threads else None


def _repeats(arguments: argparse.Namespace) -> int:
    return arguments.repeats or (1 if arguments.quick else 3)


def _measure_workloads(
    arguments: argparse.Namespace,
    orders: list[Order],
    contenders: list[str],
    repeats: int,
    outcome: dict[str, Any],
) -> None:
    names = arguments.only or [
        name for name, workload in WORKLOADS.items() if workload.quick or not arguments.quick
    ]
    left_out = [name for name in names if _lacks_data(name, arguments.data)]
    if left_out:
        print(f"left out, for their data are not there (--data DIR): {', '.join(left_out)}")
    print(table.header(), flush=True)
    for name in names:
        for order in orders if name not in left_out else ():
            record = comparison.compare(replace(order, workload=name), contenders, repeats)
            outcome["workloads"].append(record)
            print(*table.lines(record), sep="\n", flush=True)
            _write(arguments, outcome)


def _contenders(peers: Sequence[str]) -> list[str]:
    """This library and those peers that are installed."""
    absent = missing(peers)
    for name, package in absent.items():
        print(f"left out, for it is not installed (pip install {package}): {name}")
    return [OURS, *(name for name in peers if name not in absent)]


def _order(arguments: argparse.Namespace, threads: int) -> Order:
    """How everything is measured; the workload and the contender are filled in later."""
    return Order(
        workload="",
        contender=OURS,
        threads=threads,
        tol=arguments.tol,
        cache=arguments.cache,
        limit_seconds=arguments.limit_seconds or (QUICK_LIMIT if arguments.quick else LIMIT),
        data=None if arguments.data is None else str(arguments.data.resolve()),
        points=arguments.points,
        judged=not arguments.no_judge,
    )


def _write(arguments: argparse.Namespace, outcome: dict[str, Any]) -> None:
    if arguments.json is not None:
        arguments.json.write_text(json.dumps(outcome, indent=1) + "\n")
