"""The polynomial kernel."""

from typing import Any

import numpy as np

from .. import _core
from .dot import DotKernel
from .validate import finite, natural, positive


class Polynomial(DotKernel):
    """k(x, z) = (gamma <x, z> + coef0)^degree.

    Positive semi-definite for coef0 >= 0. With coef0 = 0 and gamma = 1 its features are all monomials of the
    degree.

    Parameters
    ----------
    degree : int, default=3
        Zero or more.
    gamma : float, default=1.0
        Positive.
    coef0 : float, default=0.0
        Only a positive value is a parameter in `theta`, through its logarithm.

    Examples
    --------
    >>> from widemargin.kernels import Polynomial
    >>> Polynomial(degree=2, coef0=1.0).gram([[1.0, 2.0]], [[3.0, 4.0]])
    array([[144.]])
    """

    def __init__(self, degree: int = 3, gamma: float = 1.0, coef0: float = 0.0):
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0

    @property
    def is_psd(self) -> bool:  # type: ignore[override]
        return self.coef0 >= 0

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        return _core.polynomial(
            x, y, positive("gamma", self.gamma), finite("coef0", self.coef0), natural("degree", self.degree)
        )

    def _slope(self, argument: Any) -> np.ndarray:
        return self.degree * argument ** (self.degree - 1) if self.degree else np.zeros_like(argument)
