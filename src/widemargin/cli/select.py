"""Choose C and gamma: over a grid, by a search that minimises an objective, or unasked.

Over a grid every kernel matrix is computed once for all folds, classes and C. Features are scaled once, with
all points. Ctrl-C stops the search and shows what is known by then; a second Ctrl-C gives up.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from widemargin.cli import auto, data, grid, machine, picture, pictures, search, store, train
from widemargin.cli.interruption import Interruption
from widemargin.cli.overwriting import refuse_overwriting


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin select`."""
    data.add_arguments(parser)
    parser.add_argument(
        "--method",
        choices=("grid", "auto", *search.METHODS),
        default="grid",
        help="grid: cross-validation of all pairs of C and gamma (default); auto: scaling, kernel, C and "
        "gamma unasked (AutoSVC, AutoSVR); the others minimise an objective (strategies of ModelSearch)",
    )
    parser.add_argument(
        "--per-feature", action="store_true", help="a gamma for each feature; for methods with an objective"
    )
    parser.add_argument(
        "--max-evaluations",
        type=int,
        metavar="N",
        help="evaluations of an objective (default: those of the method, hundreds at most); "
        "--max-time bounds the search, too",
    )
    axes = parser.add_argument_group("grid")
    values = "A:B:N for N values from A to B, evenly spaced logarithms, or a list A,B,..."
    axes.add_argument("--Cs", metavar="VALUES", help=f"{values} (default: {grid.CS})")
    axes.add_argument("--gammas", metavar="VALUES", help=f"the same for gamma (default: {grid.GAMMAS})")
    axes.add_argument("-v", "--cv", type=int, metavar="K", help=f"number of folds (default: {grid.FOLDS})")
    axes.add_argument(
        "-j", "--jobs", type=int, metavar="N", help="machines trained at a time; -1: all processors"
    )
    parser.add_argument(
        "--model", type=Path, metavar="FILE", help="fit the best machine on all points, store it"
    )
    parser.add_argument(
        "--model-format", choices=("widemargin", "libsvm"), default="widemargin", help="format of --model"
    )
    parser.add_argument(
        "--picture",
        type=Path,
        metavar="FILE",
        help="draw the scores over C and gamma, the objective with the way of the search, or the relevances "
        "of features; .png, .svg or .pdf",
    )
    parser.add_argument(
        "--pictures",
        type=Path,
        metavar="DIR",
        help="write all pictures that make sense to a directory: landscape.png, relevances.png, and of "
        "points that were left out roc.png (two classes) and learning-curve.png",
    )
    parser.add_argument("-q", "--quiet", action="store_true", help="no progress")
    machine.add_arguments(parser)


def run(arguments: argparse.Namespace) -> int:
    """Search; store the best machine and draw pictures if asked to."""
    method = {"grid": grid, "auto": auto}.get(arguments.method, search)
    method.check(arguments)
    for option, path in (("--model", arguments.model), ("--picture", arguments.picture)):
        if path is not None:
            refuse_overwriting((option, path), ("DATA", arguments.data))
    if arguments.picture is not None:
        picture.check(arguments.picture, arguments.model)
    if arguments.pictures is not None:
        pictures.check(arguments.pictures, arguments)
    points = data.read(arguments)
    train.check_labels(arguments, points.y)
    if arguments.model is not None:
        store.check(arguments.model, arguments, points.y)
    with Interruption(politely=False) as interruption:
        return method.run(arguments, points, interruption)
