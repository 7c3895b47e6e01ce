"""The log-barrier method."""

from __future__ import annotations

import numpy as np

from widemargin.problems import Vector
from widemargin.solvers.interior.interior_solver import InteriorSolver
from widemargin.solvers.interior.point import Point
from widemargin.solvers.interior.run import Run
from widemargin.solvers.setting import check_between
from widemargin.solvers.solution import Status

SHORTEST = 1e-12
"""Steps below this are rounding."""

OF_THE_WAY = 0.7
"""The most that a step goes of the way to the next bound. From nearby, many more would follow: each at most
doubles a tiny distance. Of 0.5 to 0.99, tried on one kind of data, 0.8 took 5 % fewer steps, and 0.7 spread
less."""

NEARLY = 1e-3
"""Half a squared decrement that is small enough to go on from, where rounding hides the rest."""

MOST = 500
"""Steps after which a point that is not central will not become so; twenty are many."""

NOTHING, LARGEST_T = 1e-18, 1e50
"""A gap of so little, relative to the objective, has been lost in rounding; beyond this t has any other."""


class LogBarrier(InteriorSolver):
    """Follow the central path: Newton's method on the objective with a logarithmic barrier.

        a(t) = argmin  f(a) - (1/t) sum_i [log(a_i - lower_i) + log(upper_i - a_i)],   sums fixed,

    f being the negative of what is maximised, for t = t0, mu t0, mu^2 t0, ... At a(t) the multipliers
    u = 1 / (t (a - lower)) and v = 1 / (t (upper - a)) prove that f(a(t)) is within M/t of the optimum, M
    being the number of finite bounds. At the end variables go to the bounds that they approach, the others
    take one more step of Newton, and the certificate is computed from there.

    A step solves the n x n system of all points by Cholesky (n^3 / 3 operations, 16 n^2 bytes), or, if the
    kernel matrix has a rank r up to n/4, as that of a linear kernel with few features, by the identity of
    Woodbury in n r^2 operations. About fifty steps are needed, whatever n.

    Parameters
    ----------
    epsilon : float, default=1e-4
        Duality gap at the end, at most. The run also goes on until the KKT violation is at most the
        tolerance of `Stop`.
    t0 : float, default=1.0
        The first t.
    mu : float, default=20.0
        What t is multiplied with; from 10 to 100 the number of steps hardly depends on it. Far larger
        ones cost more: after a long jump of t the bounds are in the way, and let only short steps through.
        With 200 points there were 50 steps for 20, 80 for 1,000, 125 for 10,000 and 1,100 for 1e9.
    newton_epsilon : float, default=1e-3
        A point is central if half the squared Newton decrement of t f(a) - sum log(...) is at most this.
    c1 : float, default=0.1
        A step must decrease the barrier function by this share of what its slope promises.
    backtracking : float, default=0.5
        Factor by which a step is shortened that does not.
    low_rank : bool, default=True
        Whether to look for thin factors of the kernel matrix; without them all systems are n x n.
    trace : int, default=0
        Record every so many steps of Newton: t, gap (M/t), centring (its number), decrement, step,
        objective, violation and seconds; 0 records nothing.

    Notes
    -----
    An algorithm in print (Lau, SVMs, 2020) multiplies t before it compares
    M/t with epsilon, and so may return with a gap of mu epsilon; and it tests the decrement of the barrier
    function divided by t, which accepts points far from the central path once t is large. Here the gap is
    compared first, and the decrement is that of the function itself.

    References
    ----------
    Boyd and Vandenberghe, Convex optimization, 2004, chapter 11.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin import Gaussian, LogBarrier
    >>> from widemargin.problems import soft_margin
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> problem = soft_margin(np.array([-1, -1, 1, 1]), C=1.0)
    >>> solution = LogBarrier(epsilon=1e-6).solve(problem, Gaussian(gamma=0.5).bind(X))
    >>> solution.status.name, solution.duality_gap <= 1e-6
    ('OPTIMAL', True)
    """

    def __init__(
        self,
        epsilon: float = 1e-4,
        *,
        t0: float = 1.0,
        mu: float = 20.0,
        newton_epsilon: float = 1e-3,
        c1: float = 0.1,
        backtracking: float = 0.5,
        low_rank: bool = True,
        trace: int = 0,
    ):
        self.epsilon = epsilon
        self.t0 = t0
        self.mu = mu
        self.newton_epsilon = newton_epsilon
        self.c1 = c1
        self.backtracking = backtracking
        self.low_rank = low_rank
        self.trace = trace
        self._check()

    def _check(self) -> None:
        super()._check()
        check_between("t0", self.t0, 0)
        check_between("mu", self.mu, 1)
        check_between("newton_epsilon", self.newton_epsilon, 0)
        check_between("c1", self.c1, 0, 0.5)
        check_between("backtracking", self.backtracking, 0, 1)

    def _walk(self, run: Run, point: Point) -> Status:
        M, t = run.program.inequalities, float(self.t0)
        while True:
            point, moving = self._centre(run, point, t)
            run.counts["centrings"] += 1
            if run.is_endless(point, run.gradient(point.a)):
                return Status.UNBOUNDED
            if M / t <= self.epsilon and run.settles(point):
                return Status.OPTIMAL
            lost = NOTHING * abs(run.watch.progress.objective)
            if not moving or M / t <= lost or t > LARGEST_T:
                return Status.STALLED
            t *= self.mu

    def _centre(self, run: Run, point: Point, t: float) -> tuple[Point, bool]:
        """The point of the central path for t; False with it if rounding has ended all progress."""
        gradient, length, before = run.gradient(point.a), 0.0, np.inf
        for _ in range(MOST):
            if run.is_endless(point, gradient):
                return point, True
            barrier = Barrier(point, t)
            slope = gradient + barrier.gradient()
            system = run.system(barrier.curvature() + run.program.ridge)
            step, nu = system.solve(-slope, run.program.sums - run.program.by_group(point.a))
            point = point.centred(t, nu)
            decrement = -float(slope @ step)
            lost_in_rounding = length == 1 and before <= t * decrement < 1  # a full step should square it
            if t * decrement / 2 <= self.newton_epsilon or lost_in_rounding:
                run.point = point
                return point, True
            length = self._length(run, point, step, gradient, decrement, barrier)
            if length < SHORTEST:
                return point, t * decrement / 2 <= NEARLY
            run.watch.count_step()
            before = t * decrement
            point = point.moved(run.program, length * step).centred(t, nu)
            gradient = run.gradient(point.a)
            run.note(
                point,
                gradient,
                t=t,
                gap=run.program.inequalities / t,
                centring=run.counts["centrings"],
                decrement=t * decrement,
                step=length,
            )
        return point, False

    def _length(
        self, run: Run, point: Point, step: Vector, gradient: Vector, decrement: float, barrier: Barrier
    ) -> float:
        """The first of s, s b, s b^2, ... that decreases the barrier function enough; s is 1 if a full step
        keeps away from the bounds.

        The decrease is summed up from differences, term by term: the function's own values have lost it in
        rounding once t is large.
        """
        linear, quadratic = float(gradient @ step), float(step @ run.curvature_times(step)) / 2
        length = min(1.0, OF_THE_WAY * point.room(step))
        while length >= SHORTEST:
            change = length * linear + length**2 * quadratic + barrier.change(length * step)
            if change <= -self.c1 * length * decrement:
                break
            length *= self.backtracking
            run.counts["backtracks"] += 1
        return length


class Barrier:
    """-(1/t) sum_i [log(a_i - lower_i) + log(upper_i - a_i)] around a point; infinite bounds have no part."""

    def __init__(self, point: Point, t: float) -> None:
        self._below, self._above, self._t = point.below, point.above, t

    def gradient(self) -> Vector:
        return (1.0 / self._above - 1.0 / self._below) / self._t

    def curvature(self) -> Vector:
        """The diagonal of the Hessian."""
        return (1.0 / self._below**2 + 1.0 / self._above**2) / self._t

    def change(self, step: Vector) -> float:
        """By how much it rises on the way."""
        return -float(np.log1p(step / self._below).sum() + np.log1p(-step / self._above).sum()) / self._t
