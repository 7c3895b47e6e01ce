"""Parquet files, read a part at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .files import PathLike

__all__ = ["parquet_chunks"]


def parquet_chunks(
    paths: PathLike | Sequence[PathLike],
    target: str | Sequence[str],
    *,
    features: Sequence[str] | None = None,
    weight: str | None = None,
    rows: int = 65536,
) -> Callable[[], Iterator[tuple[NDArray[Any], ...]]]:
    """Chunks for `fit_chunks` from one or several Parquet files with the same columns; needs pyarrow.

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
