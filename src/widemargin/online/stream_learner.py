"""Learning whole streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from os import PathLike
from typing import Any

from numpy.typing import ArrayLike

from widemargin.estimators import parameters
from widemargin.estimators.base import is_fitted
from widemargin.online.batches import UnknownClass, is_empty


class StreamLearner:
    """A machine that learns batch by batch (`partial_fit`), and so all batches of a stream."""

    partial_fit: Any
    epochs: int
    n_seen_: int
    _check_parameters: Callable[[], None]
    _learn_again: Callable[[Any, Any, Any, int], None]

    def fit_stream(
        self, batches: Iterable[Any] | Callable[[], Iterator[Any]], classes: ArrayLike | None = None
    ) -> Any:
        """Learn all batches of a stream, each by `partial_fit`, in `epochs` passes.

        In later passes an example that is still a candidate is met again, not a second time.

        Parameters
        ----------
        batches : iterable, or function that returns an iterator
            Pairs (X, y) or triples (X, y, sample_weight): arrays, CSR matrices, or what
            `widemargin.io.libsvm_chunks`, `csv_chunks` and `parquet_chunks` read from files. One batch is in
            memory at a time; those without rows are skipped. For several epochs it must be possible to read
            them again, in the same order: a function or a list.
        classes : array-like, optional
            All classes, if the first batch does not have all of them.

        Returns
        -------
        self : object
        """
        self._check_parameters()
        if self.epochs > 1 and not (callable(batches) or isinstance(batches, Sequence)):
            raise ValueError(
                f"epochs={self.epochs} reads the stream again: give a function that opens it, or a list."
            )
        begin = self.n_seen_ if is_fitted(self) else 0
        _pass_through(
            batches, lambda X, y, weight, _: self.partial_fit(X, y, classes=classes, sample_weight=weight)
        )
        if not is_fitted(self):
            raise ValueError("batches holds no rows: give at least one batch with some.")
        for _ in range(1, self.epochs):
            _pass_through(
                batches, lambda X, y, weight, before: self._learn_again(X, y, weight, begin + before)
            )
        return self


def _pass_through(batches: Any, learn: Callable[[Any, Any, Any, int], Any]) -> None:
    """Call learn(X, y, sample_weight, rows before) for each batch; one that it refuses is named."""
    before = 0
    with _opened(batches) as stream:
        for number, batch in enumerate(stream):
            if not isinstance(batch, tuple) or len(batch) not in (2, 3):
                raise ValueError(f"batch {number} must be a pair (X, y) or a triple (X, y, sample_weight).")
            X, y, weight = (*batch, None)[:3]
            if is_empty(X, y):
                continue
            try:
                learn(X, y, weight, before)
            except UnknownClass as error:
                raise UnknownClass(f"batch {number}: {error.args[0]}", "fit_stream(classes=...)") from error
            except (TypeError, ValueError) as error:
                raise ValueError(f"batch {number}: {error}") from error
            before += len(y)


@contextmanager
def _opened(batches: Any) -> Iterator[Iterator[Any]]:
    """The stream; one that is opened here is closed in the end, also if it has more."""
    opens = callable(batches)
    stream = _iterator(batches() if opens else batches)
    try:
        yield stream
    finally:
        if opens and hasattr(stream, "close"):
            stream.close()


def _iterator(batches: Any) -> Iterator[Any]:
    """The batches; what cannot be any is refused."""
    what = "batches must be an iterable of pairs (X, y), or a function that returns an iterator"
    if isinstance(batches, str | PathLike):
        raise ValueError(
            f"{what}, not {str(batches)!r}: read a file with io.csv_chunks, libsvm_chunks or parquet_chunks."
        )
    if hasattr(batches, "shape"):
        raise ValueError(f"{what}, not an array: one array is learnt by fit(X, y) or partial_fit(X, y).")
    try:
        return iter(batches)
    except TypeError:
        raise ValueError(f"{what}, not {parameters.brief(batches)}.") from None
