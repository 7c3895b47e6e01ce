"""The data file of `train`, `select` and `predict`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from widemargin import io
from widemargin.io.csv_format import BadCell
from widemargin.io.parquet_format import label_column

Chunks = Callable[[], Iterator[tuple[Any, ...]]]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the data file and how to read it."""
    parser.add_argument(
        "data", type=Path, metavar="DATA", help="a CSV, TSV or LIBSVM file, plain or .gz, or a Parquet file"
    )
    parser.add_argument(
        "--format",
        choices=("auto", "libsvm", "csv", "parquet"),
        default="auto",
        help="format of DATA (default: see for itself)",
    )
    parser.add_argument(
        "--label",
        type=_column,
        default=argparse.SUPPRESS,
        metavar="COLUMN",
        help="column of labels in a CSV or Parquet file: its name, its number (0 is the first), or 'none' "
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
    except ImportError as error:  # Parquet without pyarrow
        raise ValueError(str(error)) from None


def chunks(arguments: argparse.Namespace) -> Chunks | None:
    """The rows in parts, from formats that can be read so, else None."""
    format = io.table_format(arguments.data) if arguments.format == "auto" else arguments.format
    label = getattr(arguments, "label", -1)
    if format == "libsvm":
        return io.libsvm_chunks(arguments.data)
    if format != "parquet" or label is None:
        return None
    try:
        return io.parquet_chunks(arguments.data, label_column(arguments.data, label))
    except ImportError as error:
        raise ValueError(str(error)) from None


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
