"""How a solution answers to small changes."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import GROUNDED, Vector
from widemargin.sensitivity.active_set import ActiveSet, Rows
from widemargin.solvers import FreeSet

Matrix = NDArray[np.float64]


class Pulled(NamedTuple):
    """The derivative of a number in everything that a solution depends on, from one linear system."""

    by_target: Vector
    """v: in the target of each free point (or end). In the kernel it is -v_i c_j for the entry K_ij."""

    by_log_price: Vector
    """In the logarithm of the price C_i of each point."""


class Response:
    """The derivatives of a solution, from the linear system among its free points.

    With F the free, B the bounded points and a ridge R (the squared hinge loss has R = 1 / C),

        H (c_F; b) = (t_F - K_FB c_B; -1'c_B),      H = [[K_FF + R_F, 1], [1', 0]],

    so that a change of targets, kernel, ridge and bounds moves the solution by

        H (dc_F; db) = (dt_F - (dK c)_F - dR_F c_F - K_FB dc_B; -1'dc_B),       dc_B = c_B dlog C_B.

    That is the direct form, `push`, one system per parameter. A number that depends on the solution through
    p'dc + s db needs one system in all, the adjoint form `pull`: with H (v; u) = (p_F; s) it moves by

        v'(dt_F - (dK c)_F - dR_F c_F) + (p_B - K_BF v - u)'dc_B.

    Without a bias the border is missing. If no point is free, c moves with C only, and b with the ends of its
    interval.

    Parameters
    ----------
    active : ActiveSet
    gram : Gram
        The kernel matrix of the points.

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, PhD thesis, Bochum, 2008, chapter 8.
    """

    def __init__(self, active: ActiveSet, gram: Any) -> None:
        self.active = active
        self.gram = gram

    def at(self, coefficients: Vector) -> Response:
        """The same system at other coefficients, where the same points are free and bounded."""
        other = Response(replace(self.active, coefficients=coefficients), self.gram)
        other.free_set = self.free_set
        return other

    def pull(self, p: Vector, s: float) -> Pulled:
        """The derivative of what moves by p'dc + s db; p has an entry per point."""
        active, c = self.active, self.active.coefficients
        v, by_coefficient = np.zeros(c.size), np.zeros(c.size)
        fixing, bounded = self._fixing, active.bounded
        u = 0.0
        if active.free.size:
            v[fixing], u = self._solve(p[fixing], s)
        elif fixing.size:
            v[fixing] = s / fixing.size
        by_coefficient[bounded] = p[bounded] - u
        if bounded.size and fixing.size:
            by_coefficient[bounded] -= self._block(bounded, fixing) @ v[fixing]
        return Pulled(v, c * (by_coefficient + active.ridge * v))

    def push(self, targets: Matrix, by_log_price: Matrix) -> tuple[Matrix, Vector]:
        """The derivatives (dc, db) for the columns of dt - dK c, and of dlog C, both by point."""
        active, c = self.active, self.active.coefficients[:, None]
        dc, db = np.zeros(targets.shape), np.zeros(targets.shape[1])
        fixing, bounded = self._fixing, active.bounded
        dc[bounded] = c[bounded] * by_log_price[bounded]
        right = (targets + active.ridge[:, None] * c * by_log_price)[fixing]
        if bounded.size and fixing.size:
            right -= self._block(fixing, bounded) @ dc[bounded]
        if active.free.size:
            for column in range(right.shape[1]):
                dc[fixing, column], db[column] = self._solve(right[:, column], -dc[bounded, column].sum())
        elif fixing.size:
            db = right.mean(axis=0)
        return dc, db

    @property
    def _fixing(self) -> Rows:
        """The points whose values are fixed: the free ones, or the ends of the interval of b."""
        return self.active.free if self.active.free.size else self.active.ends

    @cached_property
    def free_set(self) -> FreeSet:
        """The factorised system; without a bias a grounded variable is its last."""
        points = self.active.free.tolist()
        ridge = self.active.ridge[self.active.free].tolist()
        if not self.active.has_bias:
            points, ridge = [*points, GROUNDED], [*ridge, 0.0]
        return FreeSet(self.gram, points, ridge=ridge)

    def _solve(self, right: Vector, s: float) -> tuple[Vector, float]:
        if self.active.has_bias:
            d, r = self.free_set.solve(right, s)
            return d, float(r[0])
        d, _ = self.free_set.solve(np.append(right, 0.0), 0.0)
        return d[:-1], 0.0

    def _block(self, rows: Rows, columns: Rows) -> Matrix:
        return np.asarray(self.gram.block(rows, columns))
