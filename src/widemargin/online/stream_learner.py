"""Learning whole streams."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from numpy.typing import ArrayLike
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators import parameters


class StreamLearner:
    """A machine that learns batch by batch (`partial_fit`), and so all batches of a stream."""

    partial_fit: Any

    def fit_stream(
        self, batches: Iterable[Any] | Callable[[], Iterator[Any]], classes: ArrayLike | None = None
    ) -> Any:
        """Learn all batches of a stream, each by `partial_fit`.

        Parameters
        ----------
        batches : iterable, or function that returns an iterator
            Pairs (X, y) or triples (X, y, sample_weight): arrays, CSR matrices, or what
            `widemargin.io.libsvm_chunks`, `csv_chunks` and `parquet_chunks` read from files. One batch is in
            memory at a time.
        classes : array-like, optional
            All classes, if the first batch does not have all of them.

        Returns
        -------
        self : object
        """
        batches = batches() if callable(batches) else batches
        if not isinstance(batches, Iterable):
            raise ValueError(f"batches must be an iterable of pairs (X, y), not {parameters.brief(batches)}.")
        for number, batch in enumerate(batches):
            if not isinstance(batch, tuple) or len(batch) not in (2, 3):
                raise ValueError(f"batch {number} must be a pair (X, y) or a triple (X, y, sample_weight).")
            X, y, weight = (*batch, None)[:3]
            try:
                self.partial_fit(X, y, classes=classes, sample_weight=weight)
            except (TypeError, ValueError) as error:
                raise ValueError(f"batch {number}: {error}") from error
        check_is_fitted(self, msg="batches is empty: give at least one batch.")
        return self
