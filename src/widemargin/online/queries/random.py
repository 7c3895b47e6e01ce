"""Any rows."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.kernels.points import count

from .query import Judge, Query


class Random(Query):
    """n rows drawn without replacement: what every other strategy has to beat."""

    def choose(
        self, machine: Judge, pool: Any, n: int, y: ArrayLike | None, random: np.random.RandomState
    ) -> NDArray[np.intp]:
        return random.choice(count(pool), n, replace=False)
