"""(M + ridge I)^-1 for all ridges, from an orthogonal transformation of M to a band matrix.

A path of ridges needs no eigenvectors. Reflections make M a band matrix B in 4/3 n^3 steps, nearly all of
them in products of large matrices, and

    M = Q B Q',     (M + ridge I)^-1 = Q (B + ridge I)^-1 Q' = Q L^-T L^-1 Q',

where the factor L L' = B + ridge I of a band matrix costs next to nothing. To form Q takes 4/3 n^3 steps
more; the diagonal of an inverse, the squared lengths of the columns of L^-1 Q', takes n^2 times the
bandwidth.

Bischof, Lang and Sun, A framework for symmetric band reduction, ACM Transactions on Mathematical Software 26,
2000.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from widemargin import _core
from widemargin.kernels.row_blocks import for_blocks
from widemargin.threads import SMALL_MATRIX, allowed_threads, single_threaded_blas

from .reflections import Reflections
from .singular_system import EPSILON, SingularSystem, refuse_overflow

__all__ = ["BandForm"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

BANDWIDTH = 48
"""Narrower, the reduction works in thinner products; wider, each ridge costs more."""

TILE = (256, 512)
"""The entries of a matrix that are changed at a time stay in a near cache."""

PANELS, RIDGES = 4, 4
"""So many panels of reflections make up Q together; so many ridges share a pass over Q."""


class BandForm:
    """M = Q B Q': solutions are Q (B + ridge I)^-1 Q'T.

    M + ridge I has to be positive definite, beyond doubt in double precision: else there is a SingularSystem.

    Parameters
    ----------
    M : array of shape (n, n), C order
        Only its lower triangle is read; Q' takes its place.
    n_jobs : int, optional
        Threads.
    bandwidth : int, default=48
        Of B.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.least_squares import BandForm
    >>> M = np.array([[2.0, 1.0], [1.0, 2.0]])
    >>> BandForm(M.copy()).diagonals(np.array([1.0])) * np.linalg.det(M + np.eye(2))
    array([[3., 3.]])
    """

    def __init__(self, M: Matrix, n_jobs: int | None = None, bandwidth: int = BANDWIDTH) -> None:
        diagonal = np.einsum("ii->i", M)
        refuse_overflow(diagonal)
        self.trace, self._largest = float(diagonal.sum()), float(diagonal.max(initial=0.0))
        self._n_jobs = n_jobs
        width = min(bandwidth, max(len(M) - 1, 0))
        with single_threaded_blas():
            reflections = self._reduce(M, width)
            self._B = _diagonals(M, width)
            self._Qt = self._product(reflections, out=M)

    def solve(self, T: Matrix, ridges: Vector) -> NDArray[np.float64]:
        self._refuse_singular(float(ridges.min()))
        parts = np.asfortranarray(self._Qt @ T)
        solved = [lapack.dpbtrs(self._factor(ridge), parts, lower=1)[0] for ridge in ridges]
        return np.stack(np.split(self._Qt.T @ np.hstack(solved), ridges.size, axis=1))

    def diagonals(self, ridges: Vector) -> Matrix:
        self._refuse_singular(float(ridges.min()))
        diagonals = np.zeros((ridges.size, len(self._Qt)))
        for begin in range(0, ridges.size, RIDGES):
            few = slice(begin, begin + RIDGES)
            factors = np.stack([self._factor(ridge).T for ridge in ridges[few]])
            _core.add_squared_lengths(factors, self._Qt, diagonals[few], self._workers(len(self._Qt)))
        return diagonals

    def _factor(self, ridge: float) -> Matrix:
        """L by diagonals, where L L' = B + ridge I."""
        shifted = self._B.copy(order="F")
        shifted[0] += ridge
        L, fault = lapack.dpbtrf(shifted, lower=1, overwrite_ab=1)
        if fault:
            raise SingularSystem(ridge, self._largest)
        return L

    def _refuse_singular(self, ridge: float) -> None:
        """Raise a SingularSystem unless all eigenvalues of M + ridge I exceed their rounding.

        They do if a factor is left once that much has been taken from the diagonal.
        """
        largest = 2**0.5 * blas.dnrm2(self._B.ravel())  # no eigenvalue is larger
        try:
            self._factor(ridge - EPSILON * len(self._Qt) * largest)
        except SingularSystem:
            raise SingularSystem(ridge, self._largest) from None

    def _reduce(self, M: Matrix, width: int) -> list[Reflections]:
        """Make M a band matrix, panel by panel of columns, by H'M H; the reflections H come back."""
        reflections = []
        for begin in range(0, len(M) - width, width) if width else ():
            end = begin + width
            H, R = Reflections.triangularising(M[end:, begin:end])
            M[end : end + len(R), begin:end] = R
            self._reflect_both_sides(M[end:, end:], H)
            reflections.append(H)
        return reflections

    def _reflect_both_sides(self, A: Matrix, H: Reflections) -> None:
        """A <- H'A H = A - V W' - W V', W = A V T - V (T'V'A V T) / 2, by lower triangles."""
        V = H.V
        W = self._times(A, V) @ H.T
        W -= V @ (H.T.T @ (V.T @ W) / 2)
        left, right = np.hstack([V, W]), np.hstack([W, V])

        def update(block: slice) -> None:
            _subtract_product(A[block, : block.stop], left[block], right[: block.stop])

        self._for_rows(len(A), update)

    def _times(self, A: Matrix, V: Matrix) -> Matrix:
        """A V, from the lower triangle of A."""
        product = np.empty_like(V)

        def fill(block: slice) -> None:
            begin, end = block.start, block.stop
            middle = np.tril(A[block, block])
            middle += np.tril(middle, -1).T
            product[block] = A[block, :begin] @ V[:begin]
            product[block] += middle @ V[block]
            product[block] += A[end:, block].T @ V[end:]

        self._for_rows(len(A), fill)
        return product

    def _product(self, reflections: list[Reflections], out: Matrix) -> Matrix:
        """Q' = ... H_2' H_1', the last of which comes first and changes least; they are used up."""
        out[...] = 0.0
        np.fill_diagonal(out, 1.0)
        while reflections:
            H = reduce(Reflections.then, reflections[-PANELS:])
            del reflections[-PANELS:]
            self._reflect_rows(out[-len(H.V) :, -len(H.V) :], H)
        return out

    def _reflect_rows(self, X: Matrix, H: Reflections) -> None:
        """X <- X H'."""

        def update(block: slice) -> None:
            _subtract_product(X[block], X[block] @ H.V @ H.T.T, H.V)

        self._for_rows(len(X), update)

    def _for_rows(self, n: int, work: Callable[[slice], None]) -> None:
        blocks = [slice(begin, min(begin + TILE[0], n)) for begin in range(0, n, TILE[0])]
        for_blocks(work, blocks, self._workers(n))

    def _workers(self, n: int) -> int:
        return 1 if n <= SMALL_MATRIX else allowed_threads(self._n_jobs)


def _subtract_product(A: Matrix, X: Matrix, Y: Matrix) -> None:
    """A -= X Y', some columns at a time."""
    product = np.empty((len(A), min(TILE[1], len(Y))))
    for begin in range(0, len(Y), TILE[1]):
        columns = slice(begin, min(begin + TILE[1], len(Y)))
        part = product[:, : columns.stop - begin]
        np.matmul(X, Y[columns].T, out=part)
        A[:, columns] -= part


def _diagonals(M: Matrix, width: int) -> Matrix:
    """The diagonal of M and those below it, as rows, each followed by zeros."""
    n = len(M)
    B = np.zeros((width + 1, n))
    for k in range(width + 1):
        B[k, : n - k] = np.diagonal(M, -k)
    return B
