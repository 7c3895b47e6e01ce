"""What every loss can do."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

Array = NDArray[np.float64]


class Loss(BaseEstimator):
    """A price V(f, y) of answering f where y is true.

    Losses are records, like kernels: they hold parameters and nothing else.
    """

    is_convex = True
    """Whether V(., y) is convex, so that a local minimum is the global one."""

    is_smooth = False
    """Whether V(., y) has a derivative everywhere."""

    has_margin_form = False
    """Whether V(f, y) = L(y f) for y = -1 and +1."""

    has_curvature = False
    """Whether V(., y) has a second derivative, `curvature`, almost everywhere."""

    lipschitz: float = np.inf
    """The smallest s with abs(V(f, y) - V(g, y)) <= s abs(f - g) for all f, g; infinite if there is none."""

    def value(self, f: ArrayLike, y: ArrayLike) -> Array:
        """V(f, y), entry by entry."""
        raise NotImplementedError

    def subgradient(self, f: ArrayLike, y: ArrayLike) -> Array:
        """Some g with V(h, y) >= V(f, y) + g (h - f) for all h, the derivative where there is one."""
        raise NotImplementedError

    def curvature(self, f: ArrayLike, y: ArrayLike) -> Array:
        """The second derivative of V(., y) at f, 0 where there is none."""
        raise ValueError(f"{type(self).__name__} has no second derivative.")

    @property
    def bound(self) -> float:
        """B, the larger of V(0, -1) and V(0, +1): the norm of a minimiser is at most sqrt(B / lam)."""
        return float(np.max(self.value(np.zeros(2), np.array([-1.0, 1.0]))))

    def margin(self, z: ArrayLike) -> Array:
        """L(z), the loss of a point with margin z = y f."""
        if not self.has_margin_form:
            raise ValueError(f"{type(self).__name__} is no function of the margin y f.")
        z = np.asarray(z, dtype=np.float64)
        return self.value(z, np.ones_like(z))

    def population_minimizer(self, p: ArrayLike) -> Array:
        """The f that minimises p V(f, +1) + (1 - p) V(f, -1), where p is the probability of y = +1."""
        raise ValueError(f"no formula is known for the population minimiser of {type(self).__name__}.")


class MarginLoss(Loss):
    """A loss L(y f) for y = -1 and +1; a sub-class defines `margin` and its `slope` L'."""

    has_margin_form = True

    def margin(self, z: ArrayLike) -> Array:
        raise NotImplementedError

    def slope(self, z: ArrayLike) -> Array:
        """L'(z), or some sub-gradient of L at z."""
        raise NotImplementedError

    def bend(self, z: ArrayLike) -> Array:
        """L''(z), where the loss has one."""
        raise ValueError(f"{type(self).__name__} has no second derivative.")

    def value(self, f: ArrayLike, y: ArrayLike) -> Array:
        return self.margin(np.multiply(f, y))

    def subgradient(self, f: ArrayLike, y: ArrayLike) -> Array:
        return np.asarray(y) * self.slope(np.multiply(f, y))

    def curvature(self, f: ArrayLike, y: ArrayLike) -> Array:
        return self.bend(np.multiply(f, y))


def gap(f: ArrayLike, y: ArrayLike) -> Any:
    """f - y in double precision."""
    return np.subtract(f, y, dtype=np.float64)


def shortfall(z: ArrayLike) -> Array:
    """(1 - z)_+, by how much a margin misses 1."""
    return np.maximum(1 - np.asarray(z, dtype=np.float64), 0.0)


def log_odds(p: ArrayLike) -> Array:
    """log(p / (1 - p)), infinite at 0 and 1."""
    p = np.asarray(p, dtype=np.float64)
    with np.errstate(divide="ignore"):
        return np.log(p) - np.log1p(-p)
