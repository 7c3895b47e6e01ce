"""Which points a low-rank machine is made of."""

from __future__ import annotations

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.base import BaseEstimator

from widemargin import _core

__all__ = ["Centres", "Indices"]

Indices = NDArray[np.int32]


class Centres(BaseEstimator):
    """A rule that chooses `size` of the points; a sub-class defines `choose`.

    Parameters
    ----------
    size : int
        How many.
    """

    candidates: ClassVar[int] = 4
    """Rows of a stream, for each centre, that are drawn at random to choose from."""

    def __init__(self, size: int) -> None:
        self.size = size

    def choose(self, gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Indices:
        """Distinct positions among `rows`, the points of a square Gram; as many as `size`, or fewer.

        There are fewer where those that were chosen represent all points to rounding.
        """
        raise NotImplementedError(f"{type(self).__name__} must define choose.")
