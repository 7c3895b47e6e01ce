"""The linear system of a Newton step."""

from __future__ import annotations

import numpy as np

from widemargin.problems import GROUNDED, Vector
from widemargin.solvers.interior.matrix import KernelMatrix, Look, Matrix
from widemargin.solvers.interior.program import Program

FLOOR = 1e-13
"""Curvature, relative to the largest K_ii, that a variable without bounds and ridge is lent."""

REFINEMENTS = 3
"""Times that the residual of a system is solved for, at most."""

GOOD = 1e-13
"""The residual, relative to the right-hand side, below which nothing more is gained."""


class NewtonSystem:
    """[[H, E], [E', 0]] [x, nu] = [b, c]   with   H = P K P' + diag(D)

    for a program whose m variables sit on n points (P has a one for each variable at its point) and whose
    groups are the columns of E.

    Variables of one point are like resistors in parallel: with 1/d_p the sum of 1/D_v over them, their sum
    w = P'x solves the n x n system (K + diag(d)) w = r, r_p being the mean of b over them, weighted by 1/D_v.
    A regression has 2n variables, and its system the size of a classification's.

    Parameters
    ----------
    D : array of shape (m,)
        Not negative; raised to rounding size where it is zero, which makes a step of a singular system short
        instead of infinite.
    """

    def __init__(self, program: Program, matrix: KernelMatrix, D: Vector, look: Look) -> None:
        self._program, self._matrix = program, matrix
        self._loose = program.loose
        self._D = np.where(self._loose, np.inf, np.maximum(D, FLOOR * matrix.largest))
        self._order_points()
        self._point_solve = matrix.solver(self._d, look) if program.rows.size else lambda r: r
        groups = program.sums.size
        E = (program.group[:, None] == np.arange(groups)).astype(float)
        self._HE = self._without_sums(E)
        free = np.flatnonzero(self._loose)
        F = E[free].T
        self._border = np.block([[E.T @ self._HE, -F], [F.T, np.zeros((free.size, free.size))]])

    def _order_points(self) -> None:
        """Which variable of each point yields most, and the parallel sum of the D of each point."""
        program = self._program
        conductance = program.by_point(1.0 / self._D)
        self._d = 1.0 / conductance
        self._shared = program.rows.size < np.count_nonzero(program.point != GROUNDED)
        if self._shared:
            softest = np.empty(program.rows.size, dtype=np.intp)
            order = np.argsort(-self._D, kind="stable")
            order = order[program.point[order] != GROUNDED]
            softest[program.point[order]] = order  # the last written is the one with the least D
            self._softest = np.where(program.point == GROUNDED, -1, softest[program.point])

    def solve(self, b: Vector, c: Vector) -> tuple[Vector, Vector]:
        """x and nu, refined until their residual is rounding."""
        x, nu = self._once(b, c)
        size = self._size(b, c)
        before = np.inf
        for _ in range(REFINEMENTS):
            rb, rc = self._residual(b, c, x, nu)
            now = self._size(rb, rc)
            if not GOOD * size < now < 0.5 * before:
                break
            dx, dnu = self._once(rb, rc)
            x, nu, before = x + dx, nu + dnu, now
        return x, nu

    def times(self, x: Vector) -> Vector:
        """H x, loose variables having no part in it."""
        stiff = np.where(self._loose, 0.0, self._D) * x
        return stiff + self._program.by_variable(self._matrix.times(self._program.by_point(x)))

    def _residual(self, b: Vector, c: Vector, x: Vector, nu: Vector) -> tuple[Vector, Vector]:
        return b - self.times(x) - nu[self._program.group], c - self._program.by_group(x)

    def _size(self, b: Vector, c: Vector) -> float:
        """The largest entry of a right-hand side, each beside the curvature of its variable."""
        stiffness = np.where(self._loose, 1.0, self._D) + self._program.by_variable(self._matrix.diagonal)
        return float(max(np.abs(b / np.sqrt(stiffness)).max(initial=0.0), np.abs(c).max(initial=0.0)))

    def _once(self, b: Vector, c: Vector) -> tuple[Vector, Vector]:
        free = np.flatnonzero(self._loose)
        p = self._without_sums(b[:, None])[:, 0]
        right = np.concatenate([self._program.by_group(p) - c, b[free]])
        solved = _solved(self._border, right)
        nu = solved[: c.size]
        x = p - self._HE @ nu
        x[free] = solved[c.size :]
        return x, nu

    def _without_sums(self, b: Matrix) -> Matrix:
        """H^-1 b, column by column."""
        program, D = self._program, self._D[:, None]
        on_point = program.point != GROUNDED
        x = np.zeros_like(b)
        x[~on_point] = b[~on_point] / D[~on_point]
        if not program.rows.size:
            return x
        if not self._shared:
            r = np.empty((program.rows.size, b.shape[1]))
            r[program.point[on_point]] = b[on_point]
            x[on_point] = self._point_solve(r)[program.point[on_point]]
            return x
        # Differences from the softest variable of the point, so that nothing cancels beside its small D.
        v, point = np.flatnonzero(on_point), program.point[on_point]
        soft = self._softest[v]
        apart = b[v] - b[soft]
        mean = np.zeros((program.rows.size, b.shape[1]))
        np.add.at(mean, point, apart / D[v])
        mean *= self._d[:, None]
        r = np.empty_like(mean)
        r[point] = b[soft]
        w = self._point_solve(r + mean)
        x[v] = (apart - mean[point] + self._d[point, None] * w[point]) / D[v]
        return x


def _solved(A: Matrix, b: Vector) -> Vector:
    """A^-1 b for a small matrix; the shortest solution if it is singular."""
    try:
        return np.asarray(np.linalg.solve(A, b), dtype=np.float64)
    except np.linalg.LinAlgError:
        return np.asarray(np.linalg.lstsq(A, b, rcond=None)[0], dtype=np.float64)
