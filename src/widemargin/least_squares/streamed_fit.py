"""Least squares with coefficients at a few centres, over rows that come in blocks."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widemargin.unlocked_lapack import eigenvectors

from .fit import LeastSquaresFit
from .frame import copies_of
from .leave_one_out import LeaveOneOut
from .moments import Moments, moments_of
from .normal_factor import NormalFactor, refuse_uncertain
from .path import Path, Ridge, scan
from .singular_system import refuse_overflow
from .spectrum import condition_of
from .stream import Rows, Stream

__all__ = ["fit_stream"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


REFINED = 15
"""All values that two rounds in memory may try, in one round: values cost less than passes."""


def fit_stream(stream: Stream, ridge: Ridge, loo: bool = False) -> LeastSquaresFit:
    """What `fit_low_rank` computes, without ever holding the features of all rows.

    One pass sums up Phi'Phi and Phi'Y. To choose the ridge takes one more for each of two grids, and one for
    the ridge that the second suggests. Leave-one-out residuals are those of the last pass.

    Parameters
    ----------
    stream : Stream
    ridge : float, array or None
        Several to choose from, and None, are for the one of the least leave-one-out error.
    loo : bool
        Whether leave-one-out residuals are wanted though the ridge is given.
    """
    moments = moments_of(stream)
    path = left_out = None
    if not isinstance(ridge, float):
        spectrum = _Spectrum.of(moments)
        path, left_out = _choose(spectrum, stream, ridge)
        ridge = path.best
        v = spectrum.weights(ridge)
    else:
        factor = NormalFactor(moments.normal_matrix(), ridge)
        factor.check()
        v = factor.solve(moments.normal_right)
        left_out = _Spectrum.of(moments).leave_one_out(stream, ridge) if loo else None
    weights, intercept = moments.function(v)
    return LeastSquaresFit(stream.basis.coefficients(weights), intercept, None, ridge, left_out, path)


def _choose(spectrum: _Spectrum, stream: Stream, among: Vector | None) -> tuple[Path, LeaveOneOut]:
    """These ridges or those of `search_grid`, and the leave-one-out residuals of the best one."""
    if among is not None:
        path = Path(among, spectrum.errors(stream, among))
        return path, spectrum.leave_one_out(stream, path.best)
    path = scan(
        lambda ridges: spectrum.errors(stream, ridges), float(spectrum.values.sum()), REFINED, rounds=1
    )
    vertex = path.vertex
    left_out = spectrum.leave_one_out(stream, vertex)
    path = path.joined(np.array([vertex]), np.array([left_out.error]))
    return path, left_out if path.best == vertex else spectrum.leave_one_out(stream, path.best)


@dataclass(frozen=True)
class _Spectrum:
    """F'F = V diag(values) V', and what it says of rows that were left out, see `leave_one_out`."""

    moments: Moments
    values: Vector
    V: Matrix

    @classmethod
    def of(cls, moments: Moments) -> _Spectrum:
        gram = np.asfortranarray(moments.normal_matrix())
        refuse_overflow(gram)
        return cls(moments, np.maximum(eigenvectors(gram), 0.0), gram)

    def weights(self, ridge: float) -> Matrix:
        """(F'F + ridge I)^-1 F'T."""
        refuse_uncertain(condition_of(self.values, ridge), ridge, float(self.values[-1]))
        return self.V @ self._turned(np.array([ridge]))[0]

    def errors(self, stream: Stream, ridges: Vector) -> Vector:
        """Mean squared leave-one-out errors, in one pass."""
        squares = np.zeros(ridges.size)
        for rows, A in stream.features(f"leave-one-out at {ridges.size} values of lam"):
            r, h = self._residuals(rows, A, ridges)
            out = r / _stays(rows, h)[:, :, None]
            squares += np.einsum("i,gik,gik->g", rows.weight, out, out) / out.shape[2]
        return squares / self.moments.total

    def leave_one_out(self, stream: Stream, ridge: float) -> LeaveOneOut:
        """The residuals of all rows, also of those without weight, in one pass."""
        parts, squares, error, copies, leverage = [], 0.0, 0.0, 0.0, 0.0
        for rows, A in stream.features("leave-one-out"):
            (r,), h = self._residuals(rows, A, np.array([ridge]))
            parts.append(r / _stays(rows, h).T)
            squares += float((rows.weight @ r**2).mean())
            error += float((rows.weight @ parts[-1] ** 2).mean())
            copies, leverage = copies + float(copies_of(rows.copies).sum()), leverage + float(h.sum())
        total, left = self.moments.total, copies - leverage
        return LeaveOneOut(np.concatenate(parts), error / total, (copies / left) ** 2 / total * squares)

    def _residuals(self, rows: Rows, A: Matrix, ridges: Vector) -> tuple[NDArray[np.float64], Matrix]:
        """y - f(x), shape (ridges, rows, outputs), and the leverages, shape (ridges, rows)."""
        P = self.moments.framed(A) @ self.V
        turned = self._turned(ridges)
        flat = turned.transpose(1, 0, 2).reshape(len(self.values), -1)
        fitted = (P @ flat).reshape(rows.size, ridges.size, -1).transpose(1, 0, 2)
        h = (P**2 @ (1 / (self.values[:, None] + ridges))).T
        if self.moments.bias == "free":
            h += 1 / self.moments.total
        return rows.Y - self.moments.target_mean - fitted, rows.weight * h

    def _turned(self, ridges: Vector) -> NDArray[np.float64]:
        """(values + ridge)^-1 V'F'T for each ridge, shape (ridges, features, outputs)."""
        return (self.V.T @ self.moments.normal_right) / (self.values + ridges[:, None])[:, :, None]


def _stays(rows: Rows, h: Matrix) -> Matrix:
    """1 - phi h, where a row that stands for several copies loses one of them."""
    return 1 - h / np.maximum(rows.copies, 1.0)
