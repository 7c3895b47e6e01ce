"""The three ways to say how much a machine is regularised, and their conversions, in one place."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Self

import numpy as np

__all__ = ["Regularization", "consistent_C"]


@dataclass(frozen=True)
class Regularization:
    """How the loss V and the norm are weighed against each other on n points.

        1/n sum V + lam |f|^2        theory: lam stays, n grows
        C sum V + 1/2 |f|^2          support vector machines: C = 1 / (2 lam n)
        sum V + ridge |f|^2          least squares: ridge = lam n is added to the diagonal of K

    All three have the same minimiser. A fixed C is another lam as soon as n changes; leave-one-out keeps the
    ridge (hence C) fixed, not lam. With sample weights n is their sum, so that a point of weight 2 counts
    twice.

    Parameters
    ----------
    lam : float
        Positive.
    n : float
        Number of points, or the sum of their weights.

    Examples
    --------
    >>> from widemargin.regularization import Regularization
    >>> Regularization(lam=0.01, n=50).C
    1.0
    >>> Regularization.from_C(1.0, n=50)
    Regularization(lam=0.01, n=50)
    """

    lam: float
    n: float

    def __post_init__(self) -> None:
        for name in ("lam", "n"):
            _positive(getattr(self, name), name)

    @classmethod
    def from_C(cls, C: float, n: float) -> Self:
        """The same amount of regularisation, from the price C of a unit of loss."""
        return cls(1 / (2 * _positive(C, "C") * _positive(n, "n")), n)

    @classmethod
    def from_ridge(cls, ridge: float, n: float) -> Self:
        """The same amount of regularisation, from what is added to the diagonal of K."""
        return cls(_positive(ridge, "ridge") / _positive(n, "n"), n)

    @property
    def C(self) -> float:
        """The price of a unit of loss: 1 / (2 lam n)."""
        return 1 / (2 * self.lam * self.n)

    @property
    def ridge(self) -> float:
        """What least squares adds to the diagonal of K: lam n."""
        return self.lam * self.n


def _positive(value: float, name: str) -> float:
    if not 0 < value < np.inf:
        raise ValueError(f"{name} must be a positive finite number, not {value!r}.")
    return value


def consistent_C(n: int, c: float = 1.0, beta: float = 0.75) -> float:
    """C = c n^-beta, with which Gaussian machines of the hinge loss come to err as little as possible.

    They do if lam falls to zero and lam^2 n grows without bound: lam = n^(beta - 1) / (2 c) does both for
    1/2 < beta < 1. With a C that stays the same, lam^2 n falls to zero (Steinwart, Consistency of support
    vector machines and other regularized kernel classifiers, 2005).

    Examples
    --------
    >>> from widemargin.regularization import consistent_C
    >>> consistent_C(10_000)
    0.001
    """
    if not 0.5 < beta < 1:
        raise ValueError(f"beta must lie strictly between 1/2 and 1, not {beta!r}.")
    if not (n >= 1 and 0 < c < np.inf):
        raise ValueError(f"n must be at least 1 and c a positive finite number, not {n!r} and {c!r}.")
    return float(c * n**-beta)
