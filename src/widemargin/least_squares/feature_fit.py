"""Least squares on points that are written out as features."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from .fit import LeastSquaresFit
from .frame import Frame
from .inverse import FeatureInverse
from .leave_one_out import leave_one_out
from .path import Ridge
from .spectral_fit import choose_ridge, solve_at
from .spectrum import FeatureSpectrum

__all__ = ["fit_features"]


def fit_features(
    A: Any, Y: NDArray[np.float64], frame: Frame, ridge: Ridge, loo: bool = True
) -> LeastSquaresFit:
    """The machine with the kernel matrix A A', in O(n d^2 + d^3) for d features.

    Its `weights` v are those of the features, f = A v + intercept. Leave-one-out keeps the features: where
    they were made from the points, they are not made again without each of them.

    Parameters
    ----------
    A : array or CSR array of shape (n, d)
    Y : array of shape (n, outputs)
    frame : Frame
    ridge : float, array or None
        Several to choose from, and None, are for the one of the least leave-one-out error.
    loo : bool
        Whether leave-one-out is wanted though the ridge is given.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.least_squares import Frame, fit_features
    >>> A, Y = np.array([[0.0], [1.0], [2.0]]), np.array([[1.0], [3.0], [5.0]])
    >>> fitted = fit_features(A, Y, Frame(np.ones(3), "free"), ridge=1e-9)
    >>> fitted.weights.round(6), fitted.intercept.round(6)
    (array([[2.]]), array([1.]))
    """
    F, T, path, out = frame.features(A), frame.targets(Y), None, None
    if not isinstance(ridge, float):
        spectrum = FeatureSpectrum(F)
        path = choose_ridge(spectrum, T, frame, among=ridge)
        ridge = path.best
        v = spectrum.weights(T, ridge)
        Z, out = solve_at(spectrum, T, frame, ridge)
    else:
        inverse = FeatureInverse(F, ridge)
        v = inverse.weights(T)
        Z = (T - F.times(v)) / ridge
        out = leave_one_out(frame, Z, inverse.diagonal(), ridge) if loo else None
    weights, intercept = frame.linear_function(A, Y, v)
    return LeastSquaresFit(frame.coefficients(Z), intercept, weights, ridge, out, path)
