"""How far support vectors are from the span of the others."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import Vector
from widemargin.selection.workbench import Machine

Matrix = NDArray[np.float64]

ROUNDING = 1e-12
"""Spans longer than all points, by the inverse of this, are infinite."""


class Spans(NamedTuple):
    """The spans of the support vectors of a machine with free points F, in the feature space.

    S_i^2 = min_z z'(K + R)z - R_i  over  z_i = 1,  z_j = 0 outside F and i,  sum z = 0 (with a bias)

    is the squared distance of x_i to the affine span of the free support vectors, R the ridge of the squared
    hinge loss. As long as removing x_i makes no other point free or bounded, it lowers y_i f(x_i) by alpha_i
    S_i^2.
    """

    points: NDArray[np.int32]
    squares: Vector
    """Infinite where nothing is left that could take the place of a point."""

    Z: Matrix
    """A row for each point: the best z, by which the square depends on the kernel. Zero where infinite."""


def spans(machine: Machine) -> Spans | None:
    """The spans of all support vectors; None if no point is free, when they have no meaning."""
    active, gram = machine.active, machine.gram
    free, bounded = active.free, active.bounded
    if not free.size:
        return None
    F = machine.response.free_set
    n, m = gram.shape[0], free.size
    identity = np.zeros((len(F), m))
    identity[:m] = np.eye(m)
    inverse = F.solve(identity)[0][:m]
    pivots, scale = np.diag(inverse), float(gram.diagonal()[free].max())
    # A point alone in the free set of a machine with bias cannot be replaced.
    usable = (pivots * scale > ROUNDING) & (len(F) > 1)
    Z = np.zeros((m + bounded.size, n))
    with np.errstate(divide="ignore"):
        squares = np.where(usable, 1 / np.where(usable, pivots, 1.0), np.inf)
    Z[np.ix_(np.flatnonzero(usable), free)] = (inverse[:, usable] * squares[usable]).T
    squares = squares - active.ridge[free]
    if bounded.size:
        v = np.zeros((len(F), bounded.size))
        v[:m] = gram.block(free, bounded)
        d, r = F.solve(v, 1.0 if active.has_bias else 0.0)
        Z[np.ix_(m + np.arange(bounded.size), free)] = -d[:m].T
        Z[m + np.arange(bounded.size), bounded] = 1.0
        diagonal = gram.diagonal()[bounded]
        squares = np.append(squares, np.maximum(0.0, diagonal - (v * d).sum(axis=0) - r[0]))
    return Spans(np.concatenate([free, bounded]), squares, Z)
