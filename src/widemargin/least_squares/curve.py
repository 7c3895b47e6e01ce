"""Risk and norm of a machine for all ridges, from one decomposition."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

__all__ = ["RidgeCurve"]

Vector = NDArray[np.float64]


@dataclass(frozen=True)
class RidgeCurve:
    """What becomes of a least-squares machine as its ridge changes, in O(n) operations for each value.

    With M = U diag(v) U' and u = U't the solution is z = U (v + ridge)^-1 u, its residuals are ridge z, and

        |f|^2 = z'M z = sum_i v_i u_i^2 / (v_i + ridge)^2,     sum_i w_i (y_i - f(x_i))^2 = ridge^2 |z|^2.

    Parameters
    ----------
    values : array
        The eigenvalues v that are not zero.
    squares : array
        Their u_i^2, summed over outputs.
    rest : float
        The sum of all other u_i^2.
    total : float
        The sum of the weights.
    """

    values: Vector
    squares: Vector
    rest: float
    total: float

    def norm(self, ridge: float) -> float:
        """|f|, without a free bias."""
        return float(np.sqrt(np.sum(self.values * self.squares / (self.values + ridge) ** 2)))

    def risk(self, ridge: float) -> float:
        """The mean of the squared residuals, by weight."""
        shrunk = (ridge / (self.values + ridge)) ** 2
        return float((np.sum(shrunk * self.squares) + self.rest) / self.total)
