"""Cholesky factors in pieces, between which a run can be stopped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

PIECE = 2**30
"""Multiplications between two looks at the clock, about: less than a tenth of a second."""


class CholeskyFactor:
    """A + diag(d) = L L' for a symmetric positive definite matrix.

    Columns are taken in panels, each updated by those before it (a product of matrices), then factorised by
    LAPACK; `look` is called between them, and may raise.

    Parameters
    ----------
    A : array of shape (n, n)
    d : array of shape (n,)
    room : array of shape (n, n)
        Where L is written; what is above the diagonal is neither read nor written, but within panels.
    look : callable

    Raises
    ------
    LinAlgError
        If the matrix is not positive definite.
    """

    def __init__(self, A: Matrix, d: Vector, room: Matrix, look: Callable[[], object]) -> None:
        n, L = len(A), room
        width = int(np.clip(2 * PIECE // max(n * n, 1), 64, 1024))
        for begin in range(0, n, width):
            look()
            panel = slice(begin, min(begin + width, n))
            column = A[begin:, panel] - L[begin:, :begin] @ L[panel, :begin].T
            size = panel.stop - begin
            corner = column[:size]
            corner[np.diag_indices(size)] += d[panel]
            if not np.isfinite(corner).all():
                raise LinAlgError("the matrix has entries that are not finite")
            L[panel, panel] = corner = cholesky(corner, lower=True, check_finite=False)
            L[panel.stop :, panel] = solve_triangular(
                corner, column[size:].T, lower=True, check_finite=False
            ).T
        self._upper = L.T

    def solve(self, b: Matrix) -> Matrix:
        """(A + diag(d))^-1 b."""
        return cho_solve((self._upper, False), b, check_finite=False)
