"""A fitted least-squares machine."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .conjugate_gradient import ConjugateGradient
from .leave_one_out import LeaveOneOut
from .path import Path

__all__ = ["LeastSquaresFit"]


@dataclass(frozen=True)
class LeastSquaresFit:
    """f_k(x) = sum_i coefficients[i, k] k(x_i, x) + intercept[k], and how it was found.

    Parameters
    ----------
    coefficients : array of shape (n, outputs)
    intercept : array of shape (outputs,)
    weights : array of shape (features, outputs), or None
        The same function in features, where there are some.
    ridge : float
    loo : LeaveOneOut, or None
        If it was asked for.
    path : Path, or None
        If the ridge was chosen.
    krylov : ConjugateGradient, or None
        If the system was solved by products.
    """

    coefficients: NDArray[np.float64]
    intercept: NDArray[np.float64]
    weights: NDArray[np.float64] | None
    ridge: float
    loo: LeaveOneOut | None
    path: Path | None
    krylov: ConjugateGradient | None = None
