"""The classes of data that come in chunks."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators.chunks import Chunk

__all__ = ["Census"]


class Census:
    """The classes of all chunks, their numbers of rows and their weights."""

    def __init__(self) -> None:
        self._rows: dict[Any, int] = {}
        self._weights: dict[Any, float] = {}

    def add(self, chunk: Chunk) -> None:
        """Count the rows of a chunk."""
        names, labels = np.unique(chunk.y, return_inverse=True)
        rows = np.bincount(labels, minlength=len(names))
        weights = np.bincount(labels, chunk.weight, minlength=len(names))
        for name, count, weight in zip(names.tolist(), rows.tolist(), weights.tolist(), strict=True):
            self._rows[name] = self._rows.get(name, 0) + count
            self._weights[name] = self._weights.get(name, 0.0) + weight

    @cached_property
    def names(self) -> NDArray[Any]:
        """The classes in order."""
        return np.array(sorted(self._rows))

    @property
    def rows(self) -> NDArray[np.int64]:
        """The number of rows of each class."""
        return np.array([self._rows[name] for name in self.names.tolist()])

    @property
    def weights(self) -> NDArray[np.float64]:
        """The weight of each class."""
        return np.array([self._weights[name] for name in self.names.tolist()])

    def find(self, y: NDArray[Any]) -> NDArray[np.intp]:
        """The position of each label among the classes."""
        at = np.minimum(np.searchsorted(self.names, y), len(self.names) - 1)
        strange = np.flatnonzero(self.names[at] != y)
        if strange.size:
            raise ValueError(
                f"the chunks have the class {y[strange[0]]!r} in a later pass, but not in the first: return "
                "the same rows each time."
            )
        return at
