"""What a least-squares machine on features needs to know of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import blas

from .stream import Rows, Stream

__all__ = ["Moments", "crossed", "moments_of"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]


@dataclass(frozen=True)
class Moments:
    """Sums over rows with features phi, targets y and weights w, and the ridge system they make up.

    The features F and targets T of that system are those of `Frame`: phi as it is (no bias), with a constant
    feature (penalised), or minus its mean (free; the same for y), times the roots of the weights.

    Parameters
    ----------
    bias : one of `BIASES`
    gram : array of shape (m, m), or None
        sum w phi phi', where it was asked for.
    right : array of shape (m, outputs)
        sum w phi y'.
    sums : array of shape (m,)
        sum w phi.
    target_sums : array of shape (outputs,)
        sum w y.
    total : float
        sum w.
    """

    bias: str
    gram: Matrix | None
    right: Matrix
    sums: Vector
    target_sums: Vector
    total: float

    @classmethod
    def of(cls, bias: str, gram: Matrix | None, sums: Matrix) -> Moments:
        """From the sums of `crossed`."""
        return cls(bias, gram, sums[:-1, 1:], sums[:-1, 0], sums[-1, 1:], float(sums[-1, 0]))

    @property
    def mean(self) -> Vector:
        """What is taken away from phi."""
        return self.sums / self.total if self.bias == "free" else np.zeros_like(self.sums)

    @property
    def target_mean(self) -> Vector:
        """What is taken away from y."""
        free = self.bias == "free"
        return self.target_sums / self.total if free else np.zeros_like(self.target_sums)

    def normal_matrix(self) -> Matrix:
        """F'F, a fresh array."""
        assert self.gram is not None
        match self.bias:
            case "free":
                return self.gram - np.outer(self.sums, self.mean)
            case "penalised":
                border = np.append(self.sums, self.total)
                return np.vstack([np.column_stack([self.gram, self.sums]), border])
            case _:
                return self.gram.copy()

    @cached_property
    def normal_right(self) -> Matrix:
        """F'T."""
        match self.bias:
            case "free":
                return self.right - np.outer(self.sums, self.target_mean)
            case "penalised":
                return np.vstack([self.right, self.target_sums])
            case _:
                return self.right

    def framed(self, A: Matrix) -> Matrix:
        """Rows of F, up to their weights, from rows of phi."""
        if self.bias == "penalised":
            return np.hstack([A, np.ones((len(A), 1))])
        return A - self.mean if self.bias == "free" else A

    def function(self, v: Matrix) -> tuple[Matrix, Vector]:
        """Weights of phi and the intercept, from the solution of the system."""
        if self.bias == "penalised":
            return v[:-1], v[-1]
        return v, self.target_mean - self.mean @ v


def crossed(rows: Rows, A: Matrix) -> Matrix:
    """[Phi 1]' W [1 Y] of some rows with features A: all sums but Phi'W Phi in one matrix."""
    weighted = rows.weight[:, None] * np.column_stack([np.ones(rows.size), rows.Y])
    return np.vstack([A.T @ weighted, weighted.sum(axis=0)])


def moments_of(stream: Stream) -> Moments:
    """One pass: n m^2 multiplications, by BLAS, for each half of the symmetric sum and for the features."""
    m = stream.basis.size
    gram, sums = np.zeros((m, m), order="F"), np.zeros(())
    for rows, A in stream.features("normal equations"):
        sums = sums + crossed(rows, A)
        if not (rows.weight == 1).all():
            A *= np.sqrt(rows.weight)[:, None]
        gram = blas.dsyrk(1.0, A.T, beta=1.0, c=gram, lower=0, overwrite_c=1)
    gram += np.triu(gram, 1).T
    return Moments.of(stream.bias, gram, sums)
