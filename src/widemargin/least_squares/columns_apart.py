"""Least squares for columns that are trained on points of their own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from widemargin.expansion import product

from .conjugate_gradient import ConjugateGradient
from .fit import LeastSquaresFit
from .leave_one_out import LeaveOneOut
from .machine import LeastSquares

__all__ = ["fit_columns_apart", "systems_of"]

Matrix = NDArray[np.float64]
System = tuple[NDArray[np.intp], NDArray[np.intp]]


def systems_of(Y: Matrix) -> list[System]:
    """The sets of rows in which columns are not zero, each with the columns that have it in common.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.least_squares import systems_of
    >>> Y = np.array([[1.0, 1.0, 0.0], [-1.0, 1.0, 1.0], [1.0, -1.0, -1.0]])
    >>> [(members.tolist(), columns.tolist()) for members, columns in systems_of(Y)]
    [([1, 2], [2]), ([0, 1, 2], [0, 1])]
    """
    patterns, number = np.unique(Y != 0, axis=1, return_inverse=True)
    return [(np.flatnonzero(pattern), np.flatnonzero(number == i)) for i, pattern in enumerate(patterns.T)]


def fit_columns_apart(
    problem: LeastSquares, Y: Matrix, ridge: float, solver: str, loo: bool
) -> LeastSquaresFit:
    """Train each column of Y on the points where it is not zero, all with the same ridge.

    Columns with the same points share a system, all systems share the Gram of the problem. A column says the
    same without a point that it does not know, so that its held-out value there is its value.

    Parameters
    ----------
    problem : LeastSquares
        Of all points.
    Y : array of shape (n, outputs)
    ridge : float
    solver : one of `SOLVERS`
    loo : bool
        Whether the leave-one-out residuals are wanted.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.least_squares import Frame, LeastSquares, fit_columns_apart
    >>> X, Y = np.array([[0.0], [1.0], [5.0]]), np.array([[1.0], [-1.0], [0.0]])
    >>> gram, rows = wm.Gaussian(1.0).bind(X), np.arange(3, dtype=np.int32)
    >>> problem = LeastSquares(gram, rows, Frame(np.ones(3), "none"))
    >>> fit_columns_apart(problem, Y, 1.0, "cholesky", loo=True).coefficients.round(3).ravel()
    array([ 0.613, -0.613,  0.   ])
    """
    coefficients, intercept, residuals = np.zeros_like(Y), np.zeros(Y.shape[1]), np.zeros_like(Y)
    weights = None if problem.linear is None else np.zeros((problem.linear.shape[1], Y.shape[1]))
    gcv, krylov = np.zeros(Y.shape[1]), None
    for members, columns in systems_of(Y):
        here = np.ix_(members, columns)
        linear = None if problem.linear is None else problem.linear[members]
        part = replace(problem, rows=problem.rows[members], frame=problem.frame.part(members), linear=linear)
        fitted = part.fit(Y[here], ridge, solver, loo)
        coefficients[here], intercept[columns] = fitted.coefficients, fitted.intercept
        if weights is not None and fitted.weights is not None:
            weights[:, columns] = fitted.weights
        if fitted.loo is not None:
            residuals[here], gcv[columns] = fitted.loo.residuals, fitted.loo.gcv
        krylov = _worst(krylov, fitted.krylov)
    whole = LeastSquaresFit(coefficients, intercept, weights, ridge, None, None, krylov)
    if not loo or krylov is not None:
        return whole
    residuals = np.where(Y == 0, -_values(problem, whole), residuals)
    weight = problem.frame.weight[:, None] * (Y != 0)
    error = float((weight * residuals**2).sum() / weight.sum())
    return replace(whole, loo=LeaveOneOut(residuals, error, float(gcv.mean())))


def _values(problem: LeastSquares, fitted: LeastSquaresFit) -> Matrix:
    """The functions at all points."""
    if fitted.weights is not None:
        return np.asarray(problem.linear @ fitted.weights) + fitted.intercept
    return product(problem.gram, problem.rows, problem.rows, fitted.coefficients, problem.n_jobs) + (
        fitted.intercept
    )


def _worst(one: ConjugateGradient | None, other: ConjugateGradient | None) -> ConjugateGradient | None:
    """The run that says most of what is missing."""
    if one is None or other is None:
        return one or other
    return max(one, other, key=lambda run: (not run.converged, run.residuals.max(initial=0.0)))
