"""The span of support vectors: how far a machine moves when one of them goes."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.bounds.two_classes import TwoClasses
from widemargin.deletion import leave_one_out


def squared_spans(machine: Any, X: Any, y: ArrayLike) -> NDArray[np.float64]:
    """S_i^2, the squared distance of each support vector from the span of the other free ones; else 0.

    With H = [[Q_FF, 1], [1', 0]] over the free support vectors F (without the border if there is no bias),
    Q = K + I/C for the squared hinge loss and Q = K for the hinge,

        S_i^2 = 1 / (H^-1)_ii - (Q_ii - K_ii)    for i in F,
        S_i^2 = K_ii - v'H^-1 v,  v = (K_Fi; 1)   for alpha_i = C.

    As long as no point enters or leaves F when i is held out, y_i f(x_i) falls by exactly alpha_i S_i^2. It
    is infinite for the only free support vector of a machine with a bias.

    Parameters
    ----------
    machine : SVC
        Fitted to two classes with hinge or squared hinge loss; some 0 < alpha_i < C.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    S2 : array of shape (n,)

    References
    ----------
    Vapnik and Chapelle, Bounds on error expectation for support vector machines, Neural Computation 12, 2000.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3], [-1], [2], [3]], [0, 0, 1, 1]
    >>> machine = wm.SVC(kernel="linear", C=10, fit_intercept=False).fit(X, y)
    >>> wm.bounds.squared_spans(machine, X, y).round(3)
    array([0., 1., 0., 0.])
    """
    return _squared_spans(TwoClasses.of(machine, X, y))


def span_rule(machine: Any, X: Any, y: ArrayLike) -> int:
    """Estimated number of leave-one-out errors: #{i : alpha_i > 0, y_i f(x_i) <= alpha_i S_i^2}.

    It is exact where holding out a point makes no other point enter or leave the free support vectors. In
    general it is an estimate, mostly a very good one, and no bound.

    Parameters
    ----------
    machine, X, y
        As in `squared_spans`.

    Returns
    -------
    count : int

    References
    ----------
    Chapelle, Vapnik, Bousquet and Mukherjee, Choosing multiple parameters for support vector machines,
    Machine Learning 46, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> machine = wm.SVC(C=5, gamma=0.2, tol=1e-8).fit(X, y)
    >>> wm.bounds.span_rule(machine, X, y), wm.leave_one_out(machine, X, y).errors
    (6, 6)
    """
    fitted = TwoClasses.of(machine, X, y)
    support = fitted.alpha > 0
    S2 = _squared_spans(fitted)[support]
    return int(np.count_nonzero(fitted.margins[support] <= fitted.alpha[support] * S2))


def span_bound(machine: Any, X: Any, y: ArrayLike, *, exact: bool = True) -> float:
    """The smoothed span bound, #errors <= S <= #SV.

        S = sum_i s_i,   s_i = 1 - f^i(x_i) / f(x_i)  if y_i f^i(x_i) > 0,  else 1

    over the support vectors, f^i being trained without point i: a count of the leave-one-out errors that
    changes smoothly with the parameters as long as the errors stay the same.

    Parameters
    ----------
    machine, X, y
        As in `squared_spans`.
    exact : bool, default=True
        False puts y_i f(x_i) - alpha_i S_i^2 in the place of the held-out value: cheaper, and no bound.

    Returns
    -------
    S : float

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, PhD thesis, Bochum, 2008.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> machine = wm.SVC(C=5, gamma=0.2, tol=1e-8).fit(X, y)
    >>> round(wm.bounds.span_bound(machine, X, y), 2)
    10.54
    """
    fitted = TwoClasses.of(machine, X, y)
    support = fitted.alpha > 0
    margins = fitted.margins[support]
    if exact:
        held = (fitted.y * leave_one_out(machine, X, y).decision_values)[support]
    else:
        held = margins - fitted.alpha[support] * _squared_spans(fitted)[support]
    right = held > 0
    falls = np.ones(margins.size)
    falls[right] = np.clip(1.0 - held[right] / margins[right], 0.0, 1.0)
    return float(falls.sum())


def _squared_spans(fitted: TwoClasses) -> NDArray[np.float64]:
    free, bounded = fitted.free, fitted.bounded
    if free.size == 0:
        raise ValueError("the span needs a support vector with 0 < alpha < C, and there is none: change C.")
    F = fitted.free_set()
    S2 = np.zeros(fitted.alpha.size)
    with np.errstate(divide="ignore"):
        inverse = np.maximum(F.inverse_diagonal()[: free.size], 0.0)
        S2[free] = np.where(len(F) > 1, 1.0 / inverse, np.inf) - fitted.ridge[free]
    if bounded.size:
        v = np.zeros((len(F), bounded.size))
        v[: free.size] = fitted.block(free, bounded)
        d, r = F.solve(v, 1.0)
        S2[bounded] = np.maximum(0.0, fitted.diagonal[bounded] - (v * d).sum(axis=0) - r[0])
    return S2
