"""Rows near the boundary."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.estimators import parameters
from widemargin.kernels.points import count, take

from .query import Judge, Query


class Active(Query):
    """The n rows with the smallest margin |f(x)|: whatever their label is, it will change the machine most.

    Parameters
    ----------
    tries : int, optional
        Look at so many random rows only, or at n if that is more. Of 59 the best is with probability 0.95
        among the best 5 % of all, however large the pool.

    References
    ----------
    Schohn and Cohn, Less is more: active learning with support vector machines, ICML 2000.
    Bordes, Ertekin, Weston and Bottou, Fast kernel classifiers with online and active learning, JMLR 6, 2005.
    """

    def __init__(self, tries: int | None = None) -> None:
        self.tries = tries

    def choose(
        self, machine: Judge, pool: Any, n: int, y: ArrayLike | None, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        parameters.check(self, {"tries": parameters.none | parameters.at_least(1)})
        size = count(pool)
        rows = np.arange(size)
        if self.tries is not None and max(self.tries, n) < size:
            rows = random.choice(size, max(self.tries, n), replace=False)
        nearest = np.argsort(machine.margins(take(pool, rows)), kind="stable")[:n]
        return rows[nearest]
