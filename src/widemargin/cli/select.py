"""Choose C and gamma by cross-validation over a grid.

Every kernel matrix is computed once for all folds, classes and C. Features are scaled once, with all points.
Ctrl-C stops the search and shows what is known by then; a second Ctrl-C gives up.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from widemargin import selection
from widemargin.cli import data, machine, store, train
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption
from widemargin.cli.overwriting import refuse_overwriting
from widemargin.cli.points import Whole
from widemargin.cli.table import table
from widemargin.progress import duration

CS = "0.1:1000:9"
GAMMAS = "0.0001:10:11"
SEARCHED = ("svc", "svr", "nu-svr")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin select`."""
    data.add_arguments(parser)
    grid = parser.add_argument_group("grid")
    values = "A:B:N for N values from A to B, evenly spaced logarithms, or a list A,B,..."
    grid.add_argument("--Cs", default=CS, metavar="VALUES", help=f"{values} (default: {CS})")
    grid.add_argument("--gammas", metavar="VALUES", help=f"the same for gamma (default: {GAMMAS})")
    grid.add_argument("-v", "--cv", type=int, default=5, metavar="K", help="number of folds (default: 5)")
    grid.add_argument(
        "-j", "--jobs", type=int, metavar="N", help="machines trained at a time; -1: all processors"
    )
    parser.add_argument(
        "--model", type=Path, metavar="FILE", help="fit the best machine on all points, store it"
    )
    parser.add_argument(
        "--model-format", choices=("widemargin", "libsvm"), default="widemargin", help="format of --model"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    machine.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search the grid, and store the best machine if asked to."""
    _check(arguments)
    Cs = values_of("--Cs", arguments.Cs)
    gammas = _gammas(arguments)
    if arguments.model is not None:
        refuse_overwriting(("--model", arguments.model), ("DATA", arguments.data))
    points = data.read(arguments)
    train.check_labels(arguments, points.y)
    X, y = points.X, np.asarray(points.y)
    if arguments.model is not None:
        store.check(arguments.model, arguments, y)
    with Interruption(politely=False) as interruption:
        progress = Progress(arguments, interruption)
        estimator = machine.machine(arguments, X, y, progress.must_stop)
        inner = store.machine_of(estimator).set_params(n_jobs=arguments.jobs)
        scaled = estimator[:-1].fit_transform(X) if isinstance(estimator, Pipeline) else X
        folds = _folds(inner, arguments, y)
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always", ConvergenceWarning)
            try:
                result = selection.cross_validate_path(
                    inner, scaled, y, Cs=Cs, gammas=gammas, cv=folds, callback=progress
                )
            except selection.PathInterrupted as interrupted:
                result = interrupted.result
        progress.close()
        for warning in caught:
            print(f"widemargin: warning: {warning.message}", file=sys.stderr)
        print(grid_of(result))
        print(account(result, arguments))
        if interruption.requested:
            print("widemargin select: interrupted; the grid shows what was known then", file=sys.stderr)
            return INTERRUPTED
        if arguments.model is not None:
            interruption.politely = True  # what the machine has learned is worth keeping
            chosen = result.best_estimator().get_params(deep=False)
            store.machine_of(estimator).set_params(**{name: chosen[name] for name in ("C", "gamma")})
            train.fit(estimator, Whole(X, y))
            data.remember_label(estimator, arguments)
            store.save(estimator, arguments.model, arguments.model_format)
            if interruption.requested:
                print(f"widemargin select: interrupted; {arguments.model} holds the machine as it was then")
                return INTERRUPTED
            print(f"fitted on all {X.shape[0]:,} points and stored in {arguments.model}")
    return SUCCESS


class Progress:
    """Callback of the search: says how much is done, and passes on the wish to stop."""

    def __init__(self, arguments: argparse.Namespace, interruption: Interruption) -> None:
        self.shows = sys.stderr.isatty() and not arguments.quiet
        self.interruption = interruption
        self.start = time.monotonic()

    def __call__(self, done: int, total: int) -> bool:
        if self.shows and not self.interruption.requested:
            elapsed = time.monotonic() - self.start
            left = duration(elapsed / done * (total - done))
            sys.stderr.write(
                f"\r\x1b[K{duration(elapsed):>8} {done:,} of {total:,} machines, about {left} left"
            )
            sys.stderr.flush()
        return self.interruption.requested

    def must_stop(self, _: Any) -> bool:
        """What solvers ask."""
        return self.interruption.requested

    def close(self) -> None:
        """End the line."""
        if self.shows and not self.interruption.requested:  # which has ended the line already
            sys.stderr.write("\r\x1b[K")


def values_of(option: str, text: str) -> np.ndarray:
    """The numbers that A:B:N or A,B,... stands for.

    Examples
    --------
    >>> values_of("--Cs", "0.1:10:3")
    array([ 0.1,  1. , 10. ])
    >>> values_of("--gammas", "0.5,2")
    array([0.5, 2. ])
    """
    parts = text.split(":") if ":" in text else text.split(",")
    try:
        numbers = [float(part) for part in parts]
    except ValueError:
        raise ValueError(f"{option} has {text!r} where A:B:N or a list of numbers is needed") from None
    if not all(0 < number < np.inf for number in numbers):
        raise ValueError(f"{option} has {text!r}, but all its numbers must be positive")
    if ":" not in text:
        return np.array(numbers)
    if len(numbers) != 3 or numbers[2] != int(numbers[2]):
        raise ValueError(f"{option} has {text!r} where A:B:N is needed, N a whole number")
    return np.geomspace(numbers[0], numbers[1], int(numbers[2]))


def grid_of(result: Any) -> str:
    """Mean scores, a row for each C and a column for each gamma."""
    has_gamma = not np.isnan(result.gammas).all()
    header = [
        "C \\ gamma" if has_gamma else "C",
        *(f"{g:.2g}" if has_gamma else "score" for g in result.gammas),
    ]
    means = result.mean_scores
    rows = [
        [f"{C:.3g}", *("-" if np.isnan(mean) else f"{mean:.4f}" for mean in row)]
        for C, row in zip(result.Cs, means, strict=True)
    ]
    return table(header, rows)


def account(result: Any, arguments: argparse.Namespace) -> str:
    """The best cell, and what the search has cost."""
    measure = "R^2" if arguments.type.endswith("svr") else "accuracy"
    lines = []
    if not np.isnan(result.mean_scores).all():
        gamma = "" if np.isnan(result.best_gamma) else f", --gamma {result.best_gamma:.6g}"
        lines.append(f"best: -C {result.best_C:.6g}{gamma}: {measure} {result.best_score:.4f}")
    done = int(np.isfinite(result.scores).sum())
    shared = max(0, result.kernel_reads - result.kernel_evaluations)
    lines.append(
        f"{done:,} machines in {duration(result.seconds)}; {result.kernel_evaluations:,} kernel values "
        f"computed, {shared:,} more read from shared matrices"
    )
    return "\n".join(lines)


def _check(arguments: argparse.Namespace) -> None:
    if arguments.type in machine.LEAST_SQUARES:
        raise ValueError(
            f"--type {arguments.type} needs no search: train chooses lam, and with --gamma loo also gamma"
        )
    if arguments.type not in SEARCHED:
        raise ValueError(f"--type {arguments.type} cannot be searched: use one of {', '.join(SEARCHED)}")
    for option in ("C", "gamma"):
        if getattr(arguments, option) is not None:
            raise ValueError(f"{'-C' if option == 'C' else '--gamma'} has no meaning here: give --{option}s")


def _gammas(arguments: argparse.Namespace) -> np.ndarray | None:
    if "gamma" not in machine.KERNELS[arguments.kernel]:
        if arguments.gammas is not None:
            raise ValueError(f"--gammas has no meaning for --kernel {arguments.kernel}: leave it out")
        return None
    return values_of("--gammas", arguments.gammas or GAMMAS)


def _folds(estimator: Any, arguments: argparse.Namespace, y: Any) -> Any:
    n = len(y)
    if not 2 <= arguments.cv <= n:
        raise ValueError(f"--cv is {arguments.cv}; it must lie between 2 and the number of points, {n}")
    if not is_classifier(estimator):
        return KFold(arguments.cv, shuffle=True, random_state=arguments.seed)
    classes, sizes = np.unique(y, return_counts=True)
    if sizes.min() < arguments.cv:
        rare = classes[np.argmin(sizes)]
        raise ValueError(
            f"--cv is {arguments.cv}, but class {rare!s} has {sizes.min()} points: use fewer folds"
        )
    return StratifiedKFold(arguments.cv, shuffle=True, random_state=arguments.seed)
