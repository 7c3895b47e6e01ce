"""Convex losses of the difference f - y."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from .loss import Array, Loss, gap


class Square(Loss):
    """V(f, y) = (y - f)^2; for y = -1 and +1 this is (1 - y f)^2: margins are to be near 1, not large.

    Its slope grows without bound, so it is Lipschitz on bounded functions only: 2 (sup abs(f) + sup abs(y)).

    Examples
    --------
    >>> from widemargin.losses import Square
    >>> Square().value([5.0], [1])
    array([16.])
    """

    is_smooth = True
    has_margin_form = True

    def value(self, f: ArrayLike, y: ArrayLike) -> Array:
        return gap(f, y) ** 2

    def subgradient(self, f: ArrayLike, y: ArrayLike) -> Array:
        return 2 * gap(f, y)

    def population_minimizer(self, p: ArrayLike) -> Array:
        return 2 * np.asarray(p, dtype=np.float64) - 1


class EpsilonInsensitive(Loss):
    """V(f, y) = (abs(f - y) - epsilon)_+, the loss of support vector regression.

    Parameters
    ----------
    epsilon : float, default=0.1
        Not negative.

    Examples
    --------
    >>> from widemargin.losses import EpsilonInsensitive
    >>> EpsilonInsensitive(0.5).value([1.25, 3.0], [1.0, 1.0])
    array([0. , 1.5])
    """

    lipschitz = 1.0

    def __init__(self, epsilon: float = 0.1) -> None:
        self.epsilon = epsilon

    def value(self, f: ArrayLike, y: ArrayLike) -> Array:
        return np.maximum(np.abs(gap(f, y)) - self._checked(), 0.0)

    def subgradient(self, f: ArrayLike, y: ArrayLike) -> Array:
        difference = gap(f, y)
        return np.where(np.abs(difference) > self._checked(), np.sign(difference), 0.0)

    def _checked(self) -> float:
        if not 0 <= self.epsilon < np.inf:
            raise ValueError(f"epsilon must be a finite number >= 0, not {self.epsilon!r}.")
        return self.epsilon


class Absolute(EpsilonInsensitive):
    """V(f, y) = abs(f - y), whose population minimiser is a median: robust against outliers.

    Examples
    --------
    >>> from widemargin.losses import Absolute
    >>> Absolute().value([3.0], [1.0])
    array([2.])
    """

    def __init__(self) -> None:
        self.epsilon = 0.0

    def population_minimizer(self, p: ArrayLike) -> Array:
        return np.sign(np.asarray(p) - 0.5)
