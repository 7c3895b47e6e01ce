"""Choosing and using a ridge, once a spectrum is known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from .frame import Frame
from .leave_one_out import LeaveOneOut, leave_one_out
from .path import Path, search_grid
from .spectrum import Spectrum

__all__ = ["choose_ridge", "solve_at"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def choose_ridge(
    spectrum: Spectrum, T: Matrix, frame: Frame, shift: float = 0.0, among: Vector | None = None
) -> Path:
    """The leave-one-out errors of these ridges, or of a grid that is refined around the best."""

    def errors(ridges: Vector) -> Vector:
        parts = zip(spectrum.solve(T, ridges), spectrum.diagonals(ridges), ridges, strict=True)
        return np.array([leave_one_out(frame, *part, shift).error for part in parts])

    if among is not None:
        return Path(among, errors(among))
    return search_grid(errors, spectrum.trace - shift)


def solve_at(
    spectrum: Spectrum, T: Matrix, frame: Frame, ridge: float, shift: float = 0.0
) -> tuple[Matrix, LeaveOneOut]:
    """Z with (M + ridge I) Z = T, and the leave-one-out residuals."""
    one = np.array([ridge])
    Z = spectrum.solve(T, one)[0]
    return Z, leave_one_out(frame, Z, spectrum.diagonals(one)[0], ridge, shift)
