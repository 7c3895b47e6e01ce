"""Least squares with coefficients at a few centres, in memory."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from .basis import Basis
from .coordinates import Coordinates
from .feature_fit import fit_features
from .fit import LeastSquaresFit
from .frame import Frame
from .path import Ridge

__all__ = ["fit_low_rank"]

Matrix = NDArray[np.float64]


def fit_low_rank(
    K: Matrix, basis: Basis | Coordinates, Y: Matrix, frame: Frame, ridge: Ridge, loo: bool = True
) -> LeastSquaresFit:
    """The machine with f = sum_j c_j k(z_j, .) + b, its loss summed over all points ("rectangle").

    Without weights and bias (K_mn K_nm + ridge K_mm) c = K_mn Y. It is the machine with the kernel matrix
    K_nm K_mm^-1 K_mn in place of K, in training and at new points alike (Nystrom's approximation). To use
    that matrix in training and the kernel itself at new points is to mix two machines, and worse than both.

    Leave-one-out keeps the centres.

    Parameters
    ----------
    K : array of shape (n, m), C order
        K_nm, overwritten.
    basis : Basis or Coordinates
    Y : array of shape (n, outputs)
    frame : Frame
    ridge : float, array or None
        Several to choose from, and None, are for the one of the least leave-one-out error.
    loo : bool

    Returns
    -------
    LeastSquaresFit
        Its coefficients are those of the m centres.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.least_squares import Basis, Frame, fit_low_rank
    >>> x = np.linspace(0, 3, 50)[:, None]
    >>> kernel, centres = wm.Gaussian(1.0), x[::5]
    >>> fitted = fit_low_rank(
    ...     kernel.gram(x, centres), Basis(kernel.gram(centres)), np.sin(x), Frame(np.ones(50), "none"), 1e-6
    ... )
    >>> (kernel.gram(np.array([[1.0]]), centres) @ fitted.coefficients).round(2)
    array([[0.84]])
    """
    fitted = fit_features(basis.features(K), Y, frame, ridge, loo)
    assert fitted.weights is not None
    return replace(fitted, coefficients=basis.coefficients(fitted.weights), weights=None)
