"""Train a machine on a CSV, LIBSVM or Parquet file and store it.

Ctrl-C stops the fit and stores the machine as it is then; a second Ctrl-C gives up. Machines of least
squares (rlsc and rlsr), which are nothing before their end, give up at once.
"""

from __future__ import annotations

import argparse
import sys
import time
import warnings
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier
from sklearn.exceptions import ConvergenceWarning
from sklearn.model_selection import KFold, StratifiedKFold

from widemargin.cli import data, least_squares, machine, score, store
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption
from widemargin.cli.overwriting import refuse_overwriting
from widemargin.cli.points import Streamed, Whole
from widemargin.estimators.training import in_words
from widemargin.progress import Progress, ProgressLine, duration
from widemargin.solvers import Status


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin train`."""
    data.add_arguments(parser)
    parser.add_argument(
        "model", type=Path, nargs="?", metavar="MODEL", help="where to store it (default: DATA.model)"
    )
    parser.add_argument(
        "--model-format", choices=("widemargin", "libsvm"), default="widemargin", help="format of MODEL"
    )
    parser.add_argument(
        "-v", "--cv", type=int, metavar="K", help="only cross-validate with K folds; stores nothing"
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    machine.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Train and store, or cross-validate."""
    path = arguments.model or Path(f"{arguments.data.name}.model")
    if arguments.cv is None:
        refuse_overwriting(("MODEL", path), ("DATA", arguments.data))
    points = _points(arguments)
    if arguments.cv is None:
        store.check(path, arguments, points.y)
    politely = arguments.type not in machine.LEAST_SQUARES
    with Interruption(politely=politely) as interruption, Watch(arguments, interruption) as watch:
        estimator = machine.machine(arguments, points.X, points.y, watch)
        if arguments.cv is not None:
            return _cross_validate(estimator, points.X, points.y, arguments, interruption)
        start = time.perf_counter()
        fit(estimator, points)
        seconds = time.perf_counter() - start
        data.remember_label(estimator, arguments)
        store.save(estimator, path, arguments.model_format)
    _warn(arguments, [estimator])
    print(account(estimator, seconds))
    if interruption.requested:
        print(f"widemargin train: interrupted; {path} holds the machine as it was then", file=sys.stderr)
        return INTERRUPTED
    predicted, y = points.answers(estimator)
    print(f"on the training points: {score.sentence(score.scores(estimator, predicted, y), len(predicted))}")
    print(f"stored in {path}")
    return SUCCESS


def _points(arguments: argparse.Namespace) -> Whole | Streamed:
    """The points, in parts if the machine and the file allow that; their labels can be learned."""
    chunks = data.chunks(arguments) if _takes_parts(arguments) else None
    if chunks is not None:
        return Streamed(chunks, lambda y: check_labels(arguments, y))
    table = data.read(arguments)
    check_labels(arguments, table.y)
    return Whole(table.X, table.y)


def _takes_parts(arguments: argparse.Namespace) -> bool:
    needs_whole = (arguments.scale, arguments.cv, arguments.class_weight)
    return (
        arguments.type in machine.LEAST_SQUARES
        and arguments.centres is not None
        and arguments.gamma != "loo"
        and all(option is None for option in needs_whole)
    )


class Watch:
    """Callback of the fit: shows progress and passes on the wish to stop."""

    def __init__(self, arguments: argparse.Namespace, interruption: Interruption) -> None:
        self.line = None if arguments.quiet else ProgressLine(arguments.tol or 1e-3)
        self.interruption = interruption

    def __call__(self, progress: Progress) -> bool:
        if self.line is not None and not self.interruption.requested:
            self.line(progress)
        return self.interruption.requested

    def __sklearn_clone__(self) -> Watch:
        """The machines of all folds are watched together."""
        return self

    def __enter__(self) -> Watch:
        return self

    def __exit__(self, *_: Any) -> None:
        if self.line is not None and not self.interruption.requested:  # which has ended the line already
            self.line.close()


def fit(estimator: Any, points: Whole | Streamed) -> Any:
    """The estimator, fitted without the warning that speaks of parameters instead of options."""
    with warnings.catch_warnings():
        if hasattr(store.machine_of(estimator), "callback"):  # `_warn` says it in other words
            warnings.simplefilter("ignore", ConvergenceWarning)
        return points.fit(estimator)


def _warn(arguments: argparse.Namespace, estimators: Sequence[Any]) -> None:
    """Say in one line that some machine did not reach the tolerance, and what may help."""
    limits = {
        Status.MAX_ITERATIONS: (f"stopped at --max-iter {arguments.max_iter}", "a larger --max-iter"),
        Status.MAX_TIME: (f"stopped at --max-time {arguments.max_time}", "a larger --max-time"),
        Status.STALLED: ("stopped where rounding ends all progress", "a larger --tol"),
    }
    machines = map(store.machine_of, estimators)
    short = [fitted for fitted in machines if getattr(fitted, "status_", None) in limits]
    if short:
        worst = max(short, key=lambda fitted: fitted.kkt_violation_)
        event, remedy = limits[worst.status_]
        remedies = ["--scale"] * (arguments.scale is None) + [remedy] + ["a smaller -C"] * hasattr(worst, "C")
        print(
            f"widemargin: warning: {event} with {in_words(worst.kkt_violation_)} "
            f"(--tol {worst.tol:g}): try {' or '.join(remedies)}",
            file=sys.stderr,
        )


def account(estimator: Any, seconds: float) -> str:
    """What was trained, at what cost and how close to the optimum."""
    fitted = store.machine_of(estimator)
    lines = least_squares.account(fitted) if hasattr(fitted, "lam_") else _certificate(fitted)
    return f"{lines}\ntrained in {duration(seconds) if seconds >= 1 else f'{1000 * seconds:.0f} ms'}"


def _certificate(fitted: Any) -> str:
    (n, d), gap = fitted.shape_fit_, fitted.duality_gap_
    return (
        f"{fitted.status_.sentence}\n"
        f"{n:,} points, {d:,} features, {len(fitted.support_):,} support vectors\n"
        f"{np.sum(fitted.n_iter_):,} iterations, {fitted.kernel_evaluations_:,} kernel evaluations, "
        f"KKT violation {fitted.kkt_violation_:.1e}\n"
        f"dual objective {fitted.dual_objective_:.6g}, duality gap "
        f"{f'{gap:.1e}' if np.isfinite(gap) else 'not computed'}"
    )


def check_labels(arguments: argparse.Namespace, y: Any) -> None:
    """Refuse labels that this type of machine cannot learn."""
    if arguments.type in ("one-class", "ball"):
        return
    if y is None:
        raise ValueError(f"--type {arguments.type} needs labels: name their column by --label")
    if arguments.type in ("svc", "nu-svc", "rlsc") and y.dtype.kind == "f" and (y != np.round(y)).any():
        value, twin = y[y != np.round(y)][0], "rlsr" if arguments.type == "rlsc" else "svr"
        raise ValueError(
            f"--type {arguments.type} needs classes; {arguments.data} has the label {value:g}: "
            f"use --type {twin} for numbers, or name another column by --label"
        )
    if arguments.type in ("svr", "nu-svr", "rlsr") and y.dtype.kind not in "biuf":
        raise ValueError(f"--type {arguments.type} needs numbers for labels; {arguments.data} has {y[0]!s}")


def _cross_validate(estimator: Any, X: Any, y: Any, arguments: argparse.Namespace, stop: Interruption) -> int:
    if not 2 <= arguments.cv <= X.shape[0]:
        raise ValueError(
            f"--cv is {arguments.cv}; it must lie between 2 and the number of points, {X.shape[0]}"
        )
    splitter = StratifiedKFold if is_classifier(estimator) else KFold
    folds = splitter(arguments.cv, shuffle=True, random_state=arguments.seed).split(X, y)
    measured: list[dict[str, float]] = []
    fitted = []
    try:
        for number, (train, test) in enumerate(folds, start=1):
            fold = fit(clone(estimator), Whole(X[train], None if y is None else y[train]))
            fitted.append(fold)
            if stop.requested:
                raise KeyboardInterrupt
            measured.append(score.scores(estimator, fold.predict(X[test]), None if y is None else y[test]))
            print(f"fold {number} of {arguments.cv}: {score.sentence(measured[-1], len(test))}", flush=True)
    except KeyboardInterrupt:
        if measured:
            print(f"mean of {len(measured)} of {arguments.cv} folds: {score.sentence(_means(measured))}")
        raise
    _warn(arguments, fitted)
    print(f"mean of {arguments.cv} folds: {score.sentence(_means(measured))}")
    return SUCCESS


def _means(measured: list[dict[str, float]]) -> dict[str, float]:
    return {name: float(np.mean([measures[name] for measures in measured])) for name in measured[0]}
