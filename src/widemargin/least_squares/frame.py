"""Weights and biases turned into a plain ridge system."""

from __future__ import annotations

from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import blas

from widemargin.kernels.row_blocks import row_blocks

from .features import Features

__all__ = ["BIASES", "Frame"]

BIASES = ("none", "free", "penalised")

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


def copies_of(weight: Vector) -> Vector:
    """How many points each one stands for: a weight up to 1 is one point, that of 0 none."""
    return np.maximum(weight, weight > 0)


class Frame:
    """The scaled and centred coordinates in which every least-squares machine is one system.

    The machine minimises, over f = g + b with g in the kernel's Hilbert space,

        sum_i w_i (y_i - f(x_i))^2 + ridge |g|^2.

    With D = diag(d), d = sqrt(w), its coefficients are c = D z, where

        (M + ridge I) z = t

    and, depending on the bias,

        none        M = D K D,             t = D y,      b = 0
        penalised   M = D (K + 1 1') D,    t = D y,      b = sum c    (ridge b^2 is part of the price)
        free        M = P D K D P,         t = P D y,    b = mean of y - Kc, weighted by w

    P = I - q q' with q = d / |d| projects onto what a constant cannot explain: the bordered system of the
    least-squares SVM, [[0, 1'], [1, K + ridge W^-1]] (b; c) = (0; y), without its border. Then M q = 0, and
    what the border does to the inverse is to take q q' / ridge away.

    Parameters
    ----------
    weight : array of shape (n,)
        Positive.
    bias : {"none", "free", "penalised"}
    copies : array of shape (n,), optional
        How many points each one stands for, at least one, of which one can be left out (default: `weight`).
    """

    def __init__(self, weight: Vector, bias: str, copies: Vector | None = None) -> None:
        self.weight = weight
        self.bias = bias
        self.copies = copies_of(weight) if copies is None else copies_of(copies)

    def part(self, some: NDArray[np.integer]) -> Frame:
        """The frame of some of the points."""
        return Frame(self.weight[some], self.bias, self.copies[some])

    @property
    def size(self) -> int:
        """Number of points."""
        return self.weight.size

    @cached_property
    def total(self) -> float:
        """The sum of the weights."""
        return float(self.weight.sum())

    @cached_property
    def scale(self) -> Vector:
        """d, the square roots of the weights."""
        return np.sqrt(self.weight)

    @cached_property
    def constant(self) -> Vector | None:
        """q, the unit vector that a free bias takes out of the system; None for other biases."""
        return self.scale / np.sqrt(self.total) if self.bias == "free" else None

    def targets(self, Y: Matrix) -> Matrix:
        """The right-hand sides t, one column per output."""
        return self.scale[:, None] * (Y - self._mean(Y) if self.bias == "free" else Y)

    def mean_row(self, K: Matrix) -> Vector:
        """w'K / sum w, from the lower triangle of K."""
        return blas.dsymv(1 / self.total, K.T, self.weight, lower=0)

    def matrix(self, K: Matrix, mean_row: Vector | None = None, shift: float = 0.0) -> Matrix:
        """M in place of K, of which only the lower triangle is read and written.

        For a free bias this needs `mean_row` and gives M + shift q q': solutions for right-hand sides without
        a part along q stay the same, and the matrix has no eigenvalue of zero that rounding could blur.
        """
        for block in row_blocks(*K.shape):
            part, left, right = K[block, : block.stop], block, slice(block.stop)
            if self.bias == "penalised":
                part += 1.0
            if mean_row is not None:
                mean = (float(self.weight @ mean_row) + shift) / self.total
                part -= (mean_row[left] - mean)[:, None]
                part -= mean_row[right]
            if not self._is_unweighted:
                part *= self.scale[left, None]
                part *= self.scale[right]
        return K

    def features(self, A: Any) -> Features:
        """Features F with M = F F', from features A with K = A A'; sparse ones stay sparse."""
        if sp.issparse(A):
            A = sp.csr_array(A, dtype=np.float64)
            if self.bias == "penalised":
                A = sp.hstack([A, np.ones((self.size, 1))], format="csr")
            return Features(A if self._is_unweighted else sp.diags_array(self.scale) @ A, self.constant)
        A = np.asarray(A, dtype=np.float64)
        if self.bias == "penalised":
            A = np.hstack([A, np.ones((self.size, 1))])
        if self.bias == "free":
            A = A - self._mean(A)
        return Features(A if self._is_unweighted else self.scale[:, None] * A)

    def product(self, product: Any) -> Any:
        """The map V -> M V, from the map V -> K V."""

        def apply(V: Matrix) -> Matrix:
            V = self.scale[:, None] * self.project(V)
            KV = product(V)
            if self.bias == "penalised":
                KV = KV + V.sum(axis=0)
            return self.project(self.scale[:, None] * KV)

        return apply

    def diagonal(self, K_diagonal: Vector) -> Vector:
        """The diagonal of M, up to what centring takes away from it."""
        return self.weight * (K_diagonal + (self.bias == "penalised"))

    def project(self, V: Matrix) -> Matrix:
        """P V for a free bias, V for others."""
        q = self.constant
        return V if q is None else V - np.outer(q, q @ V)

    def coefficients(self, Z: Matrix) -> Matrix:
        """c = D z."""
        return self.scale[:, None] * Z

    def intercept(self, Y: Matrix, c: Matrix, mean_row: Vector | None = None) -> Vector:
        """b, one per output; a free one needs `mean_row`, w'K / sum w."""
        if self.bias == "free":
            assert mean_row is not None
            return self._mean(Y) - mean_row @ c
        return c.sum(axis=0) if self.bias == "penalised" else np.zeros(Y.shape[1])

    def linear_function(self, A: Any, Y: Matrix, v: Matrix) -> tuple[Matrix, Vector]:
        """Weights of the features A and the intercept, from the weights v of `features(A)`."""
        if self.bias == "penalised":
            return v[:-1], v[-1]
        if self.bias == "free":
            return v, self._mean(Y) - np.asarray(self._mean(A)) @ v
        return v, np.zeros(Y.shape[1])

    @cached_property
    def _is_unweighted(self) -> bool:
        return bool((self.weight == 1).all())

    def _mean(self, Y: Any) -> Any:
        """The mean of the rows, weighted."""
        return (self.weight @ Y) / self.total
