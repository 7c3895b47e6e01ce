"""Where the points of a training come from: all at once, or in parts."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from widemargin.cli.data import Chunks


@dataclass(frozen=True)
class Whole:
    """All points in memory."""

    X: Any
    y: Any

    def fit(self, estimator: Any) -> Any:
        """Train on all of them."""
        return estimator.fit(self.X, self.y)

    def answers(self, estimator: Any) -> tuple[Any, Any]:
        """Predictions and labels."""
        return estimator.predict(self.X), self.y


@dataclass(frozen=True)
class Streamed:
    """Points that are read part by part, as often as needed; only labels are ever there together."""

    chunks: Chunks
    check: Any
    """Refuses labels that cannot be learned."""

    X: Any = None
    y: Any = None

    def __call__(self) -> Iterator[tuple[Any, ...]]:
        for X, y in self.chunks():
            self.check(y)
            yield X, y

    def fit(self, estimator: Any) -> Any:
        """Train in passes over all parts."""
        return estimator.fit_chunks(self)

    def answers(self, estimator: Any) -> tuple[Any, Any]:
        """Predictions and labels."""
        parts = [(estimator.predict(X), y) for X, y in self.chunks()]
        predicted, y = (np.concatenate(part) for part in zip(*parts, strict=True))
        return predicted, y
