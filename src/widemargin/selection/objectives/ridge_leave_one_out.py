"""Leave-one-out of least squares, in closed form."""

from __future__ import annotations

import numpy as np

from widemargin.problems import Vector
from widemargin.selection.objectives.ridge import Matrix, Ridge, RidgeObjective


class RidgeLeaveOneOut(RidgeObjective):
    """The mean squared leave-one-out error of least squares.

    E = 1/n sum_i (r_i / (1 - h_i))^2,    r = y - Hy,    h the leverages, H_ii

    in log lam and the kernel's parameters, with its gradient, in O(n^3). The ridge lam n stays the same when
    a point is left out; of a point of weight w > 1 one copy is.

    References
    ----------
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from sklearn.datasets import load_diabetes
    >>> from widemargin.selection.objectives import RidgeLeaveOneOut
    >>> X, y = load_diabetes(return_X_y=True)
    >>> machine = wm.RLSRegressor(lam=0.01, gamma=10.0, leave_one_out=True).fit(X[:80], y[:80])
    >>> bound = RidgeLeaveOneOut().bind(machine, X[:80], y[:80])
    >>> value = bound.value(bound.parameters.start)
    >>> bool(np.isclose(value, np.mean(machine.loo_residuals_**2)))
    True
    """

    def _judge(self, parts: Ridge) -> tuple[float, Matrix, Vector]:
        frame = parts.frame
        share = 1.0 / frame.copies
        factor = 1 - share + share * parts.stays
        residuals = parts.residuals / factor[:, None]
        weight = frame.weight[:, None] / (frame.total * residuals.shape[1])
        value = float(np.sum(weight * residuals**2))
        by_residual = 2 * weight * residuals / factor[:, None]
        by_stay = -share * np.sum(by_residual * residuals, axis=1)
        return value, by_residual, by_stay
