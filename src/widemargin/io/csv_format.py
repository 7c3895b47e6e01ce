"""Tables of comma-, semicolon- or tab-separated values: numeric features and one column of labels."""

from __future__ import annotations

import csv
from array import array
from collections.abc import Iterator
from io import StringIO
from math import isfinite
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .files import PathLike, malformed, read_bytes, shown

DELIMITERS = ",;\t"
FINITE = "finite number; drop the row or fill the gap"


def read_csv(
    path: PathLike,
    *,
    label: int | str | None = -1,
    header: bool | None = None,
    delimiter: str | None = None,
    n_features: int | None = None,
    dtype: DTypeLike = np.float64,
) -> tuple[NDArray[Any], NDArray[Any] | None, list[str] | None]:
    """Read a table with or without a header line.

    Parameters
    ----------
    path : path of the file, plain or ``.gz``
    label : int, str or None, default=-1
        Position (negative: from the end) or name of the column of labels; None if there is none. Labels may
        be any text; if all are numbers they are read as numbers.
    header : bool or None
        Whether the first line names the columns; None: it does if one of its features is not a number.
    delimiter : str or None
        None: a tab for names in ``.tsv``, else the most frequent of comma, semicolon and tab in the first
        line.
    n_features : int or None
        If given, a table of exactly that many columns has no labels (data to be predicted).
    dtype : type of the features, default=float64

    Returns
    -------
    X : array of shape (n, d)
    y : float64 or string array of shape (n,), or None
    feature_names : list of str, or None without a header

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.io import read_csv
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "iris.csv").write_text("length,kind\\n5.1,setosa\\n7.0,virginica\\n")
    ...     X, y, names = read_csv(Path(folder, "iris.csv"))
    >>> X, y, names
    (array([[5.1],
           [7. ]]), array(['setosa', 'virginica'], dtype='<U9'), ['length'])
    """
    rows = _rows(path, delimiter)
    line, first = next(rows, (1, []))
    if not first:
        raise ValueError(f"{path} holds no rows.")
    columns = Columns(path, first, label, n_features)
    named = columns.are_named(header)
    table = _Table(path, columns, names=first if named else None)
    if not named:
        table.append(line, first)
    for line, cells in rows:
        table.append(line, cells)
    return table.features(dtype), table.target(), table.feature_names()


def _rows(path: PathLike, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of the rows that are not blank."""
    try:
        text = read_bytes(path).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(
            f"{path} is not a text file in UTF-8: {error.reason} at byte {error.start}."
        ) from None
    reader = csv.reader(StringIO(text, newline=""), delimiter=delimiter or _delimiter(path, text))
    try:
        for cells in reader:
            if any(cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise malformed(path, reader.line_num, str(error)) from None


def _delimiter(path: PathLike, text: str) -> str:
    if ".tsv" in Path(path).suffixes:
        return "\t"
    first_line = text.lstrip().partition("\n")[0]
    return max(DELIMITERS, key=first_line.count)


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


class BadCell(ValueError):
    """A feature that is no finite number, by its column (from 0)."""

    def __init__(self, path: PathLike, line: int, what: str, *, column: int, is_text: bool):
        super().__init__(*malformed(path, line, what).args)
        self.column, self.is_text = column, is_text


class Columns:
    """Which column holds the labels, decided by the first row."""

    def __init__(self, path: PathLike, first: list[str], label: int | str | None, n_features: int | None):
        self.path, self.first = path, first
        self.count = len(first)
        self.label_is_name = isinstance(label, str)
        self.label = None if n_features == self.count else self._position(label)
        width = self.count - (self.label is not None)
        if n_features not in (None, width):
            raise ValueError(f"{path} has {width} feature columns; {n_features} are expected.")
        if width == 0:
            raise ValueError(f"{path} has no feature columns beside the labels.")

    def _position(self, label: int | str | None) -> int | None:
        if label is None:
            return None
        if isinstance(label, str):
            if label not in self.first:
                raise ValueError(
                    f"{self.path} has no column {label!r}; its columns are {', '.join(self.first)}."
                )
            return self.first.index(label)
        if not -self.count <= label < self.count:
            raise ValueError(
                f"label={label} is outside the {self.count} columns of {self.path}, which count from 0."
            )
        return label % self.count

    def are_named(self, header: bool | None) -> bool:
        if header is None:
            return self.label_is_name or not all(map(_is_number, self.without_label(self.first)))
        if self.label_is_name and not header:
            raise ValueError(f"label={self.first[self.label or 0]!r} is a name, which needs header=True.")
        return header

    def without_label(self, cells: list[str]) -> list[str]:
        return cells if self.label is None else cells[: self.label] + cells[self.label + 1 :]


class _Table:
    """Rows read so far."""

    def __init__(self, path: PathLike, columns: Columns, names: list[str] | None):
        self.path, self.columns, self.names = path, columns, names
        self.values = array("d")
        self.labels: list[str] = []
        self.lines = array("q")
        self.n = 0

    def append(self, line: int, cells: list[str]) -> None:
        if len(cells) != self.columns.count:
            what = f"{len(cells)} cells where the first line has {self.columns.count}"
            raise malformed(self.path, line, what)
        try:
            values = list(map(float, self.columns.without_label(cells)))
        except ValueError:
            self._complain(line, cells)
        if not all(map(isfinite, values)):
            self._complain(line, cells)
        self.values.extend(values)
        if self.columns.label is not None:
            self.labels.append(cells[self.columns.label])
            self.lines.append(line)
            if not self.labels[-1]:
                raise malformed(
                    self.path, line, f"{self._place(self.columns.label)} is empty, a label is needed"
                )
        self.n += 1

    def _complain(self, line: int, cells: list[str]) -> NoReturn:
        """Raise for the first feature that is not a finite number."""
        column, cell = next(
            (column, cell)
            for column, cell in enumerate(cells)
            if column != self.columns.label and not (_is_number(cell) and isfinite(float(cell)))
        )
        what = f"{shown(cell)} is not a {FINITE if _is_number(cell) else 'number'}"
        raise BadCell(
            self.path,
            line,
            f"{self._place(column)}: {what if cell else 'the cell is empty, a number is needed'}",
            column=column,
            is_text=bool(cell) and not _is_number(cell),
        )

    def _place(self, column: int) -> str:
        return f"column {column + 1}" + (f" ({self.names[column]})" if self.names else "")

    def features(self, dtype: DTypeLike) -> NDArray[Any]:
        if self.n == 0:
            raise ValueError(f"{self.path} holds a header but no rows.")
        return np.array(self.values, dtype=dtype).reshape(self.n, -1)

    def target(self) -> NDArray[Any] | None:
        if self.columns.label is None:
            return None
        if not all(map(_is_number, self.labels)):
            return np.array(self.labels, dtype=np.str_)
        y = np.array(self.labels, dtype=np.float64)
        bad = np.flatnonzero(~np.isfinite(y))
        if bad.size:
            what = f"{self._place(self.columns.label)}: the label {self.labels[bad[0]]} is not a {FINITE}"
            raise malformed(self.path, self.lines[bad[0]], what)
        return y

    def feature_names(self) -> list[str] | None:
        return None if self.names is None else self.columns.without_label(self.names)
