"""Machines that describe where points are: all on one side of a plane, or in a ball."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from widemargin.problems.checks import as_finite, as_positive, check_nu
from widemargin.problems.feasible import filled
from widemargin.problems.problem import Problem


def one_class(n: int, nu: float, weight: ArrayLike = 1.0) -> Problem:
    """The support of a distribution: a half-space of feature space away from the origin.

    Primal:  min 1/2 |w|^2 - nu rho sum_i weight_i + sum weight_i xi_i
             s.t.  <w, x_i> >= rho - xi_i,  xi_i >= 0
    Dual:    max -1/2 a'Ka   s.t.  sum a = nu sum_i weight_i,  0 <= a_i <= weight_i;    rho = -offset

    The start has the first points at their bound, so that few kernel rows make its gradient.

    Schölkopf, Platt, Shawe-Taylor, Smola and Williamson, Estimating the support of a high-dimensional
    distribution, Neural Computation 13, 2001.

    Examples
    --------
    >>> one_class(4, nu=0.4).start
    array([1. , 0.6, 0. , 0. ])
    """
    check_nu(nu)
    weight = as_positive(weight, "weight", n)
    return Problem(
        linear=np.zeros(n), lower=np.zeros(n), upper=weight, start=filled(weight, nu * weight.sum())
    )


def enclosing_ball(diagonal: ArrayLike, C: ArrayLike = np.inf) -> Problem:
    """The smallest ball around the points, hard (C infinite) or soft; `diagonal` holds K_ii.

    Primal:  min R^2 + sum C_i xi_i   s.t.  |x_i - c|^2 <= R^2 + xi_i,  xi_i >= 0
    Dual:    max 1/2 diag(K)'a - 1/2 a'Ka   s.t.  sum a = 1,  0 <= a_i <= C_i    (half of the usual dual)

    The centre is c = sum a_i x_i and R^2 = 2 offset + a'Ka.

    Tax and Duin, Support vector data description, Machine Learning 54, 2004.

    Examples
    --------
    >>> enclosing_ball([1.0, 1.0, 1.0], C=0.5).start
    array([0.5, 0.5, 0. ])
    """
    diagonal = as_finite(diagonal, "diagonal")
    C = np.minimum(as_positive(C, "C", diagonal.size), 1.0)
    if C.sum() < 1 - 1e-12:
        raise ValueError(f"C is too small: the sum over the points is {C.sum():.6g} and must be at least 1.")
    return Problem(linear=diagonal / 2, lower=np.zeros(C.size), upper=C, start=filled(C, 1.0))
