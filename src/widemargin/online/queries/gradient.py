"""Rows in conflict with the machine."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .query import Judge, Query


class Gradient(Query):
    """The n rows with the largest 1 - y f(x), the slope of the dual in their direction.

    The labels must be known: it chooses what to learn from, not what to buy. It finds outliers first.

    References
    ----------
    Bordes, Ertekin, Weston and Bottou, Fast kernel classifiers with online and active learning, JMLR 6, 2005.
    """

    def choose(
        self, machine: Judge, pool: Any, n: int, y: ArrayLike | None, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        if y is None:
            raise ValueError("strategy='gradient' needs the classes of the pool: give y, or take 'active'.")
        return np.argsort(-machine.losses(pool, y), kind="stable")[:n]
