"""Machines that choose everything themselves."""

from __future__ import annotations

import argparse
import sys
from typing import Any

import numpy as np

import widemargin as wm
from widemargin import display, io
from widemargin.cli import data, machine, picture, pictures, score, store
from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption

KNOWN = {"svc": {"class_weight", "probability", "max_time"}, "svr": {"max_time"}}
"""What may be given, by type of machine."""


def check(arguments: argparse.Namespace) -> None:
    """Refuse what the machine chooses by itself."""
    if arguments.type not in KNOWN:
        raise ValueError(f"--method auto needs --type svc or svr, not {arguments.type}")
    if arguments.scale is not None:
        raise ValueError("--scale has no meaning for --method auto, which scales by itself: leave it out")
    if arguments.kernel != "rbf":
        raise ValueError(f"--kernel {arguments.kernel} has no meaning for --method auto: leave it out")
    given = [name for name in machine.given_parameters(arguments) if name not in KNOWN[arguments.type]]
    given += [
        name for name in ("Cs", "gammas", "cv", "max_evaluations") if getattr(arguments, name) is not None
    ]
    given += ["per_feature"] * arguments.per_feature
    for name in given:
        owner = f"--method auto --type {arguments.type}"
        raise ValueError(f"{machine.option_of(name)} has no meaning for {owner}: leave it out")


def run(arguments: argparse.Namespace, points: io.Table, interruption: Interruption) -> int:
    """Train, report, store, draw."""
    y = np.asarray(points.y)
    estimator = _machine(arguments, y)
    try:
        estimator.fit(points.X, y)
    except KeyboardInterrupt:
        if not hasattr(estimator, "machine_"):
            raise
    print(estimator.report())
    measures = score.scores(estimator, estimator.predict(points.X), y)
    print(f"on the training points: {score.sentence(measures, len(y))}")
    if arguments.model is not None:
        data.remember_label(estimator, arguments)
        store.save(estimator, arguments.model, arguments.model_format)
        print(f"stored in {arguments.model}")
    if arguments.picture is not None:
        picture.save(_relevances(estimator, points), arguments.picture)
    if interruption.requested:
        print("widemargin select: interrupted; the machine is what was known then", file=sys.stderr)
        return INTERRUPTED
    if arguments.pictures is not None:
        pictures.save(_drawings(arguments, estimator, points), arguments.pictures)
    return SUCCESS


def _relevances(estimator: Any, points: io.Table) -> Any:
    return display.RelevanceDisplay.from_estimator(estimator, feature_names=points.feature_names)


def _drawings(arguments: argparse.Namespace, estimator: Any, points: io.Table) -> pictures.Drawings:
    """The relevances of features, if they differ, and curves of the machine that was chosen."""
    drawings: pictures.Drawings = {}
    if np.ptp(estimator.relevance_) > 0:
        drawings["relevances"] = lambda: _relevances(estimator, points)
    y = np.asarray(points.y)
    if arguments.type == "svr":
        y = (y - estimator.target_mean_) / estimator.target_scale_  # as the machine sees them
    return drawings | pictures.curves(estimator.machine_, estimator.scaling_(points.X), y, arguments.seed)


def _machine(arguments: argparse.Namespace, y: Any) -> Any:
    common = {"max_time": arguments.max_time, "random_state": arguments.seed, "n_jobs": arguments.jobs}
    if arguments.type == "svr":
        return wm.AutoSVR(**common)
    weights = None if arguments.class_weight is None else machine.class_weight(arguments, y)
    return wm.AutoSVC(class_weight=weights, probability=arguments.probability is not False, **common)
