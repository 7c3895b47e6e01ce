"""The directory of pictures of `select`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.base import clone, is_classifier

from widemargin import display
from widemargin.cli import picture, store

NAMES = ("landscape", "relevances", "roc", "learning-curve")

POINTS = 5000
"""Of which curves are made, at most: a random part of more."""

FOLDS = 5

Drawings = dict[str, Callable[[], Any]]


def check(directory: Path, arguments: argparse.Namespace) -> None:
    """Find out before the search, not after it, that pictures cannot be written."""
    if directory.exists() and not directory.is_dir():
        raise ValueError(f"--pictures {directory} is a file: give the name of a directory")
    if not directory.parent.is_dir():
        raise ValueError(f"--pictures {directory} cannot be made: there is no directory {directory.parent}")
    outputs = [path.resolve() for path in (arguments.model, arguments.picture, arguments.data) if path]
    for path in map(directory.joinpath, map(file_name, NAMES)):
        if path.resolve() in outputs:
            raise ValueError(f"--pictures would write {path}, which is named already: give it another name")
    picture.check_matplotlib("--pictures")


def curves(machine: Any, X: Any, y: Any, seed: int) -> Drawings:
    """Of a machine on points it was not trained on: ROC for two classes, and its learning curve.

    Copies of the machine, with all its parameters, are trained without each fold.
    """
    machine = clone(machine)
    inner = store.machine_of(machine)
    off = {"callback": None, "probability": False, "max_time": None}
    inner.set_params(**{name: value for name, value in off.items() if name in inner.get_params()})
    some = np.sort(np.random.default_rng(seed).permutation(len(y))[:POINTS])
    X, y = X[some], np.asarray(y)[some]
    how: dict[str, Any] = {"cv": FOLDS, "random_state": seed}
    sizes = np.unique(y, return_counts=True)[1] if is_classifier(machine) else np.array([len(y)])
    drawings: Drawings = {}
    if sizes.min() < FOLDS:
        return drawings
    if is_classifier(machine) and sizes.size == 2:
        drawings["roc"] = lambda: display.RocDisplay.from_estimator(machine, X, y, **how)
    drawings["learning-curve"] = lambda: display.LearningCurveDisplay.from_estimator(machine, X, y, **how)
    return drawings


def save(drawings: Mapping[str, Callable[[], Any]], directory: Path) -> None:
    """Draw one after the other, each in a file of its name."""
    directory.mkdir(exist_ok=True)
    for name, draw in drawings.items():
        picture.save(draw(), directory / file_name(name))


def file_name(name: str) -> str:
    """landscape.png for a landscape."""
    return f"{name}.png"
