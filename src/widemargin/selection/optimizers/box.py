"""Where parameters may go."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Box:
    """lower <= x <= upper in every coordinate; infinite bounds are none.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.optimizers import Box
    >>> Box.around(np.array([0.0, 1.0]), reach=8.0).clip(np.array([-20.0, 3.0]))
    array([-8.,  3.])
    """

    lower: Vector
    upper: Vector

    @classmethod
    def unlimited(cls, n: int) -> Box:
        """All of R^n."""
        return cls(np.full(n, -np.inf), np.full(n, np.inf))

    @classmethod
    def around(cls, x: Vector, reach: float | Vector) -> Box:
        """At most `reach` from x in every coordinate."""
        return cls(x - reach, x + reach)

    def clip(self, x: Vector) -> Vector:
        """The nearest point of the box."""
        return np.clip(x, self.lower, self.upper)

    def holds(self, x: Vector) -> NDArray[np.bool_]:
        """Which coordinates of x are inside."""
        return (self.lower <= x) & (x <= self.upper)
