"""Parquet files, whole or a part at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from .csv_format import Columns
from .files import PathLike

__all__ = ["label_column", "parquet_chunks", "read_parquet"]


def read_parquet(
    path: PathLike,
    *,
    label: int | str | None = -1,
    n_features: int | None = None,
    dtype: DTypeLike = np.float64,
) -> tuple[NDArray[Any], NDArray[Any] | None, list[str]]:
    """Read a whole Parquet file of numeric features and one column of labels; needs pyarrow.

    Parameters
    ----------
    path : path of the file
    label : int, str or None, default=-1
        Position (negative: from the end) or name of the column of labels; None if there is none.
    n_features : int or None
        If given, a table of exactly that many columns has no labels (data to be predicted).
    dtype : type of the features, default=float64

    Returns
    -------
    X : array of shape (n, d)
    y : array of shape (n,), of numbers or strings, or None
    feature_names : list of str

    Examples
    --------
    >>> from widemargin.io import read_parquet
    >>> def labels():
    ...     return read_parquet("2024.parquet", label="price")[1]
    """
    names = _schema(path)
    at = Columns(path, names, label, n_features)
    table = _pyarrow_parquet().read_table(path)
    features = at.without_label(names)
    if table.num_rows == 0:
        raise ValueError(f"{path} holds no rows.")
    X = np.column_stack([_numbers(path, table, name) for name in features]).astype(dtype, copy=False)
    y = None if at.label is None else _labels(path, names[at.label], _array(table, names[at.label]))
    return np.ascontiguousarray(X), y, features


def label_column(path: PathLike, label: int | str = -1) -> str:
    """The name of a column that is given by its name or its position."""
    names = _schema(path)
    return names[Columns(path, names, label, None).label]  # type: ignore[index]


def _schema(path: PathLike) -> list[str]:
    """The names of the columns."""
    parquet = _pyarrow_parquet()
    if not Path(path).is_file():
        raise FileNotFoundError(2, "There is no such file", str(path))
    try:
        return list(parquet.read_schema(path).names)
    except ValueError as error:  # pyarrow's errors are ValueErrors of several lines
        raise ValueError(f"{path} is not a Parquet file: {str(error).splitlines()[0]}") from None


def _numbers(path: PathLike, table: Any, name: str) -> NDArray[Any]:
    """A column of finite numbers."""
    column = _array(table, name)
    if column.dtype.kind not in "biuf":
        raise ValueError(f"{path}: column {name!r} holds {table.schema.field(name).type}, not numbers.")
    _refuse_gaps(path, name, column)
    return column


def _labels(path: PathLike, name: str, column: NDArray[Any]) -> NDArray[Any]:
    """A column of labels, all there."""
    if column.dtype == object:
        gaps = [row for row, value in enumerate(column) if value is None]
        if gaps:
            raise ValueError(f"{path}, row {gaps[0]}: column {name!r} is empty, a label is needed.")
        return column.astype(np.str_) if all(isinstance(value, str) for value in column) else column
    _refuse_gaps(path, name, column)
    return column


def _refuse_gaps(path: PathLike, name: str, column: NDArray[Any]) -> None:
    if column.dtype.kind == "f" and not np.isfinite(column).all():
        row = int(np.argmin(np.isfinite(column)))
        raise ValueError(
            f"{path}, row {row}: column {name!r} holds {column[row]}, not a finite number; drop the row or "
            "fill the gap."
        )


def parquet_chunks(
    paths: PathLike | Sequence[PathLike],
    target: str | Sequence[str],
    *,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    rows: int = 65536,
) -> Callable[[], Iterator[tuple[NDArray[Any], ...]]]:
    """Chunks for `fit_chunks` and `fit_stream` from Parquet files with the same columns; needs pyarrow.

    Parameters
    ----------
    paths : path or list of paths
    target : str or list of str
        The column, or for several outputs the columns, of y.
    features : list of str, optional
        The columns of X; by default all that are left.
    weight : str, optional
        The column of sample weights.
    rows : int, default=65536
        Rows of a chunk at most.

    Returns
    -------
    chunks : function
        Returns a fresh iterator over pairs (X, y), or triples (X, y, sample_weight).

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.io import parquet_chunks
    >>> def train():
    ...     chunks = parquet_chunks(["2023.parquet", "2024.parquet"], target="price")
    ...     return wm.RLSRegressor(centres=1000, verbose=True).fit_chunks(chunks)
    """
    parquet = _pyarrow_parquet()
    files = [Path(path) for path in ([paths] if isinstance(paths, str | os.PathLike) else paths)]
    targets = [target] if isinstance(target, str) else list(target)
    if not files:
        raise ValueError("paths is empty: name at least one file.")
    if rows < 1:
        raise ValueError(f"rows must be a positive integer, not {rows!r}.")
    for file in files:
        if not file.is_file():
            raise FileNotFoundError(f"There is no file {file}.")
    given = parquet.read_schema(files[0]).names
    columns = (
        [name for name in given if name not in (*targets, weight)] if features is None else list(features)
    )
    wanted = [*columns, *targets, *([] if weight is None else [weight])]
    for file in files:
        missing = [name for name in wanted if name not in parquet.read_schema(file).names]
        if missing:
            raise ValueError(f"{file} has no column {missing[0]!r}: its columns must be those of {files[0]}.")

    def chunks() -> Iterator[tuple[NDArray[Any], ...]]:
        for file in files:
            with parquet.ParquetFile(file) as table:
                for batch in table.iter_batches(batch_size=rows, columns=wanted):
                    X, Y = _matrix(batch, columns), [_array(batch, name) for name in targets]
                    y = Y[0] if isinstance(target, str) else np.column_stack(Y)
                    yield (X, y) if weight is None else (X, y, _array(batch, weight))

    return chunks


def _matrix(batch: Any, names: list[str]) -> NDArray[Any]:
    """Columns side by side, in C order."""
    return np.ascontiguousarray(np.column_stack([_array(batch, name) for name in names]))


def _array(batch: Any, name: str) -> NDArray[Any]:
    return batch.column(name).to_numpy(zero_copy_only=False)


def _pyarrow_parquet() -> Any:
    try:
        from pyarrow import parquet
    except ImportError:
        raise ImportError("Parquet files need pyarrow: pip install 'widemargin[parquet]'.") from None
    return parquet
