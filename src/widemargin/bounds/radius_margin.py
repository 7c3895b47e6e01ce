"""Radius and margin."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.two_classes import TwoClasses
from widemargin.estimators import EnclosingBall


@dataclass(frozen=True)
class RadiusMargin:
    """Radius and margin of a machine, and what they say of its leave-one-out errors."""

    radius: float
    """Of the smallest ball around the points in feature space."""

    margin: float
    """rho = 1 / |w|."""

    bound: float
    """At most so many points are leave-one-out errors."""

    @property
    def quotient(self) -> float:
        """R^2 / rho^2, which is minimised to choose parameters."""
        return (self.radius / self.margin) ** 2


def radius_margin(machine: Any, X: Any, y: ArrayLike) -> RadiusMargin:
    """The quotient of squared radius and squared margin of a hard-margin machine.

        1 / rho^2 = |w|^2 = sum_i alpha_i,    R^2 = max b'diag(K) - b'Kb  s.t.  sum b = 1, b >= 0

    The machine with the squared hinge loss is one of hard margin on K + I/C, used in both. At most

        4 R^2 / rho^2 = D^2 sum_i alpha_i     (with a bias)
        max_i K_ii sum_i alpha_i              (without)

    points are leave-one-out errors: alpha_i S_i D >= 1 for each one, with the span S_i <= D, and
    alpha_i K_ii >= 1 without a bias. The quotient R^2 / rho^2 itself is no bound for machines with a bias:
    n points with K = I, half of each class, are n errors, and it is n - 1.

    Parameters
    ----------
    machine : SVC
        Fitted to two classes with ``C=inf`` or the squared hinge loss.
    X, y : array-like
        What it was fitted to.

    Returns
    -------
    RadiusMargin

    References
    ----------
    Vapnik and Chapelle, Bounds on error expectation for support vector machines, Neural Computation 12, 2000.
    Chapelle, Vapnik, Bousquet and Mukherjee, Choosing multiple parameters for support vector machines,
    Machine Learning 46, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> X, y = [[-3], [-1], [1], [3]], [0, 0, 1, 1]
    >>> machine = wm.SVC(kernel="linear", C=np.inf).fit(X, y)
    >>> result = wm.bounds.radius_margin(machine, X, y)
    >>> round(result.radius, 3), round(result.margin, 3), round(result.quotient, 3), round(result.bound, 3)
    (3.0, 1.0, 9.0, 36.0)
    """
    fitted = TwoClasses.of(machine, X, y)
    if np.isfinite(fitted.C).any():
        raise ValueError(
            "radius and margin are for C=inf or loss='squared_hinge', not for a soft hinge loss."
        )
    every = np.arange(fitted.y.size)
    K = fitted.block(every, every) + np.diag(fitted.ridge)
    ball = EnclosingBall(nu=0, kernel="precomputed", tol=1e-6 * float(np.diag(K).max())).fit(K)
    inverse_squared_margin = float(fitted.alpha.sum())
    reach = 4 * ball.radius_**2 if fitted.has_bias else float(np.diag(K).max())
    return RadiusMargin(ball.radius_, inverse_squared_margin**-0.5, reach * inverse_squared_margin)
