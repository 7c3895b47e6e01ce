"""The leave-one-out bound of Jaakkola and Haussler."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.two_classes import ROUNDING, TwoClasses


def jaakkola_haussler(machine: Any, X: Any, y: ArrayLike) -> int:
    """At most so many points are leave-one-out errors: #errors <= #{i : y_i f(x_i) <= alpha_i K_ii}.

    Held out, the value y_i f(x_i) falls, but by no more than alpha_i K_ii, what the point has contributed
    itself. So only the points counted here can become errors.

    Parameters
    ----------
    machine : SVC
        Fitted to two classes without bias, with hinge or squared hinge loss.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    count : int

    References
    ----------
    Jaakkola and Haussler, Probabilistic kernel regression models, AISTATS 1999.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-3], [-1], [1], [3]], [0, 0, 1, 1]
    >>> machine = wm.SVC(kernel="linear", C=10, fit_intercept=False).fit(X, y)
    >>> wm.bounds.jaakkola_haussler(machine, X, y)
    0
    """
    fitted = TwoClasses.of(machine, X, y)
    fitted.check_without_bias("the bound of Jaakkola and Haussler")
    left_out = fitted.margins - fitted.alpha * fitted.diagonal
    return int(np.count_nonzero(left_out <= ROUNDING))  # at zero, rounding must not decide
