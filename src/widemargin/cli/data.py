"""The data file of `train` and `predict`."""

from __future__ import annotations

import argparse
from pathlib import Path

from widemargin import io


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the data file and how to read it."""
    parser.add_argument("data", type=Path, metavar="DATA", help="a CSV, TSV or LIBSVM file, plain or .gz")
    parser.add_argument(
        "--format",
        choices=("auto", "libsvm", "csv"),
        default="auto",
        help="format of DATA (default: see for itself)",
    )
    parser.add_argument(
        "--label",
        type=_column,
        default=-1,
        metavar="COLUMN",
        help="column of labels in a CSV file: its name, its number from 0, or 'none' (default: the last)",
    )


def read(arguments: argparse.Namespace, n_features: int | None = None) -> io.Table:
    """The table, of `n_features` columns besides the labels if that is known."""
    format = None if arguments.format == "auto" else arguments.format
    return io.read_table(arguments.data, format=format, label=arguments.label, n_features=n_features)


def _column(text: str) -> int | str | None:
    if text == "none":
        return None
    return int(text) if text.removeprefix("-").isdigit() else text
