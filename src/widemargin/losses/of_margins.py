"""Convex losses of the margin z = y f."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .loss import Array, MarginLoss, log_odds, shortfall


class Hinge(MarginLoss):
    """V(f, y) = (1 - y f)_+, the loss of support vector machines: nothing once the margin is 1.

    Examples
    --------
    >>> from widemargin.losses import Hinge
    >>> Hinge().value([2.0, 0.0, -1.0], [1, 1, 1])
    array([0., 1., 2.])
    """

    lipschitz = 1.0

    def margin(self, z: ArrayLike) -> Array:
        return shortfall(z)

    def slope(self, z: ArrayLike) -> Array:
        return np.where(np.asarray(z) < 1, -1.0, 0.0)

    def population_minimizer(self, p: ArrayLike) -> Array:
        return np.sign(np.asarray(p) - 0.5)


class Power(MarginLoss):
    """V(f, y) = (1 - y f)_+^q for q > 1.

    Parameters
    ----------
    q : float, default=2.0
        Above 1.

    Examples
    --------
    >>> from widemargin.losses import Power
    >>> Power(3).value([-1.0], [1])
    array([8.])
    """

    is_smooth = True
    has_curvature = True

    def __init__(self, q: float = 2.0) -> None:
        self.q = q

    def margin(self, z: ArrayLike) -> Array:
        return shortfall(z) ** self._checked()

    def slope(self, z: ArrayLike) -> Array:
        q = self._checked()
        return -q * shortfall(z) ** (q - 1)

    def bend(self, z: ArrayLike) -> Array:
        q, short = self._checked(), shortfall(z)
        return q * (q - 1) * np.power(short, q - 2, out=np.zeros_like(short), where=short > 0)

    def population_minimizer(self, p: ArrayLike) -> Array:
        """(p^e - (1 - p)^e) / (p^e + (1 - p)^e), e = 1 / (q - 1), whose powers would vanish for q near 1."""
        return np.tanh(log_odds(p) / (2 * (self._checked() - 1)))

    def _checked(self) -> float:
        if not 1 < self.q < np.inf:
            raise ValueError(f"q must be a finite number above 1, not {self.q!r}.")
        return self.q


class SquaredHinge(Power):
    """V(f, y) = (1 - y f)_+^2, `Power` with q = 2.

    Examples
    --------
    >>> from widemargin.losses import SquaredHinge
    >>> SquaredHinge().value([2.0, -1.0], [1, 1])
    array([0., 4.])
    """

    def __init__(self) -> None:
        self.q = 2.0


class ExponentialLoss(MarginLoss):
    """V(f, y) = exp(-y f), the loss of AdaBoost.

    Examples
    --------
    >>> from widemargin.losses import ExponentialLoss
    >>> ExponentialLoss().population_minimizer(0.5).item()
    0.0
    """

    is_smooth = True
    has_curvature = True

    def margin(self, z: ArrayLike) -> Array:
        with np.errstate(over="ignore"):
            return np.exp(-np.asarray(z, dtype=np.float64))

    def slope(self, z: ArrayLike) -> Array:
        return -self.margin(z)

    def bend(self, z: ArrayLike) -> Array:
        return self.margin(z)

    def population_minimizer(self, p: ArrayLike) -> Array:
        return log_odds(p) / 2


class Logistic(MarginLoss):
    """V(f, y) = log(1 + exp(-y f)), the loss of logistic regression.

    Examples
    --------
    >>> from widemargin.losses import Logistic
    >>> Logistic().value([0.0], [1]).round(4)
    array([0.6931])
    """

    is_smooth = True
    has_curvature = True
    lipschitz = 1.0

    def margin(self, z: ArrayLike) -> Array:
        return np.logaddexp(0.0, -np.asarray(z, dtype=np.float64))

    def slope(self, z: ArrayLike) -> Array:
        return -np.exp(-np.logaddexp(0.0, np.asarray(z, dtype=np.float64)))

    def bend(self, z: ArrayLike) -> Array:
        p = -self.slope(z)
        return p * (1 - p)

    def population_minimizer(self, p: ArrayLike) -> Array:
        return log_odds(p)
