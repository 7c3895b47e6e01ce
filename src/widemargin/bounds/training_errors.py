"""Training errors of codes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.checks import code_matrix, not_negative, number_of_points, positive

DECODINGS = ("loss", "hamming")


def code_training_errors(
    mean_loss: float, *, n: int, code: ArrayLike, at_zero: float = 1.0, decoding: str = "loss"
) -> float:
    """Several machines, decoded by loss or by signs, make at most so many training errors:

        n F eps / (rho L(0))      by total loss,
        2 n F eps / (rho L(0))    by Hamming distance,

    for F machines, rho the smallest distance sum_i (1 - M_ri M_si) / 2 of two rows of the code.

    Parameters
    ----------
    mean_loss : float
        eps: mean of L(M_yi f_i(x)) over points and machines; where the code is zero the loss is L(0).
    n : int
        Points.
    code : array-like of shape (classes, machines)
        M, over -1, 0 and +1.
    at_zero : float, default=1.0
        L(0); L is a convex loss of the margin with L(z) + L(-z) >= 2 L(0).
    decoding : {"loss", "hamming"}, default="loss"

    Returns
    -------
    bound : float

    References
    ----------
    Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1, 2000.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> round(wm.bounds.code_training_errors(0.02, n=100, code=2 * np.eye(4) - 1), 3)
    4.0
    """
    M = code_matrix(code)
    if decoding not in DECODINGS:
        raise ValueError(f"decoding must be one of {DECODINGS}; got {decoding!r}.")
    distances = (M.shape[1] - M @ M.T) / 2
    rho = float(distances[~np.eye(len(M), dtype=bool)].min())
    if rho <= 0:
        raise ValueError("code must tell all classes apart: two of its rows are the same.")
    total = number_of_points(n) * M.shape[1] * not_negative(mean_loss, "mean_loss")
    return float((1 if decoding == "loss" else 2) * total / (rho * positive(at_zero, "at_zero")))
