"""A table of data, read from whatever file holds it."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .csv_format import read_csv
from .files import PathLike, read_bytes
from .libsvm_format import read_libsvm
from .parquet_format import read_parquet

CSV_SUFFIXES = {".csv", ".tsv"}
LIBSVM_SUFFIXES = {".libsvm", ".svm", ".svmlight"}
PARQUET_SUFFIXES = {".parquet", ".pq"}


@dataclass(frozen=True)
class Table:
    """Features `X` (dense, or CSR from a LIBSVM file), labels `y` and, if the file has them, names.

    `y` is None for a table without labels, `feature_names` for one without a header.
    """

    X: Any
    y: NDArray[Any] | None
    feature_names: list[str] | None


def read_table(
    path: PathLike,
    *,
    format: Literal["csv", "libsvm", "parquet"] | None = None,
    label: int | str | None = -1,
    n_features: int | None = None,
    dtype: DTypeLike = np.float64,
) -> Table:
    """Read a CSV, TSV or LIBSVM file, plain or ``.gz``, or a Parquet file (which needs pyarrow).

    Parameters
    ----------
    path : path of the file
    format : "csv", "libsvm", "parquet" or None
        None is what `table_format` says.
    label : int, str or None, default=-1
        Column of labels of a CSV, TSV or Parquet file; LIBSVM files have it first.
    n_features : int or None
        The number of features expected, for data to be predicted. Sets the width of LIBSVM data; a CSV or
        Parquet file of exactly that many columns has no labels.
    dtype : type of the features, default=float64

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.io import read_table
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "train.txt").write_text("1 1:0.5\\n-1 2:1\\n")
    ...     read_table(Path(folder, "train.txt")).X.shape
    (2, 2)
    """
    format = format or table_format(path)
    if format == "libsvm":
        return Table(*read_libsvm(path, n_features=n_features, dtype=dtype), feature_names=None)
    read = read_parquet if format == "parquet" else read_csv
    return Table(*read(path, label=label, n_features=n_features, dtype=dtype))


def table_format(path: PathLike) -> Literal["csv", "libsvm", "parquet"]:
    """The format of a file: by its suffix, else by its content.

    The suffixes are .csv, .tsv; .libsvm, .svm, .svmlight; .parquet, .pq. A line with ``index:value`` pairs
    makes a LIBSVM file.
    """
    suffix = Path(str(path).removesuffix(".gz")).suffix.lower()
    if suffix in CSV_SUFFIXES:
        return "csv"
    if suffix in LIBSVM_SUFFIXES:
        return "libsvm"
    if suffix in PARQUET_SUFFIXES:
        return "parquet"
    content = read_bytes(path)
    if content.startswith(b"PAR1"):
        return "parquet"
    pairs = re.search(rb"^[^\s,;#]+(\s+qid:\d+)?[ \t]+\d+:[^\s,;]", content, re.MULTILINE)
    return "libsvm" if pairs else "csv"
