"""What the machines trained without each point say of it, without training them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .frame import Frame

__all__ = ["LeaveOneOut", "leave_one_out"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class LeaveOneOut:
    """Residuals of points by machines that have not seen them, and two errors.

    Parameters
    ----------
    residuals : array of shape (n, outputs)
        y_i minus the value at x_i of the machine trained without point i, with the same ridge.
    error : float
        The mean of their squares, over points (by weight) and outputs.
    gcv : float
        The error by generalised cross-validation: the mean squared residual with every leverage replaced by
        the mean of all.
    """

    residuals: Matrix
    error: float
    gcv: float


def leave_one_out(frame: Frame, Z: Matrix, diagonal: Vector, ridge: float, shift: float = 0.0) -> LeaveOneOut:
    """The leave-one-out residuals of the machine with (M + ridge I) Z = T.

    `diagonal` is that of (M + shift q q' + ridge I)^-1, see `Frame`.

    With r_i = y_i - f(x_i) = ridge z_i / d_i and the leverages h_i = df(x_i)/dy_i,

        1 - h_i = ridge diagonal_i - q_i^2 ridge / (shift + ridge)    (q = 0 unless the bias is free),

    the residual of point i once its weight has fallen from w_i by a share phi_i is

        r_i / (1 - phi_i h_i).

    For phi_i = 1, and without weights and bias, this is c_i / G_ii with G = (K + ridge I)^-1. A point may
    stand for several copies (`Frame.copies`), of which one is left out: phi_i = 1 / copies_i, at most 1.
    """
    stays = ridge * diagonal
    if frame.constant is not None:
        stays = stays - frame.constant**2 * (ridge / (shift + ridge))
    r = ridge * Z / frame.scale[:, None]
    falls = stays + (1 - 1 / frame.copies) * (1 - stays)  # 1 - phi h, where 1 - h may be far below rounding
    residuals = r / falls[:, None]
    n, parts = frame.copies.sum(), frame.weight / frame.total
    left = n - frame.size + stays.sum()  # the trace of I - H, with a row and a column for each copy
    gcv = float((parts @ (n / left * r) ** 2).mean())
    error = float((parts @ residuals**2).mean())
    return LeaveOneOut(residuals, error, gcv)
