"""Linear systems by products alone."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .singular_system import refuse_overflow

__all__ = ["ConjugateGradient", "conjugate_gradient"]

Matrix = NDArray[np.float64]
Product = Callable[[Matrix], Matrix]

EXACT_EVERY = 50
"""Steps between two residuals that are computed and not updated."""

PATIENCE = 10
"""So many exact residuals without progress mean that rounding has the last word."""

PROGRESS = 0.9
"""A residual below this share of the best one is progress."""


@dataclass(frozen=True)
class ConjugateGradient:
    """What `conjugate_gradient` found: X, the size of b - Mx relative to b, and how it ended."""

    X: Matrix
    residuals: NDArray[np.float64]
    iterations: int
    converged: bool
    stalled: bool


def conjugate_gradient(
    product: Product,
    B: Matrix,
    *,
    precondition: Product | None = None,
    tol: float = 1e-8,
    max_iter: int = -1,
) -> ConjugateGradient:
    """Solve M X = B for a positive definite M that is known by its products only.

    All columns go together, so that one product serves them all; a column that has converged is frozen and
    leaves the products. Every 50 steps the residual is computed instead of updated, and a column counts as
    converged only by such a residual. Of a column that does not converge X has the iterate with the least of
    them, which is zero if no other was better.

    Parameters
    ----------
    product : function
        V -> M V, for V of shape (n, any).
    B : array of shape (n, columns)
    precondition : function, optional
        V -> an approximation of M^-1 V, linear, symmetric and positive definite.
    tol : float
        A column is done once its residual is at most this, relative to its right-hand side.
    max_iter : int
        Steps allowed; -1 for no limit but that of rounding.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.least_squares import conjugate_gradient
    >>> M = np.array([[4.0, 1.0], [1.0, 3.0]])
    >>> conjugate_gradient(lambda V: M @ V, np.array([[1.0], [2.0]])).X.round(4)
    array([[0.0909],
           [0.6364]])
    """
    precondition = precondition or (lambda V: V)
    X, lengths = np.zeros_like(B), np.linalg.norm(B, axis=0)
    kept, residuals = X.copy(), np.where(lengths > 0, 1.0, 0.0)
    active = np.flatnonzero(lengths)
    least, waited, iterations, stalled = np.inf, 0, 0, False

    def judge() -> Matrix:
        """What X leaves of B; where that is less than ever before, X is kept."""
        R = B[:, active] - product(X[:, active])
        now = np.linalg.norm(R, axis=0) / lengths[active]
        better = active[now < residuals[active]]
        kept[:, better], residuals[active] = X[:, better], np.fmin(now, residuals[active])
        return R

    R = B[:, active].copy()
    S = precondition(R)
    D, rho = S.copy(), np.einsum("ij,ij->j", R, S)
    while active.size and iterations != max_iter and not stalled:
        Q = product(D)
        if iterations == 0:
            refuse_overflow(Q)
        if not np.isfinite(Q).all():  # rounding has led astray what was finite before
            stalled = True
            break
        X[:, active] += D * (step := _ratio(rho, np.einsum("ij,ij->j", D, Q)))
        R -= Q * step
        iterations += 1
        if iterations % EXACT_EVERY == 0 or (np.linalg.norm(R, axis=0) <= tol * lengths[active]).any():
            R = judge()
            going = residuals[active] > tol
            active, R, D, rho = active[going], R[:, going], D[:, going], rho[going]
            if iterations % EXACT_EVERY == 0:
                worst = residuals[active].max(initial=0.0)
                waited = 0 if worst < PROGRESS * least else waited + 1
                least, stalled = min(least, worst), waited > PATIENCE
        S, before = precondition(R), rho
        rho = np.einsum("ij,ij->j", R, S)
        D = S + D * _ratio(rho, before)
    if active.size and not stalled:
        judge()
    return ConjugateGradient(kept, residuals, iterations, not active.size, stalled)


def _ratio(a: NDArray[np.float64], b: NDArray[np.float64]) -> NDArray[np.float64]:
    """a / b, zero where b is: a direction that is exhausted is not followed."""
    return np.divide(a, b, out=np.zeros_like(a), where=b > 0)
