"""A first choice of the kernel, by least squares and leave-one-out in closed form."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from scipy.linalg import eigh

from widemargin.selection.auto.relevance import metric
from widemargin.threads import single_threaded_blas

Vector = NDArray[np.float64]
Matrix = NDArray[np.float64]

RIDGES = 4.0 ** np.arange(-6, 4)
STEP = 4.0
"""Factor between the gammas of a ladder."""

FIRST, LOWEST, HIGHEST = -1, -4, 4
"""Rungs: gamma is STEP^rung divided by the median squared distance."""

POWERS = (0.0, 0.5)
"""Of the relevance of features; 0 is the radial kernel. The relevance itself wins with the
200 points of a half, but loses with more."""

CAUTION = 4.0
"""What a squared step away from the first rung costs, in squared errors of a constant."""

Halves = tuple[NDArray[np.intp], NDArray[np.intp]]


@dataclass(frozen=True)
class Rung:
    """A kernel and its mean squared leave-one-out error at the best ridge, 1 being that of a constant."""

    power: float
    rung: int
    error: float


def screen(
    X: Any,
    groups: NDArray[np.integer],
    Y: Matrix,
    halves: Halves,
    is_over: Callable[[], bool],
) -> list[Rung]:
    """The best rung of the ladder of gammas for each power of the relevance, the radial kernel first.

    The relevance that weights the features of one half of the points is computed from the other half, lest
    it knows the targets it is judged by. A ladder is climbed from the rung that was the best before, as long
    as the error falls.
    """
    found: list[Rung] = []
    begin = FIRST
    with single_threaded_blas():  # the matrices are too small for more
        for power in POWERS:
            ladder = Ladder(X, groups, Y, halves, power)
            found.append(ladder.climb(begin, is_over))
            begin = found[-1].rung
            if is_over():
                break
    return found


class Ladder:
    """Leave-one-out errors of least squares with one metric, for gammas by rungs."""

    def __init__(
        self,
        X: Any,
        groups: NDArray[np.integer],
        Y: Matrix,
        halves: Halves,
        power: float,
    ) -> None:
        self.power = power
        self.points = sum(half.size for half in halves)
        self.parts = []
        for mine, other in (halves, halves[::-1]):
            distances = squared_distances(X[mine], metric(X[other], groups[other], power))
            targets = Y[mine] - Y[mine].mean(axis=0)
            self.parts.append((distances / typical(distances), targets))
        self.known: dict[int, Rung] = {}

    def climb(self, begin: int, is_over: Callable[[], bool]) -> Rung:
        """The best rung near `begin`."""
        best = self.at(begin)
        for direction in (1, -1):
            while not is_over() and LOWEST <= (rung := best.rung + direction) <= HIGHEST:
                other = self.at(rung)
                if self.judgement(other) >= self.judgement(best):
                    break
                best = other
            if best.rung != begin:
                break
        return best

    def judgement(self, rung: Rung) -> float:
        """Its error, and a little for every step from the first one: ladders may be flat."""
        return rung.error + CAUTION * (rung.rung - FIRST) ** 2 / self.points

    def at(self, rung: int) -> Rung:
        """The error on this rung, at the best ridge for both halves."""
        if rung not in self.known:
            squares = np.concatenate([left_out_squares(STEP**rung, *part) for part in self.parts], axis=1)
            self.known[rung] = Rung(self.power, rung, float(squares.mean(axis=1).min()))
        return self.known[rung]


def left_out_squares(gamma: float, distances: Matrix, targets: Matrix) -> Matrix:
    """Squared leave-one-out residuals (ridges by points) relative to the variance of the targets.

    With K = U S U' and G = (K + ridge I)^-1 they are (G y)_i / G_ii, for all ridges from one decomposition.
    Single precision is plenty for ridges from 1/4096.
    """
    S, U = eigh(np.exp(-gamma * distances).astype(np.float32), driver="evd", check_finite=False)
    shrunk = 1 / (np.maximum(S, 0)[:, None] + RIDGES.astype(np.float32))
    diagonal = (U * U) @ shrunk
    projected = U.T @ targets.astype(np.float32)
    squares = np.zeros((len(RIDGES), len(targets)))
    for column in projected.T:
        squares += ((U @ (column[:, None] * shrunk)) / diagonal).T.astype(np.float64) ** 2
    return squares / max(float((targets**2).sum(axis=1).mean()), 1e-300)


def squared_distances(X: Any, weights: Vector) -> Matrix:
    """sum_d w_d (x_id - x_jd)^2 for all pairs of rows."""
    root = np.sqrt(weights)
    if sp.issparse(X):
        scaled = X.multiply(root[None, :]).tocsr()
        products = (scaled @ scaled.T).toarray()
    else:
        scaled = X * root
        products = scaled @ scaled.T
    squares = np.diag(products)
    return np.maximum(squares[:, None] + squares[None, :] - 2 * products, 0.0)


def typical(distances: Matrix) -> float:
    """The median of the squared distances that are not zero; 1 if all are."""
    positive = distances[distances > 1e-12 * max(distances.max(), 1e-300)]
    return float(np.median(positive)) if positive.size else 1.0
