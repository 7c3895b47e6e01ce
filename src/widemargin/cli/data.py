"""The data file of `train` and `predict`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from widemargin import io
from widemargin.io.csv_format import BadCell


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
        default=argparse.SUPPRESS,
        metavar="COLUMN",
        help="column of labels in a CSV file: its name, its number (0 is the first), or 'none' "
        "(default: that of the training for predict, else the last)",
    )


def read(arguments: argparse.Namespace, n_features: int | None = None, label: int | str = -1) -> io.Table:
    """The table, of `n_features` columns besides the labels if that is known.

    The labels are in the column `label` unless --label names another.
    """
    format = None if arguments.format == "auto" else arguments.format
    column = getattr(arguments, "label", label)
    try:
        return io.read_table(arguments.data, format=format, label=column, n_features=n_features)
    except BadCell as error:
        if error.is_text:
            hint = f"if that column holds the labels, give --label {error.column}"
            raise ValueError(f"{str(error).rstrip('.')}; {hint}") from None
        raise


def remember_label(estimator: Any, arguments: argparse.Namespace) -> None:
    """Keep in the model which column held the labels, so that `predict` finds them."""
    if getattr(arguments, "label", None) is not None:
        estimator.label_column_ = arguments.label


def remembered_label(estimator: Any) -> int | str:
    """The column of labels that the machine was trained on, else the last."""
    return getattr(estimator, "label_column_", -1)


def _column(text: str) -> int | str | None:
    if text == "none":
        return None
    return int(text) if text.removeprefix("-").isdigit() else text
