"""Kernel values that no system can be made of, and systems without a solution."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EPSILON", "SingularSystem", "refuse_overflow"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

EPSILON = float(np.finfo(np.float64).eps)


class SingularSystem(ValueError):
    """The system has no unique solution in double precision."""

    def __init__(self, ridge: float, largest: float) -> None:
        super().__init__(
            f"K + ridge I with ridge = lam n = {ridge:.3g} is singular in double precision (beside "
            f"entries up to {largest:.3g}): raise lam, or use a kernel that is positive semi-definite."
        )


def refuse_overflow(entries: Matrix | Vector) -> None:
    """Raise a ValueError if some kernel values are not finite."""
    if not np.isfinite(entries).all():
        raise ValueError(
            "kernel values of these points are not finite: scale X (StandardScaler or MinMaxScaler)."
        )
