"""Mehrotra's predictor-corrector method."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from widemargin.problems import Vector
from widemargin.solvers.interior.interior_solver import InteriorSolver
from widemargin.solvers.interior.newton_system import NewtonSystem
from widemargin.solvers.interior.point import Point
from widemargin.solvers.interior.run import Run
from widemargin.solvers.solution import Status

TO_THE_BOUND = 0.995
"""The share of the way to the nearest bound that a step goes."""

SHORTEST = 1e-10
"""Steps below this lead nowhere."""

MOST = 200
"""Steps after which a run that has not ended will not."""

NOTHING = 1e-18
"""A gap below this, relative to the objective, has been lost in rounding."""


class Mehrotra(InteriorSolver):
    """Primal-dual steps: predict where the optimum is, centre, and correct for the curvature of the path.

    Variables and multipliers move together towards

        Q a - linear + E nu - u + v = 0,   (a - lower) u = (upper - a) v = 0,   sums fixed.

    The affine step goes for zero products at once; how far it gets decides how much of the mean product to
    keep, sigma = (its mean product / the present one)^3, and its second-order error is put into the right
    side of a second system with the same factor. Ten to twenty steps are usual, where :class:`LogBarrier`
    takes fifty; the systems are the same.

    Parameters
    ----------
    epsilon : float, default=1e-4
        Duality gap at the end, at most. The run also goes on until the KKT violation is at most the
        tolerance of `Stop`.
    low_rank : bool, default=True
        Whether to look for thin factors of the kernel matrix; without them all systems are n x n.
    trace : int, default=0
        Record every so many steps: gap (the sum of all products), sigma, step, residual (of the gradient),
        objective, violation and seconds; 0 records nothing.

    References
    ----------
    Mehrotra, On the implementation of a primal-dual interior point method, SIAM J. Optimization 2, 1992.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin import Gaussian, Mehrotra
    >>> from widemargin.problems import soft_margin
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> problem = soft_margin(np.array([-1, -1, 1, 1]), C=1.0)
    >>> solution = Mehrotra().solve(problem, Gaussian(gamma=0.5).bind(X))
    >>> solution.status.name, solution.iterations < 20
    ('OPTIMAL', True)
    """

    def __init__(self, epsilon: float = 1e-4, *, low_rank: bool = True, trace: int = 0):
        self.epsilon = epsilon
        self.low_rank = low_rank
        self.trace = trace
        self._check()

    def _walk(self, run: Run, point: Point) -> Status:
        point = _with_first_multipliers(run, point)
        for _ in range(MOST):
            gradient = run.gradient(point.a)
            residual = gradient + point.nu[run.program.group] - point.u + point.v
            if self._near(run, point, residual) and run.settles(point):
                return Status.OPTIMAL
            if run.is_endless(point, gradient):
                return Status.UNBOUNDED
            if self._exhausted(run, point, residual):
                return Status.STALLED
            system = run.system(point.stiffness() + run.program.ridge)
            lacking = run.program.sums - run.program.by_group(point.a)
            below_u, above_v = point.products()
            affine = Direction.towards(point, system, residual, lacking, -below_u, -above_v)
            sigma, changes = _centred(run, point, affine)
            step = Direction.towards(point, system, residual, lacking, *changes)
            length = min(1.0, TO_THE_BOUND * step.room(point))
            if not length > SHORTEST:
                return Status.STALLED
            run.watch.count_step()
            point = step.taken(run, point, length)
            run.note(
                point,
                run.gradient(point.a),
                gap=point.complementarity(),
                sigma=sigma,
                step=length,
                residual=float(np.abs(residual).max(initial=0.0)),
            )
        return Status.STALLED

    def _near(self, run: Run, point: Point, residual: Vector) -> bool:
        """Whether it pays to see what the point leads to."""
        return point.complementarity() <= self.epsilon and bool(
            np.abs(residual).max(initial=0.0) <= max(run.watch.stop.tol, 1e-9)
        )

    def _exhausted(self, run: Run, point: Point, residual: Vector) -> bool:
        """Whether further steps could not be told from rounding."""
        settled = np.abs(residual).max(initial=0.0) <= run.watch.stop.tol
        return settled and point.complementarity() <= NOTHING * max(1.0, abs(run.watch.progress.objective))


def _with_first_multipliers(run: Run, point: Point) -> Point:
    """u - v as the gradient asks for wherever both bounds are finite, and none of them small."""
    gradient = run.gradient(point.a)
    groups = np.maximum(np.bincount(run.program.group), 1)
    nu = -run.program.by_group(gradient) / groups
    slope = gradient + nu[run.program.group]
    least = float(np.abs(slope).mean()) or 1.0
    u = np.where(np.isfinite(point.below), np.maximum(slope, 0.0) + least, 0.0)
    v = np.where(np.isfinite(point.above), np.maximum(-slope, 0.0) + least, 0.0)
    return point.with_multipliers(u, v, nu)


@dataclass(frozen=True, eq=False)
class Direction:
    """Changes of variables and multipliers."""

    da: Vector
    du: Vector
    dv: Vector
    dnu: Vector

    @classmethod
    def towards(
        cls,
        point: Point,
        system: NewtonSystem,
        residual: Vector,
        lacking: Vector,
        of_u: Vector,
        of_v: Vector,
    ) -> Direction:
        """The step of Newton that changes the products below u and above v by `of_u` and `of_v`."""
        over_below, over_above = of_u / point.below, of_v / point.above
        da, dnu = system.solve(over_below - over_above - residual, lacking)
        du = over_below - point.u / point.below * da
        dv = over_above + point.v / point.above * da
        return cls(da, du, dv, dnu)

    def room(self, point: Point) -> float:
        """The largest step that leaves distances and multipliers positive."""
        falling_u, falling_v = self.du < 0, self.dv < 0
        return min(
            point.room(self.da),
            float((point.u[falling_u] / -self.du[falling_u]).min(initial=np.inf)),
            float((point.v[falling_v] / -self.dv[falling_v]).min(initial=np.inf)),
        )

    def taken(self, run: Run, point: Point, length: float) -> Point:
        """The point after a step of this length."""
        moved = point.moved(run.program, length * self.da)
        return moved.with_multipliers(
            point.u + length * self.du, point.v + length * self.dv, point.nu + length * self.dnu
        )


def _centred(run: Run, point: Point, affine: Direction) -> tuple[float, tuple[Vector, Vector]]:
    """sigma, and how the products are to change for it, less the second-order term of the affine step."""
    below_u, above_v = point.products()
    mean = point.complementarity() / max(run.program.inequalities, 1)
    if not mean > 0:
        return 0.0, (-below_u, -above_v)
    reached = affine.taken(run, point, min(1.0, affine.room(point))).complementarity()
    sigma = min(1.0, (reached / point.complementarity()) ** 3)
    of_u = sigma * mean - below_u - affine.da * affine.du
    of_v = sigma * mean - above_v + affine.da * affine.dv
    bounded = np.isfinite(point.below), np.isfinite(point.above)
    return sigma, (np.where(bounded[0], of_u, 0.0), np.where(bounded[1], of_v, 0.0))
