"""Tables in text files, some rows at a time."""

from __future__ import annotations

import csv
from collections.abc import Callable, Iterator
from io import TextIOWrapper
from itertools import chain, islice
from typing import Any, Literal

import numpy as np
from numpy.typing import NDArray

from .csv_format import Columns, _delimiter, _is_number, _Table
from .files import PathLike, malformed, open_bytes, shown


def csv_chunks(
    path: PathLike,
    *,
    label: int | str = -1,
    header: bool | None = None,
    delimiter: str | None = None,
    rows: int = 65536,
    labels: Literal["auto", "text"] = "auto",
) -> Callable[[], Iterator[tuple[NDArray[Any], NDArray[Any]]]]:
    """Chunks for `fit_chunks` and `fit_stream` from a table, of which only one is in memory at a time.

    Parameters
    ----------
    path, label, header, delimiter
        As in `read_csv`.
    rows : int, default=65536
        Rows of a chunk at most.
    labels : {"auto", "text"}, default="auto"
        "auto": numbers, if all labels of the first chunk are; a later one that is not is refused. "text": the
        cells as they are.

    Returns
    -------
    chunks : function
        Returns a fresh iterator over pairs (X, y).

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.io import csv_chunks
    >>> def train():
    ...     return wm.LASVM().fit_stream(csv_chunks("huge.csv.gz", label="kind"), classes=["a", "b"])
    """
    if rows < 1:
        raise ValueError(f"rows must be a positive integer, not {rows!r}.")

    if labels not in ("auto", "text"):
        raise ValueError(f"labels must be 'auto' or 'text', not {labels!r}.")

    def chunks() -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        with open_bytes(path) as file, TextIOWrapper(file, "utf-8-sig", newline="") as text:
            lines = _lines(path, text, delimiter)
            number, first = next(lines, (1, []))
            if not first:
                raise ValueError(f"{path} holds no rows.")
            columns = Columns(path, first, label, None)
            named = columns.are_named(header)
            lines = lines if named else chain([(number, first)], lines)
            kind: str = labels
            while part := list(islice(lines, rows)):
                table = _Table(path, columns, names=first if named else None)
                for number, cells in part:
                    table.append(number, cells)
                X, y = table.features(float), _labels(table, kind)
                kind = "text" if y.dtype.kind == "U" else "numbers"
                yield X, y

    return chunks


def _labels(table: _Table, kind: str) -> NDArray[Any]:
    """The labels of a chunk: "text", "numbers", or "auto", whichever they are."""
    if kind == "text":
        return np.array(table.labels, dtype=np.str_)
    y: Any = table.target()
    if kind == "numbers" and y.dtype.kind == "U":
        line, cell = next(
            (line, cell) for line, cell in zip(table.lines, table.labels, strict=True) if not _is_number(cell)
        )
        what = (
            f"the label {shown(cell)} is text, but those of the first chunk are numbers; give labels='text'"
        )
        raise malformed(table.path, line, what)
    return y


def _lines(path: PathLike, text: TextIOWrapper, delimiter: str | None) -> Iterator[tuple[int, list[str]]]:
    """Line number and cells of the rows that are not blank."""
    first = text.readline()
    reader = csv.reader(chain([first], text), delimiter=delimiter or _delimiter(path, first))
    try:
        for cells in reader:
            if any(cells):
                yield reader.line_num, [cell.strip() for cell in cells]
    except csv.Error as error:
        raise malformed(path, reader.line_num, str(error)) from None
