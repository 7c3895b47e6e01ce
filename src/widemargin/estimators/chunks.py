"""Data that come in chunks: checked as they are read, surveyed in a first pass."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import check_array
from sklearn.utils.validation import validate_data

from widemargin.estimators import sample
from widemargin.kernels.points import count

__all__ = ["Chunk", "ChunkReader", "RowSample", "Spread"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Chunk:
    """Some rows: points, targets and weights, and the position of the first row among all."""

    X: Any
    y: NDArray[Any]
    weight: Vector
    begin: int

    @property
    def size(self) -> int:
        return len(self.y)


class ChunkReader:
    """Reads all chunks, as often as asked, and refuses one that does not go with the first.

    Parameters
    ----------
    estimator : estimator
        Takes the number and the names of the features from the first chunk.
    chunks : function or sequence
        A function that returns a fresh iterator, or a list, of pairs (X, y) or triples (X, y, sample_weight).
    read_targets : function
        From y to valid targets.
    """

    def __init__(self, estimator: Any, chunks: Any, read_targets: Callable[[Any], NDArray[Any]]) -> None:
        if not callable(chunks) and not isinstance(chunks, Sequence):
            kind = type(chunks).__name__
            once = f"a {kind} can be read only once" if hasattr(chunks, "__next__") else f"got {kind}"
            raise ValueError(
                "chunks must be a function that returns a fresh iterator, or a list, because the data are "
                f"read several times; {once}."
            )
        self._estimator = estimator
        self._chunks = chunks
        self._read_targets = read_targets
        self._first: tuple[Any, ...] | None = None

    def __iter__(self) -> Iterator[Chunk]:
        begin = 0
        chunks = self._chunks() if callable(self._chunks) else self._chunks
        if not isinstance(chunks, Iterable):
            raise ValueError(f"chunks must return an iterator over chunks, not {chunks!r}.")
        for number, parts in enumerate(chunks):
            try:
                chunk = self._read(parts, begin)
            except (TypeError, ValueError) as error:
                raise ValueError(f"chunk {number}: {error}") from None
            if chunk is None:
                continue
            yield chunk
            begin += chunk.size
        if begin == 0 and self._first is not None:
            raise ValueError("chunks had rows before, and has none now: return a fresh iterator every time.")
        if begin == 0:
            raise ValueError("chunks has no rows: give at least one chunk.")

    def _read(self, parts: Any, begin: int) -> Chunk | None:
        """The chunk, if it has rows."""
        if not isinstance(parts, tuple | list) or len(parts) not in (2, 3):
            raise ValueError("a chunk must be a pair (X, y) or a triple (X, y, sample_weight).")
        raw, targets, weight = (*parts, None)[:3]
        if np.shape(raw)[:1] == np.shape(targets)[:1] == (0,):
            return None
        X = self._points(raw)
        y = self._read_targets(targets)
        if len(y) != count(X):
            raise ValueError(f"X has {count(X)} rows, but y has {len(y)}.")
        self._compare(_traits(raw, X, targets, y))
        weight = np.ones(len(y)) if weight is None else np.asarray(weight, dtype=np.float64)
        if weight.any() or weight.shape != y.shape[:1]:  # a chunk may be without weight, if not all are
            weight = sample.read_weight(weight, len(y))
        return Chunk(X, y, weight, begin)

    def _points(self, raw: Any) -> Any:
        if not sp.issparse(raw) and np.ndim(raw) != 2:
            raise ValueError(
                f"X must have rows and columns, but it has {np.ndim(raw)} dimension(s): reshape it to "
                "(n_rows, n_features)."
            )
        if self._first is None:
            return sample.finite(validate_data(self._estimator, raw, **sample.CHECKS))
        return sample.finite(check_array(raw, input_name="X", **sample.CHECKS))

    def _compare(self, traits: tuple[Any, ...]) -> None:
        if self._first is None:
            self._first = traits
        for name, here, there in zip(TRAITS, traits, self._first, strict=True):
            if here != there:
                raise ValueError(f"it has {name} {here}, but the first chunk has {there}: make all alike.")


TRAITS = ("columns:", "the names", "the format", "the dtype", "outputs:", "targets of the dtype")


def _traits(raw: Any, X: Any, targets: Any, y: NDArray[Any]) -> tuple[Any, ...]:
    """What all chunks have to have in common."""
    names = tuple(map(str, raw.columns)) if hasattr(raw, "columns") else None
    return (
        X.shape[1],
        names,
        "sparse" if sp.issparse(X) else "dense",
        _dtype(raw),
        y.shape[1:],
        _dtype(targets),
    )


def _dtype(values: Any) -> str:
    """The dtype of an array, of the columns of a data frame, or that a list would have as an array.

    Strings of all lengths, and in arrays of objects, are "str".
    """
    if hasattr(values, "dtypes") and hasattr(values, "columns"):
        return ", ".join(dict.fromkeys(map(str, values.dtypes)))
    dtype = values.dtype if hasattr(values, "dtype") else np.asarray(values).dtype
    if dtype.kind == "O":
        dtype = np.asarray(np.asarray(values).tolist()).dtype
    return "str" if dtype.kind in "UST" else str(dtype)


@dataclass
class Spread:
    """The variance of all entries, merged chunk by chunk."""

    total: float = 0.0
    mean: float = 0.0
    variance: float = 0.0

    def add(self, X: Any, weight: Vector) -> None:
        """Take in some rows, each as often as its weight says."""
        total = float(weight.sum())
        if total == 0:
            return
        mean = float(weight @ np.asarray(X.sum(axis=1, dtype=np.float64)).ravel()) / (total * X.shape[1])
        share = total / (self.total + total)
        apart = mean - self.mean
        with np.errstate(over="ignore"):
            within = (1 - share) * self.variance + share * sample.variance(X, weight)
        self.variance = within + share * (1 - share) * apart * apart
        if not np.isfinite(self.variance):
            raise ValueError(
                "X is too large: its variance overflows; scale X (StandardScaler or MinMaxScaler)."
            )
        self.mean += share * apart
        self.total += total


@dataclass
class RowSample:
    """At most `size` rows of positive weight, drawn uniformly from all that are shown to it.

    Each row gets a random key, and the rows with the smallest keys stay.
    """

    size: int
    random: np.random.Generator
    parts: list[Any] = field(default_factory=list)
    keys: Vector = field(default_factory=lambda: np.empty(0))
    rows: NDArray[np.int64] = field(default_factory=lambda: np.empty(0, dtype=np.int64))

    def add(self, chunk: Chunk) -> None:
        """Show the rows of a chunk."""
        keys = np.where(chunk.weight > 0, self.random.random(chunk.size), np.inf)
        bound = self.keys.max() if self.keys.size == self.size else np.inf
        self._take(chunk, np.flatnonzero(keys < bound), keys)

    def pick(self, chunk: Chunk, wanted: NDArray[np.integer]) -> None:
        """Take those rows of a chunk whose positions among all are wanted."""
        at = np.intersect1d(wanted - chunk.begin, np.flatnonzero(chunk.weight > 0))
        self._take(chunk, at, np.zeros(chunk.size))

    def _take(self, chunk: Chunk, at: NDArray[np.intp], keys: Vector) -> None:
        if not at.size:
            return
        at = at[np.argsort(keys[at], kind="stable")[: self.size]]
        X = _stacked([*self.parts, chunk.X[at]])
        keys = np.append(self.keys, keys[at])
        rows = np.append(self.rows, chunk.begin + at)
        best = np.sort(np.argsort(keys, kind="stable")[: self.size])
        self.parts, self.keys, self.rows = [X[best]], keys[best], rows[best]

    @property
    def points(self) -> Any:
        """The rows that stayed."""
        return self.parts[0] if self.parts else np.empty((0, 0))


def _stacked(parts: list[Any]) -> Any:
    return sp.vstack(parts, format="csr") if sp.issparse(parts[0]) else np.concatenate(parts)
