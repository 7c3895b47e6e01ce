"""The same for so many centres that Phi'Phi costs too much: by products alone."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas, lapack

from .basis import Basis
from .conjugate_gradient import conjugate_gradient
from .fit import LeastSquaresFit
from .moments import Moments, crossed
from .singular_system import SingularSystem
from .stream import Stream

__all__ = ["fit_stream_by_products"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def fit_stream_by_products(
    stream: Stream, ridge: float, tol: float = 1e-8, max_iter: int = -1
) -> LeastSquaresFit:
    """What `fit_stream` computes for a given ridge, by conjugate gradients, one pass over the rows per step.

    The system is (F'F + ridge I) v = F'T with F = K_nm R^-1 (and the bias, see `Moments`). The features of
    the centres themselves are R', so n / m times their Gram matrix R R' is what F'F should be like; the
    Cholesky factor of that plus the ridge is the preconditioner, and tens of steps are enough however small
    the ridge is (Rudi, Carratino and Rosasco, FALKON, 2017). It holds two matrices of m x m entries and a
    block of kernel values. These are in double precision: R^-1 magnifies their rounding a million times.
    """
    moments = _right_hand_side(stream)
    found = conjugate_gradient(
        _NormalProduct(stream, moments, ridge),
        moments.normal_right,
        precondition=_Preconditioner(stream, moments, ridge),
        tol=tol,
        max_iter=max_iter,
    )
    weights, intercept = moments.function(found.X)
    return LeastSquaresFit(stream.basis.coefficients(weights), intercept, None, ridge, None, None, found)


def _right_hand_side(stream: Stream) -> Moments:
    """All moments but Phi'Phi, in one pass."""
    sums = np.zeros(())
    for rows, K in stream.kernels("right-hand side", 1):
        sums = sums + crossed(rows, K)
    sums[:-1] = stream.basis.dual_coefficients(sums[:-1])
    return Moments.of(stream.bias, None, sums)


@dataclass
class _NormalProduct:
    """V -> (F'F + ridge I) V, in one pass."""

    stream: Stream
    moments: Moments
    ridge: float
    passes: int = 0

    def __call__(self, V: Matrix) -> Matrix:
        self.passes += 1
        weights, intercept = replace(self.moments, target_sums=np.zeros(V.shape[1])).function(V)
        c = self.stream.basis.coefficients(weights)
        into, sums = np.zeros(c.shape), np.zeros(V.shape[1])
        for rows, K in self.stream.kernels(f"conjugate gradients, pass {self.passes}", c.shape[1]):
            f = rows.weight[:, None] * (K @ c + intercept)
            into += K.T @ f
            sums += f.sum(axis=0)
        product = self.stream.basis.dual_coefficients(into)
        if self.moments.bias == "penalised":
            product = np.vstack([product, sums])
        elif self.moments.bias == "free":
            product -= np.outer(self.moments.mean, sums)
        return product + self.ridge * V


class _Preconditioner:
    """V -> (n/m times the Gram matrix of the centres' features + ridge I)^-1 V; n is the sum of weights."""

    def __init__(self, stream: Stream, moments: Moments, ridge: float) -> None:
        assert isinstance(stream.basis, Basis)
        m, R = stream.basis.size, stream.basis.R
        P, _ = lapack.dlauum(R, lower=0)
        if moments.bias == "free":
            P = blas.dsyr(-float(m), _row_means(R), a=P, lower=0, overwrite_a=1)
        P *= moments.total / m
        np.einsum("ii->i", P)[...] += ridge
        self._factor, fault = lapack.dpotrf(P, lower=0, clean=0, overwrite_a=1)
        if fault:
            raise SingularSystem(ridge, float(moments.total))
        self._constant = moments.total + ridge

    def __call__(self, V: Matrix) -> Matrix:
        m = self._factor.shape[0]
        solved, _ = lapack.dpotrs(self._factor, np.asfortranarray(V[:m]), lower=0)
        return np.vstack([solved, V[m:] / self._constant])


def _row_means(R: Any) -> Vector:
    """Means of the rows of an upper triangle, below which there may be anything."""
    return np.array([R[i, i:].sum() for i in range(len(R))]) / len(R)
