"""Cholesky factors in pieces, between which a run can be stopped."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cho_solve, cholesky, solve_triangular

Matrix = NDArray[np.float64]

PIECE = 2**31
"""Multiplications between two looks at the clock: less than a tenth of a second."""


class CholeskyFactor:
    """A = L L' for a symmetric positive definite matrix, whose lower triangle is overwritten by L.

    Columns are taken in panels, each updated by those before it (a product of matrices), then factorised by
    LAPACK; `look` is called between them, and may raise.

    Raises
    ------
    LinAlgError
        If A is not positive definite.
    """

    def __init__(self, A: Matrix, look: Callable[[], object]) -> None:
        n = len(A)
        width = int(np.clip(2 * PIECE // max(n * n, 1), 64, 1024))
        for begin in range(0, n, width):
            look()
            panel = slice(begin, min(begin + width, n))
            if begin:
                A[begin:, panel] -= A[begin:, :begin] @ A[panel, :begin].T
            A[panel, panel] = cholesky(A[panel, panel], lower=True, check_finite=False)
            if panel.stop < n:
                below = A[panel.stop :, panel]
                below[...] = solve_triangular(A[panel, panel], below.T, lower=True, check_finite=False).T
        if not np.isfinite(np.diagonal(A)).all():
            raise LinAlgError("the matrix has entries that are not finite")
        self._upper = A.T

    def solve(self, b: Matrix) -> Matrix:
        """A^-1 b."""
        return cho_solve((self._upper, False), b, check_finite=False)
