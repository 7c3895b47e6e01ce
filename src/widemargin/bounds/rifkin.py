"""Rifkin's leave-one-out bounds, from training outputs alone."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.bounds.checks import code_matrix, finite_vector, positive, signs
from widemargin.bounds.ridge_machine import RidgeMachine
from widemargin.bounds.two_classes import ROUNDING
from widemargin.losses import Hinge, Square

LOSSES = {"hinge": Hinge().margin, "square": Square().margin}
"""Losses of the margin by which codes are decoded."""


def rifkin(machine: Any, X: Any, y: ArrayLike) -> int:
    """Leave-one-out errors of regularised least squares, for two classes:

        #errors <= #{i : y_i f(x_i) <= K_ii / (K_ii + ridge)}.

    With (K + ridge I) c = y the held-out value lies between f(x_i) and f(x_i) - c_i K_ii, and
    y_i - f(x_i) = ridge c_i turns that into a threshold on the training output. No coefficient and no
    factorisation is needed, so that it serves at any scale.

    Parameters
    ----------
    machine : RLSClassifier, or SVC with loss="least-squares"
        Fitted to two classes without bias, weights and centres.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    count : int

    See Also
    --------
    rifkin_of_values : The same from arrays.

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT, 2002, equation 3.59.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3.0], [-1.0], [1.0], [3.0]], [0, 0, 1, 1]
    >>> wm.bounds.rifkin(wm.RLSClassifier(lam=0.01, gamma=0.1).fit(X, y), X, y)
    2
    """
    fitted = RidgeMachine.of(machine, X, y)
    return rifkin_of_values(fitted.values[:, 0], fitted.targets[:, 0], fitted.diagonal, fitted.ridge)


def rifkin_multiclass(machine: Any, X: Any, y: ArrayLike) -> int:
    """Leave-one-out errors of one least-squares machine per class, by the intervals of their values.

    Parameters
    ----------
    machine : RLSClassifier, or SVC with loss="least-squares" and multiclass="one-vs-all"
        Fitted to several classes without bias, weights and centres.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    count : int

    See Also
    --------
    rifkin_of_intervals : For every code and loss, from arrays, with the formula.

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT, 2002, equation 4.63.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3.0], [-2.0], [0.0], [1.0], [4.0], [5.0]], [0, 0, 1, 1, 2, 2]
    >>> wm.bounds.rifkin_multiclass(wm.RLSClassifier(lam=0.01, gamma=0.5).fit(X, y), X, y)
    0
    """
    fitted, k = RidgeMachine.of(machine, X, y, several=True), len(machine.classes_)
    return rifkin_of_intervals(
        fitted.values, fitted.coefficients, fitted.diagonal, 2 * np.eye(k) - 1, fitted.labels
    )


def rifkin_of_values(values: ArrayLike, y: ArrayLike, diagonal: ArrayLike, ridge: float) -> int:
    """The count of `rifkin` from the outputs of a machine, whose assumptions are for the caller to keep.

    Parameters
    ----------
    values : array-like of shape (n,)
        f(x_i) of the machine without bias.
    y : array-like of shape (n,)
        Labels -1 and +1.
    diagonal : array-like of shape (n,)
        K_ii.
    ridge : float
        What is added to the diagonal, lambda n; 1 / C for ``SVC(loss="least-squares")``.

    Returns
    -------
    count : int

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.rifkin_of_values([0.9, 0.4, -0.8], [1, 1, -1], [1.0, 1.0, 1.0], ridge=1.0)
    1
    """
    values = finite_vector(values, "values")
    y, diagonal = signs(y, values.size), _diagonal(diagonal, values.size)
    ridge = positive(ridge, "ridge")
    # a held-out value of zero is an error or not by rounding: that of a point far from all others
    return int(np.count_nonzero(y * values <= diagonal / (diagonal + ridge) + ROUNDING))


def rifkin_of_intervals(
    values: ArrayLike,
    coefficients: ArrayLike,
    diagonal: ArrayLike,
    code: ArrayLike,
    labels: ArrayLike,
    loss: str = "square",
) -> int:
    """Leave-one-out errors of several machines without bias, decoded by a loss L.

    The held-out value of machine i at point j lies in the interval between f_i(x_j) and
    f_i(x_j) - c_ij K_jj, for least squares as for hinge machines. The point can be an error only if for some
    other class r

        sum_i min { L(M_ri z) - L(M_yi z) : z an end of the interval }  <=  0.

    Parameters
    ----------
    values, coefficients : array-like of shape (n, machines)
        f_i(x_j), and c_ij, zero where a point is not used by a machine.
    diagonal : array-like of shape (n,)
        K_jj.
    code : array-like of shape (classes, machines)
        M, over -1, 0 and +1.
    labels : array-like of int, shape (n,)
        The row of the code that each point belongs to.
    loss : {"square", "hinge"}, default="square"
        By which a row of the code is chosen; of one machine per class that is the largest value.

    Returns
    -------
    count : int

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT, 2002, equation 4.63.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> one_vs_all = 2 * np.eye(3) - 1
    >>> values = [[0.9, -0.8, -0.9], [0.1, 0.2, -0.9]]
    >>> wm.bounds.rifkin_of_intervals(values, np.full((2, 3), 0.1), [1.0, 1.0], one_vs_all, [0, 1])
    1
    """
    if loss not in LOSSES:
        raise ValueError(f"loss must be one of {sorted(LOSSES)}; got {loss!r}.")
    L, M = LOSSES[loss], code_matrix(code)
    f, c = (
        _matrix(each, name, M.shape[1]) for each, name in ((values, "values"), (coefficients, "coefficients"))
    )
    if c.shape != f.shape:
        raise ValueError(f"coefficients must have the shape of values, {f.shape}; got {c.shape}.")
    ends = np.stack([f, f - c * _diagonal(diagonal, len(f))[:, None]])
    own = _labels(labels, len(f), len(M))
    possible = np.zeros(len(f), dtype=bool)
    for r in range(len(M)):
        least = (L(M[r] * ends) - L(M[own] * ends)).min(axis=0).sum(axis=1)
        possible |= (own != r) & (least <= ROUNDING)  # ties too, however they are rounded
    return int(np.count_nonzero(possible))


def _diagonal(diagonal: ArrayLike, n: int) -> NDArray[np.float64]:
    diagonal = finite_vector(diagonal, "diagonal", n)
    if diagonal.min() < 0:
        raise ValueError("diagonal must not be negative: it is that of a kernel matrix.")
    return diagonal


def _matrix(values: ArrayLike, name: str, columns: int) -> NDArray[np.float64]:
    matrix = np.asarray(values, dtype=np.float64)
    if matrix.ndim != 2 or matrix.shape[1] != columns or not np.isfinite(matrix).all():
        raise ValueError(f"{name} must be finite, of shape (n, {columns}): a column for each of the code.")
    return matrix


def _labels(labels: ArrayLike, n: int, classes: int) -> NDArray[np.intp]:
    own = np.asarray(labels)
    if own.shape != (n,) or not np.isin(own, np.arange(classes)).all():
        raise ValueError(f"labels must be {n} rows of the code, from 0 to {classes - 1}.")
    return own.astype(np.intp)
