"""Machines that separate two classes."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from widemargin.problems.checks import as_labels, as_positive
from widemargin.problems.feasible import filled
from widemargin.problems.problem import Problem


def hard_margin(y: ArrayLike) -> Problem:
    """The maximum margin classifier.

    Primal:  min 1/2 |w|^2   s.t.  y_i (<w, x_i> + b) >= 1
    Dual:    max y'a - 1/2 a'Ka   s.t.  sum a = 0,  y_i a_i >= 0;    b = offset

    The dual is unbounded if the classes cannot be separated.

    Examples
    --------
    >>> hard_margin([+1, -1]).upper
    array([inf,  0.])
    """
    return soft_margin(y, np.inf)


def soft_margin(y: ArrayLike, C: ArrayLike) -> Problem:
    """The 1-norm soft margin classifier (hinge loss).

    Primal:  min 1/2 |w|^2 + sum C_i xi_i   s.t.  y_i (<w, x_i> + b) >= 1 - xi_i,  xi_i >= 0
    Dual:    max y'a - 1/2 a'Ka   s.t.  sum a = 0,  0 <= y_i a_i <= C_i;    b = offset

    Cortes and Vapnik, Support-vector networks, Machine Learning 20, 1995.

    Examples
    --------
    >>> soft_margin([+1, -1], C=[1.0, 5.0]).lower
    array([ 0., -5.])
    """
    y = as_labels(y)
    C = as_positive(C, "C", y.size)
    positive = y > 0
    return Problem(
        linear=y,
        lower=np.where(positive, 0.0, -C),
        upper=np.where(positive, C, 0.0),
        start=np.zeros(y.size),
    )


def squared_soft_margin(y: ArrayLike, C: ArrayLike) -> Problem:
    """The 2-norm soft margin classifier (squared hinge loss).

    Primal:  min 1/2 |w|^2 + 1/2 sum C_i xi_i^2   s.t.  y_i (<w, x_i> + b) >= 1 - xi_i
    Dual:    max y'a - 1/2 a'(K + diag(1/C))a   s.t.  sum a = 0,  y_i a_i >= 0;    b = offset

    Examples
    --------
    >>> squared_soft_margin([+1, -1], C=4.0).ridge
    array([0.25, 0.25])
    """
    problem = hard_margin(y)
    return replace(problem, ridge=1.0 / as_positive(C, "C", problem.size))


def nu_classification(y: ArrayLike, nu: float, weight: ArrayLike = 1.0) -> Problem:
    """The nu soft margin classifier; first the variables of class +1, then those of class -1.

    Primal:  min 1/2 |w|^2 - nu rho sum_i weight_i + sum weight_i xi_i
             s.t.  y_i (<w, x_i> + b) >= rho - xi_i,  xi_i >= 0,  rho >= 0
    Dual:    max -1/2 a'Ka
             s.t.  sum of y_i a_i over each class = nu/2 sum_i weight_i,  0 <= y_i a_i <= weight_i

    b = (offset+ + offset-) / 2 and rho = (offset- - offset+) / 2; dividing a and b by rho gives the soft
    margin machine with C = weight / rho.

    Schölkopf, Smola, Williamson and Bartlett, New support vector algorithms, Neural Computation 12, 2000.

    Examples
    --------
    >>> nu_classification([-1, +1], nu=0.5).points
    array([1, 0], dtype=int32)
    """
    y = as_labels(y)
    weight = as_positive(weight, "weight", y.size)
    largest = largest_nu(y, weight)
    if not 0 < nu <= largest * (1 + 1e-12):
        raise ValueError(
            f"nu = {nu} is infeasible: with these class sizes it must lie in (0, {largest:.6g}]."
        )
    plus, minus = np.flatnonzero(y > 0), np.flatnonzero(y < 0)
    total = nu * weight.sum() / 2
    return Problem(
        linear=np.zeros(y.size),
        lower=np.concatenate([np.zeros(plus.size), -weight[minus]]),
        upper=np.concatenate([weight[plus], np.zeros(minus.size)]),
        start=np.concatenate([filled(weight[plus], total), -filled(weight[minus], total)]),
        points=np.concatenate([plus, minus]),
        group_sizes=(plus.size, minus.size),
    )


def largest_nu(y: ArrayLike, weight: ArrayLike = 1.0) -> float:
    """The largest feasible nu of `nu_classification`: twice the lighter class's share of the weight.

    Examples
    --------
    >>> largest_nu([+1, -1, -1, -1])
    0.5
    """
    y = as_labels(y)
    weight = as_positive(weight, "weight", y.size)
    return float(2 * min(weight[y > 0].sum(), weight[y < 0].sum()) / weight.sum())
