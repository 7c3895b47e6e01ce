"""C and gamma, or a gamma for each feature, by minimising an objective."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.base import clone
from sklearn.pipeline import Pipeline

import widemargin as wm
from widemargin import display, io
from widemargin.cli import data, grid, machine, picture, pictures, score, store
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption
from widemargin.progress import duration
from widemargin.selection.presets import PRESETS

METHODS = tuple(PRESETS)
WITHOUT_C = "kta"
"""The method that chooses the kernel first and C afterwards, by cross-validation."""

CELLS, DRAWS, BORDER = 10, 3, np.log(10.0)
"""Of the landscape: cells in each direction, evaluations of noisy objectives in each, room around the way."""

NAMED = 5
"""How many features are named."""


def check(arguments: argparse.Namespace) -> None:
    """Refuse what has no meaning for a search."""
    method = f"--method {arguments.method}"
    if arguments.type != "svc":
        raise ValueError(f"{method} needs --type svc, not {arguments.type}")
    if arguments.kernel != "rbf":
        raise ValueError(f"{method} needs --kernel rbf, not {arguments.kernel}")
    refused = ["C", "gamma", "gammas", *([] if arguments.method == WITHOUT_C else ["Cs", "cv"])]
    for name in refused:
        if getattr(arguments, name) is not None:
            raise ValueError(f"{machine.option_of(name)} has no meaning for {method}: leave it out")
    if arguments.picture is not None and arguments.method == WITHOUT_C and not arguments.per_feature:
        raise ValueError(
            f"--picture has nothing to draw for {method}, which moves gamma alone: add --per-feature, or use "
            "another method"
        )
    if arguments.max_evaluations is not None and arguments.max_evaluations < 1:
        raise ValueError(f"--max-evaluations is {arguments.max_evaluations}; it must be at least 1")
    grid.prices(arguments)


def run(arguments: argparse.Namespace, points: io.Table, interruption: Interruption) -> int:
    """Search, say what was found, store, draw."""
    X, y = points.X, np.asarray(points.y)
    estimator = machine.machine(arguments, X, y, None)
    scaled = estimator[:-1].fit_transform(X) if isinstance(estimator, Pipeline) else X
    progress = Progress(arguments, interruption)
    search = _search(arguments, store.machine_of(estimator), y, scaled.shape[1]).set_params(callback=progress)
    interruption.politely = True  # the search ends after the evaluation, wherever Ctrl-C comes
    start = time.monotonic()
    try:
        search.fit(scaled, y)
    except KeyboardInterrupt:
        if not hasattr(search, "best_estimator_"):
            raise
    except ImportError as error:  # CMA-ES without its package
        raise ValueError(str(error)) from None
    progress.close()
    print(account(search, time.monotonic() - start, points.feature_names))
    measures = score.scores(search, search.predict(scaled), y)
    print(f"on the training points: {score.sentence(measures, len(y))}")
    best = _stored(estimator, search, arguments)
    if arguments.model is not None:
        store.save(best, arguments.model, arguments.model_format)
        print(f"stored in {arguments.model}")
    if interruption.requested:
        print("widemargin select: interrupted; the machine is the best one until then", file=sys.stderr)
        return INTERRUPTED
    interruption.politely = False
    drawings = _drawings(arguments, search, scaled, y, points.feature_names)
    if arguments.picture is not None:
        if not drawings:
            raise ValueError("--picture: there was no time for an evaluation to draw; raise --max-time")
        picture.save(next(iter(drawings.values()))(), arguments.picture)
    if arguments.pictures is not None:
        pictures.save(drawings | pictures.curves(best, X, y, arguments.seed), arguments.pictures)
    return SUCCESS


class Progress:
    """Callback of the search: says how far it is, and passes on the wish to stop."""

    def __init__(self, arguments: argparse.Namespace, interruption: Interruption) -> None:
        self.shows = sys.stderr.isatty() and not arguments.quiet
        self.interruption = interruption

    def __call__(self, evaluation: Any, done: int) -> bool:
        if self.shows and not self.interruption.requested:
            sys.stderr.write(f"\r\x1b[K{done:,} evaluations, the last {evaluation.value:.5g}")
            sys.stderr.flush()
        return self.interruption.requested

    def close(self) -> None:
        """End the line."""
        if self.shows and not self.interruption.requested:  # which has ended the line already
            sys.stderr.write("\r\x1b[K")


def account(search: Any, seconds: float, names: Sequence[str] | None) -> str:
    """What was found, and at what cost."""
    best = search.best_estimator_
    gamma = best.kernel.gamma
    width = f"--gamma {gamma:.6g}" if np.ndim(gamma) == 0 else f"a gamma for each of {len(gamma)} features"
    value = f": {type(search.objective).__name__} {search.best_value_:.4g}" if len(search.history_) else ""
    lines = [f"best: -C {best.C:.6g}, {width}{value}"]
    if np.ndim(gamma) == 1:
        largest = np.argsort(-gamma, kind="stable")[:NAMED]
        shown = [f"{f'feature {i}' if names is None else names[i]} {gamma[i]:.3g}" for i in largest]
        lines.append(f"largest: {', '.join(shown)}")
    reason = "interrupted" if search.reason_ == "callback" else search.reason_
    lines.append(f"{len(search.history_):,} evaluations in {duration(seconds)}: {reason}")
    return "\n".join(lines)


def _search(arguments: argparse.Namespace, estimator: Any, y: Any, d: int) -> wm.ModelSearch:
    settings: dict[str, Any] = {"random_state": arguments.seed, "n_jobs": arguments.jobs}
    settings |= {"max_evaluations": arguments.max_evaluations, "max_time": arguments.max_time}
    estimator.set_params(max_time=None)  # it is the search's
    if arguments.method == WITHOUT_C:
        settings |= {"Cs": grid.prices(arguments), "cv": grid.folds(estimator, arguments, y)}
    if arguments.per_feature:
        estimator = clone(estimator).set_params(kernel=wm.ARDGaussian(np.ones(d)))
    return wm.ModelSearch.preset(arguments.method, estimator, **settings)


def _stored(estimator: Any, search: Any, arguments: argparse.Namespace) -> Any:
    """The best machine behind the scaler that it was trained behind."""
    best = search.best_estimator_
    if isinstance(estimator, Pipeline):
        estimator.steps[-1] = (estimator.steps[-1][0], best)
        best = estimator
    data.remember_label(best, arguments)
    return best


def _drawings(arguments: argparse.Namespace, search: Any, X: Any, y: Any, names: Any) -> pictures.Drawings:
    """What is known after at least one evaluation: relevances of features, or a landscape of C and gamma."""
    if len(search.history_) == 0:
        return {}
    if arguments.per_feature:
        return {"relevances": lambda: display.RelevanceDisplay.from_estimator(search, feature_names=names)}
    if arguments.method == WITHOUT_C:
        return {}
    return {"landscape": lambda: _landscape(arguments, search, X, y)}


def _landscape(arguments: argparse.Namespace, search: Any, X: Any, y: Any) -> Any:
    """The objective around the way of the search."""
    bound = search.objective.bind(clone(search.best_estimator_), X, y, random_state=arguments.seed)
    way = search.history_.x
    ends = way.min(axis=0) - BORDER, way.max(axis=0) + BORDER
    Cs, gammas = np.exp(np.linspace(*ends, CELLS)).T
    draws = DRAWS if search.objective.noisy else 1
    return display.LandscapeDisplay.from_objective(bound, Cs=Cs, gammas=gammas, draws=draws, search=search)
