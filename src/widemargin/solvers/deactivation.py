"""What a solution becomes without one of its points."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.linalg.lapack import dpstrf

from widemargin import _core
from widemargin.problems import GROUNDED, Problem, Vector

Matrix = NDArray[np.float64]

SINGULAR = 1e-12
"""Pivots of the free system below this, relative to the largest, count as zero."""


class Held(NamedTuple):
    """The machine that is trained without a point, seen at that point."""

    value: float
    """Of its function."""

    violation: float
    """Of its KKT conditions; infinite if the path to it could not be followed."""

    breakpoints: int
    """Free sets on the way."""


class Deactivation:
    """A solution and, for every point, the solution without it.

    The variables of the point are driven to zero along the path of optimal solutions of all others, which is
    linear between breakpoints, where a variable enters or leaves the free set F. How the solution responds to
    that is found once for all variables (O(m^3) for m variables, with BLAS); a breakpoint then takes O(m k)
    operations for the k variables that have entered or left since the start.

    Parameters
    ----------
    problem : Problem
        With a single fixed sum.
    K : array-like of shape (n, n)
        The kernel matrix, symmetric and positive semi-definite.
    alpha : array-like of shape (m,)
        An accurate solution of the problem.

    References
    ----------
    Cauwenberghs and Poggio, Incremental and decremental support vector machine learning, NIPS 13, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.problems import hard_margin
    >>> from widemargin.solvers import Deactivation
    >>> x = np.array([-3.0, -1.0, 1.0, 5.0])
    >>> machine = Deactivation(hard_margin([-1, -1, 1, 1]), np.outer(x, x), [0, -0.5, 0.5, 0])
    >>> round(machine.without(2).value, 6)  # the boundary would be half way between -1 and 5
    -0.333333
    """

    def __init__(self, problem: Problem, K: ArrayLike, alpha: ArrayLike) -> None:
        K, alpha = np.ascontiguousarray(K, dtype=float), np.ascontiguousarray(alpha, dtype=float)
        if len(problem.groups) > 1:
            raise ValueError("a point can be driven out of a problem with a single fixed sum only.")
        if K.ndim != 2 or K.shape[0] != K.shape[1] or problem.rows.max() >= len(K):
            raise ValueError(f"K must be square and have a row for each point; got the shape {K.shape}.")
        if alpha.shape != problem.linear.shape:
            raise ValueError(f"alpha must have one entry per variable, {problem.size}; got {alpha.shape}.")
        if (alpha < problem.lower).any() or (alpha > problem.upper).any():
            raise ValueError("alpha must lie within the bounds of the problem.")
        self._points = frozenset(problem.rows.tolist()) - {GROUNDED}
        Q = _quadratic_term(problem, K)
        gradient = problem.linear - Q @ alpha
        F = _independent(Q, _inner_variables(problem, alpha, gradient))
        free = np.flatnonzero((alpha > problem.lower) & (alpha < problem.upper))
        offset = _offset(problem, alpha, gradient, free)
        core = _core.Problem(
            problem.linear,
            problem.lower,
            problem.upper,
            problem.start,
            problem.ridge,
            problem.points,
            [problem.size],
        )
        in_F = np.zeros(problem.size, dtype=bool)
        in_F[F] = True
        self._core = _core.Deactivation(core, K, _response(Q, F), in_F, alpha, gradient, offset)

    def without(self, point: int) -> Held:
        """The solution without this point, a row of K."""
        if point not in self._points:
            raise ValueError(f"point must be one that a variable of the problem belongs to; got {point}.")
        return Held(*self._core.without(int(point)))


def _quadratic_term(problem: Problem, K: Matrix) -> Matrix:
    """Q = K + diag(ridge), by variable."""
    real = problem.rows != GROUNDED
    Q = np.zeros((problem.size, problem.size))
    Q[np.ix_(real, real)] = K[np.ix_(problem.rows[real], problem.rows[real])]
    if problem.ridge is not None:
        Q[np.diag_indices_from(Q)] += problem.ridge
    return Q


def _inner_variables(problem: Problem, alpha: Vector, gradient: Vector) -> NDArray[np.intp]:
    """The free variables; if there are none, the one that would be the first to become free."""
    free = np.flatnonzero((alpha > problem.lower) & (alpha < problem.upper))
    return free if free.size else np.array([np.argmax(np.where(alpha < problem.upper, gradient, -np.inf))])


def _independent(Q: Matrix, F: NDArray[np.intp]) -> NDArray[np.intp]:
    """The largest part of F on which the system among free variables is regular."""
    Q_FF = Q[np.ix_(F, F)]
    shift = float(np.diag(Q_FF).max()) or 1.0
    _, pivots, rank, _ = dpstrf(Q_FF + shift, tol=SINGULAR * shift)
    return np.sort(F[pivots[:rank] - 1])


def _response(Q: Matrix, F: NDArray[np.intp]) -> Matrix:
    """Row v: how all variables respond to an input at v (deactivation.hpp)."""
    m, f = len(Q), len(F)
    others = np.setdiff1d(np.arange(m), F)
    H = np.ones((f + 1, f + 1))
    H[:f, :f], H[f, f] = Q[np.ix_(F, F)], 0.0
    right = np.zeros((f + 1, m))
    right[np.arange(f), F] = 1.0
    right[:f, others], right[f, others] = Q[np.ix_(F, others)], 1.0
    solved = np.linalg.solve(H, right)
    W = solved[:, others]
    response = np.empty((m, m))
    response[np.ix_(F, F)] = -solved[:f, F].T
    response[np.ix_(others, F)] = -W[:f].T
    response[np.ix_(F, others)] = W[:f]
    response[np.ix_(others, others)] = right[:, others].T @ W - Q[np.ix_(others, others)]
    return response


def _offset(problem: Problem, alpha: Vector, gradient: Vector, free: NDArray[np.intp]) -> float:
    """The common gradient of the free variables; without them the middle of what is admissible."""
    if GROUNDED in problem.rows:
        return 0.0
    if free.size:
        return float(gradient[free].mean())
    ends = [
        gradient[alpha < problem.upper].max(initial=-np.inf),
        gradient[alpha > problem.lower].min(initial=np.inf),
    ]
    return float(np.mean([end for end in ends if np.isfinite(end)]))
