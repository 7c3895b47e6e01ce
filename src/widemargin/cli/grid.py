"""Scores of all pairs of C and gamma."""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from typing import Any

import numpy as np
from sklearn.base import is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.pipeline import Pipeline

from widemargin import display, io, selection
from widemargin.cli import data, machine, picture, pictures, store, train
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption
from widemargin.cli.points import Whole
from widemargin.cli.table import table
from widemargin.progress import duration

CS = "0.1:1000:9"
GAMMAS = "0.0001:10:11"
FOLDS = 5
SEARCHED = ("svc", "svr", "nu-svr")


def check(arguments: argparse.Namespace) -> None:
    """Refuse what has no meaning for a grid."""
    if arguments.type in machine.LEAST_SQUARES:
        raise ValueError(
            f"--type {arguments.type} needs no search: train chooses lam, and with --gamma loo also gamma"
        )
    if arguments.type not in SEARCHED:
        raise ValueError(f"--type {arguments.type} cannot be searched: use one of {', '.join(SEARCHED)}")
    for option in ("C", "gamma"):
        if getattr(arguments, option) is not None:
            raise ValueError(f"{machine.option_of(option)} has no meaning here: give --{option}s")
    if arguments.per_feature:
        raise ValueError("--per-feature has no meaning for --method grid: use --method posterior or kta")
    if arguments.max_evaluations is not None:
        raise ValueError("--max-evaluations has no meaning for --method grid: leave it out")
    if arguments.picture is not None and not _has_landscape(arguments):
        raise ValueError("--picture needs at least two C and two gammas to make a landscape of")


def run(arguments: argparse.Namespace, points: io.Table, interruption: Interruption) -> int:
    """Search the grid, then store the best machine and draw the scores if asked to."""
    X, y = points.X, np.asarray(points.y)
    progress = Progress(arguments, interruption)
    estimator = machine.machine(arguments, X, y, progress.must_stop)
    result = _search(arguments, estimator, X, y, progress)
    print(grid_of(result))
    print(account(result, arguments))
    if arguments.picture is not None and not np.isnan(result.mean_scores).all():
        picture.save(display.LandscapeDisplay.from_path(result), arguments.picture)
    if interruption.requested:
        print("widemargin select: interrupted; the grid shows what was known then", file=sys.stderr)
        return INTERRUPTED
    chosen = result.best_estimator().get_params(deep=False)
    store.machine_of(estimator).set_params(**{name: chosen[name] for name in ("C", "gamma")})
    if arguments.pictures is not None:
        pictures.save(_drawings(arguments, result, estimator, X, y), arguments.pictures)
    if arguments.model is not None:
        interruption.politely = True  # what the machine has learned is worth keeping
        train.fit(estimator, Whole(X, y))
        data.remember_label(estimator, arguments)
        store.save(estimator, arguments.model, arguments.model_format)
        if interruption.requested:
            print(f"widemargin select: interrupted; {arguments.model} holds the machine as it was then")
            return INTERRUPTED
        print(f"fitted on all {X.shape[0]:,} points and stored in {arguments.model}")
    return SUCCESS


def _drawings(
    arguments: argparse.Namespace, result: Any, estimator: Any, X: Any, y: Any
) -> pictures.Drawings:
    landscape: pictures.Drawings = {}
    if _has_landscape(arguments):
        landscape["landscape"] = lambda: display.LandscapeDisplay.from_path(result)
    return landscape | pictures.curves(estimator, X, y, arguments.seed)


def _search(arguments: argparse.Namespace, estimator: Any, X: Any, y: Any, progress: Progress) -> Any:
    """Scores as far as Ctrl-C lets them be known."""
    inner = store.machine_of(estimator).set_params(n_jobs=arguments.jobs)
    scaled = estimator[:-1].fit_transform(X) if isinstance(estimator, Pipeline) else X
    axes = {"Cs": prices(arguments), "gammas": _gammas(arguments), "cv": folds(inner, arguments, y)}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ConvergenceWarning)
        try:
            result = selection.cross_validate_path(inner, scaled, y, callback=progress, **axes)
        except selection.PathInterrupted as interrupted:
            result = interrupted.result
    progress.close()
    for warning in caught:
        print(f"widemargin: warning: {warning.message}", file=sys.stderr)
    return result


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
        lines += _ends("C", result.Cs, result.best_C) + _ends("gamma", result.gammas, result.best_gamma)
    done = int(np.isfinite(result.scores).sum())
    shared = max(0, result.kernel_reads - result.kernel_evaluations)
    lines.append(
        f"{done:,} machines in {duration(result.seconds)}; {result.kernel_evaluations:,} kernel values "
        f"computed, {shared:,} more read from shared matrices"
    )
    return "\n".join(lines)


def _ends(name: str, tried: np.ndarray, best: float) -> list[str]:
    """A hint if the best value is an end of those that were tried."""
    if len(tried) < 3 or best not in (tried.min(), tried.max()):
        return []
    end = "smallest" if best == tried.min() else "largest"
    return [f"{name} {best:.6g} is the {end} that was tried: there may be a better one beyond, see --{name}s"]


def prices(arguments: argparse.Namespace) -> np.ndarray:
    """The values of C to try."""
    return values_of("--Cs", CS if arguments.Cs is None else arguments.Cs)


def _has_landscape(arguments: argparse.Namespace) -> bool:
    axes = prices(arguments), _gammas(arguments)
    return all(axis is not None and len(axis) > 1 for axis in axes)


def _gammas(arguments: argparse.Namespace) -> np.ndarray | None:
    if "gamma" not in machine.KERNELS[arguments.kernel]:
        if arguments.gammas is not None:
            raise ValueError(f"--gammas has no meaning for --kernel {arguments.kernel}: leave it out")
        return None
    return values_of("--gammas", arguments.gammas or GAMMAS)


def folds(estimator: Any, arguments: argparse.Namespace, y: Any) -> Any:
    """How points are left out; the same for each run with the same seed."""
    number = FOLDS if arguments.cv is None else arguments.cv
    n = len(y)
    if not 2 <= number <= n:
        raise ValueError(f"--cv is {number}; it must lie between 2 and the number of points, {n}")
    if not is_classifier(estimator):
        return KFold(number, shuffle=True, random_state=arguments.seed)
    classes, sizes = np.unique(y, return_counts=True)
    if sizes.min() < number:
        rare = classes[np.argmin(sizes)]
        raise ValueError(f"--cv is {number}, but class {rare!s} has {sizes.min()} points: use fewer folds")
    return StratifiedKFold(number, shuffle=True, random_state=arguments.seed)
