"""What all strategies are."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator


class Judge(Protocol):
    """A machine as a strategy sees it."""

    kernel_: Any

    def margins(self, X: Any) -> NDArray[np.float64]:
        """How far each row is from being given another class."""

    def losses(self, X: Any, y: ArrayLike) -> NDArray[np.float64]:
        """How much each row is in conflict with its class."""


class Query(BaseEstimator):
    """A rule that chooses rows of a pool. A sub-class defines `choose`."""

    def choose(
        self, machine: Judge, pool: Any, n: int, y: ArrayLike | None, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        """The numbers of n rows, the best first."""
        raise NotImplementedError
