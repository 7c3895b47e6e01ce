"""Bounded losses: what one would like to minimise, and cannot."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .loss import Array, Loss, MarginLoss


class Ramp(MarginLoss):
    """V(f, y) = min(1, (1 - y f / gamma)_+): 1 for errors, 0 from margin gamma on, linear in between.

    It is at least the 0-1 loss and has the Lipschitz constant 1 / gamma, which makes it the loss of margin
    bounds; it is not convex.

    Parameters
    ----------
    gamma : float, default=1.0
        Positive.

    Examples
    --------
    >>> from widemargin.losses import Ramp
    >>> Ramp(2.0).value([-1.0, 1.0, 3.0], [1, 1, 1])
    array([1. , 0.5, 0. ])
    """

    is_convex = False

    def __init__(self, gamma: float = 1.0) -> None:
        self.gamma = gamma

    @property
    def lipschitz(self) -> float:  # type: ignore[override]
        """1 / gamma."""
        return 1 / self._checked()

    def margin(self, z: ArrayLike) -> Array:
        return np.clip(1 - np.asarray(z, dtype=np.float64) / self._checked(), 0.0, 1.0)

    def slope(self, z: ArrayLike) -> Array:
        """L'(z), zero at the two corners; the ramp has no sub-gradients."""
        z = np.asarray(z, dtype=np.float64)
        return np.where((z > 0) & (z < self._checked()), -1 / self.gamma, 0.0)

    def population_minimizer(self, p: ArrayLike) -> Array:
        return self._checked() * np.sign(np.asarray(p) - 0.5)

    def _checked(self) -> float:
        if not 0 < self.gamma < np.inf:
            raise ValueError(f"gamma must be a positive finite number, not {self.gamma!r}.")
        return self.gamma


class ZeroOne(Loss):
    """V(f, y) = 1 if the sign of f is not y, else 0; f = 0 is an error.

    Minimising it is NP-complete; it is there to count errors.

    Examples
    --------
    >>> from widemargin.losses import ZeroOne
    >>> ZeroOne().value([2.0, -2.0, 0.0], [1, 1, 1])
    array([0., 1., 1.])
    """

    is_convex = False
    has_margin_form = True

    def value(self, f: ArrayLike, y: ArrayLike) -> Array:
        return (np.multiply(f, y) <= 0).astype(np.float64)

    def subgradient(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Zero: the derivative wherever there is one."""
        return np.zeros(np.broadcast_shapes(np.shape(f), np.shape(y)))

    def population_minimizer(self, p: ArrayLike) -> Array:
        return np.sign(np.asarray(p) - 0.5)
