"""Examples of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from widemargin.kernels.points import count, take
from widemargin.problems import Vector


@dataclass(frozen=True, eq=False)
class Examples:
    """Some examples of a stream: a batch, what `fit` was given, or what a machine has kept of either.

    Parameters
    ----------
    points : array, CSR matrix or list
    labels : array of shape (n,)
        Their classes themselves, not numbers of classes: those change when a class is added.
    prices : array of shape (n,)
        C times the weight of each, and that of its class.
    serial : array of shape (n,)
        Their positions in the stream.
    """

    points: Any
    labels: NDArray[Any]
    prices: Vector
    serial: NDArray[np.int64]

    @property
    def size(self) -> int:
        """Number of examples."""
        return count(self.points)

    def take(self, which: NDArray[np.integer]) -> Examples:
        """Some of them."""
        return Examples(take(self.points, which), self.labels[which], self.prices[which], self.serial[which])

    def positions_of(self, some: Examples) -> NDArray[np.int32]:
        """Where some of these examples are among them."""
        order = np.argsort(self.serial)
        return order[np.searchsorted(self.serial, some.serial, sorter=order)].astype(np.int32)

    def followed_by(self, other: Examples) -> Examples:
        """These and others."""
        return Examples(
            stacked(self.points, other.points),
            np.concatenate([self.labels, other.labels]),
            np.concatenate([self.prices, other.prices]),
            np.concatenate([self.serial, other.serial]),
        )


def stacked(A: Any, B: Any) -> Any:
    """The points of A, then those of B."""
    if sp.issparse(A):
        return type(A)(sp.vstack([A, B], format="csr"))
    return np.concatenate([A, B]) if isinstance(A, np.ndarray) else [*A, *B]
