"""Predict with a stored machine, ours or LIBSVM's, and score it where labels are known."""

from __future__ import annotations

import argparse
import csv
import sys
from pathlib import Path
from typing import Any, TextIO

import numpy as np

from widemargin import io
from widemargin.cli import data, score, store
from widemargin.cli.exit_code import SUCCESS
from widemargin.cli.overwriting import refuse_overwriting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin predict`."""
    data.add_arguments(parser)
    parser.add_argument("model", type=Path, metavar="MODEL", help="a stored machine, ours or LIBSVM's")
    parser.add_argument("output", type=Path, nargs="?", metavar="OUTPUT", help="default: standard output")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--probability", action="store_true", help="add the probability of each class")
    what.add_argument("--decision", action="store_true", help="add the decision values")


def run(arguments: argparse.Namespace) -> int:
    """Write one line for each point, and the score where the predictions do not go."""
    if arguments.output is not None:
        inputs = ("DATA", arguments.data), ("MODEL", arguments.model)
        refuse_overwriting(("OUTPUT", arguments.output), *inputs)
    estimator, table = _load(arguments)
    X = table.X
    predicted = estimator.predict(X)
    columns = _columns(arguments, estimator, X)
    if arguments.output is None:
        _write(sys.stdout, predicted, columns)
    else:
        with arguments.output.open("w", encoding="utf-8", newline="") as output:
            _write(output, predicted, columns)
    measures = score.sentence(score.scores(estimator, predicted, table.y), X.shape[0])
    if measures:
        print(measures, file=sys.stderr if arguments.output is None else sys.stdout)
    return SUCCESS


def _load(arguments: argparse.Namespace) -> tuple[Any, io.Table]:
    """The machine and the points, as wide as each other."""
    if not store.is_libsvm(arguments.model):
        estimator = io.load_model(arguments.model)
        if not hasattr(estimator, "n_features_in_"):
            raise ValueError(f"{arguments.model} holds no machine that was trained on rows of numbers")
        return estimator, data.read(arguments, estimator.n_features_in_, data.remembered_label(estimator))
    width = io.load_libsvm_model(arguments.model).n_features_in_  # at least: trailing zeros leave no trace
    table = data.read(arguments)
    if table.X.shape[1] < width:
        table = data.read(arguments, width)
    return io.load_libsvm_model(arguments.model, n_features=table.X.shape[1]), table


def _columns(arguments: argparse.Namespace, estimator: Any, X: Any) -> dict[str, np.ndarray]:
    """What to write beside the prediction, by name."""
    if arguments.probability:
        if not hasattr(estimator, "predict_proba"):
            raise ValueError(f"{arguments.model} gives no probabilities: train it with --probability")
        return dict(zip(map(_word, estimator.classes_), estimator.predict_proba(X).T, strict=True))
    if arguments.decision:
        if not hasattr(estimator, "decision_function"):
            raise ValueError(f"{arguments.model} is a regression machine: leave out --decision")
        values = estimator.decision_function(X)
        names = ["f"] if values.ndim == 1 else map(_word, estimator.classes_)
        return dict(zip(names, np.atleast_2d(values.T), strict=True))
    return {}


def _write(output: TextIO, predicted: np.ndarray, columns: dict[str, np.ndarray]) -> None:
    """The prediction alone, or blank-separated columns under a header, as LIBSVM writes them.

    A label with a blank in it is quoted among columns: the file is a CSV file whose delimiter is a blank.
    """
    rows = csv.writer(output, delimiter=" " if columns else "\t", lineterminator="\n")
    if columns:
        rows.writerow(["labels", *columns])
    rows.writerows(map(_word, row) for row in zip(predicted, *columns.values(), strict=True))


def _word(value: Any) -> str:
    """Numbers without loss and without a needless '.0'."""
    return str(value) if isinstance(value, str) else repr(float(value)).removesuffix(".0")
