"""Machines that follow real targets."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from widemargin.problems.checks import as_finite, as_positive, check_nu
from widemargin.problems.feasible import filled
from widemargin.problems.problem import Problem


def least_squares(y: ArrayLike, C: ArrayLike) -> Problem:
    """The least-squares machine: a linear system as a problem without a box; y may be any real targets.

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i xi_i^2   s.t.  <w, x_i> + b = y_i - xi_i
    Dual:    max y'a - 1/2 a'(K + diag(1/C))a   s.t.  sum a = 0;    b = offset

    Suykens and Vandewalle, Least squares support vector machine classifiers, Neural Processing Letters, 1999.

    Examples
    --------
    >>> least_squares([+1, -1], C=4.0).lower
    array([-inf, -inf])
    """
    y = as_finite(y, "y")
    unbounded = np.full(y.size, np.inf)
    ridge = 1.0 / as_positive(C, "C", y.size)
    return Problem(linear=y, lower=-unbounded, upper=unbounded, start=np.zeros(y.size), ridge=ridge)


def epsilon_regression(t: ArrayLike, C: ArrayLike, epsilon: float) -> Problem:
    """Regression with the epsilon-insensitive loss, in 2n variables a = (alpha+; -alpha-) on n points.

    Primal:  min 1/2 |w|^2 + sum C_i (xi+_i + xi-_i)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i,  xi >= 0
    Dual:    max (t - epsilon; t + epsilon)'a - 1/2 a'[K K; K K]a
             s.t.  sum a = 0,  0 <= alpha+_i, alpha-_i <= C_i;    b = offset

    The coefficient of point i is alpha+_i - alpha-_i.

    Examples
    --------
    >>> epsilon_regression([1.0, 3.0], C=1.0, epsilon=0.5).linear
    array([0.5, 2.5, 1.5, 3.5])
    """
    t = as_finite(t, "t")
    if not (np.isfinite(epsilon) and epsilon >= 0):
        raise ValueError(f"epsilon must be a finite number >= 0, not {epsilon}.")
    zero, C = np.zeros(t.size), as_positive(C, "C", t.size)
    return Problem(
        linear=np.concatenate([t - epsilon, t + epsilon]),
        lower=np.concatenate([zero, -C]),
        upper=np.concatenate([C, zero]),
        start=np.zeros(2 * t.size),
        points=np.tile(np.arange(t.size, dtype=np.int32), 2),
    )


def squared_epsilon_regression(t: ArrayLike, C: ArrayLike, epsilon: float) -> Problem:
    """Regression with half the square of the epsilon-insensitive loss, in variables as `epsilon_regression`.

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i (xi+_i^2 + xi-_i^2)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i
    Dual:    max (t - epsilon; t + epsilon)'a - 1/2 a'([K K; K K] + diag(1/C, 1/C))a
             s.t.  sum a = 0,  0 <= alpha+_i, alpha-_i;    b = offset

    Examples
    --------
    >>> squared_epsilon_regression([1.0, 3.0], C=4.0, epsilon=0.5).ridge
    array([0.25, 0.25, 0.25, 0.25])
    """
    problem = epsilon_regression(t, np.inf, epsilon)
    return replace(problem, ridge=np.tile(1.0 / as_positive(C, "C", problem.size // 2), 2))


def nu_regression(t: ArrayLike, C: ArrayLike, nu: float) -> Problem:
    """Regression whose tube width is found by nu, in 2n variables a = (alpha+; -alpha-) on n points.

    Primal:  min 1/2 |w|^2 + sum C_i (nu epsilon + xi+_i + xi-_i)
             s.t.  -epsilon - xi-_i <= t_i - <w, x_i> - b <= epsilon + xi+_i,  epsilon >= 0
    Dual:    max (t; t)'a - 1/2 a'[K K; K K]a
             s.t.  sum alpha+ = sum alpha- = nu/2 sum_i C_i,  0 <= alpha+_i, alpha-_i <= C_i

    b = (offset+ + offset-) / 2 and epsilon = (offset+ - offset-) / 2.

    Examples
    --------
    >>> nu_regression([1.0, 3.0], C=1.0, nu=0.5).start
    array([ 0.5,  0. , -0.5, -0. ])
    """
    t = as_finite(t, "t")
    check_nu(nu)
    C = as_finite(as_positive(C, "C", t.size), "C")
    zero, start = np.zeros(t.size), filled(C, nu * C.sum() / 2)
    return Problem(
        linear=np.concatenate([t, t]),
        lower=np.concatenate([zero, -C]),
        upper=np.concatenate([C, zero]),
        start=np.concatenate([start, -start]),
        points=np.tile(np.arange(t.size, dtype=np.int32), 2),
        group_sizes=(t.size, t.size),
    )
