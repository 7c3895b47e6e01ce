"""Rows near the boundary, unlike each other."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.kernels.points import count, take

from .query import Judge, Query


class Diverse(Query):
    """n rows for one go: each has the smallest

        weight * |f(x)| + (1 - weight) * max_j |cos(Phi(x), Phi(x_j))|,

    x_j being those chosen before it, and the cosine that of the feature space of the kernel.

    Parameters
    ----------
    weight : float, default=0.5
        Between 0, as unlike as can be, and 1, which is `Active`.

    References
    ----------
    Brinker, Incorporating diversity in active learning with support vector machines, ICML 2003.
    """

    def __init__(self, weight: float = 0.5) -> None:
        self.weight = weight

    def choose(
        self, machine: Judge, pool: Any, n: int, y: ArrayLike | None, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        if not (isinstance(self.weight, Real) and 0 <= self.weight <= 1):
            raise ValueError(f"weight must lie between 0 and 1, not {self.weight!r}.")
        margins = machine.margins(pool)
        with np.errstate(invalid="ignore"):  # some kernels give some points no length
            lengths = np.sqrt(machine.kernel_.diagonal(pool))
        likeness = np.zeros(count(pool))
        chosen: list[int] = []
        for _ in range(n):
            cost = self.weight * margins + (1 - self.weight) * likeness
            cost[chosen] = np.inf
            best = int(np.argmin(cost))
            chosen.append(best)
            K = machine.kernel_.gram(pool, take(pool, np.array([best])))[:, 0]
            with np.errstate(invalid="ignore", divide="ignore"):
                cosine = np.abs(K / (lengths * lengths[best]))
            likeness = np.fmax(likeness, cosine)
        return np.array(chosen)
