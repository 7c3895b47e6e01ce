"""What is known of an objective at one point."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Evaluation:
    """A point, the value there, and the gradient for optimisers that want one.

    A value that is not a number counts as infinitely bad, and a gradient that is not finite as none.
    """

    x: Vector
    value: float
    gradient: Vector | None = None

    def __post_init__(self) -> None:
        if np.isnan(self.value):
            object.__setattr__(self, "value", np.inf)
        if self.gradient is not None and not np.isfinite(self.gradient).all():
            object.__setattr__(self, "gradient", np.zeros_like(self.gradient))

    @property
    def slope(self) -> Vector:
        """The gradient; zero if nobody has computed it."""
        return np.zeros_like(self.x) if self.gradient is None else self.gradient
