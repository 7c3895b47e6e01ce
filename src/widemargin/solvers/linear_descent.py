"""Problems with a linear kernel, by their weights."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.problems import Problem
from widemargin.solvers.smo import SMO, Observer, check_trace, choice, to_core
from widemargin.solvers.solution import Solution, Stop

STOPPING = {"kkt": False, "relative-gap": True}
FINISHES = {"newton": True, None: False}


class LinearDescent(BaseEstimator):
    """Improve one variable after the other, for a linear kernel, by way of the weights w = sum_v a_v x_v.

    A sweep over all variables takes two products with the points, whatever their number, and no kernel
    values. It is fast while the solution is rough, and slow near the end; Newton steps on the weights follow
    as soon as the sweeps that are left, from the progress of the last ones, would take longer than these, or,
    with more than 3,000 features, exact steps on the variables strictly inside their bounds.

    Parameters
    ----------
    stopping : {"kkt", "relative-gap"}, default="kkt"
        What `Stop.tol` is about: the KKT violation, or the duality gap divided by the primal value.
    finish : {"newton", None}, default="newton"
        Whether there are Newton and exact steps.
    seed : int, default=0
        Of the orders in which sweeps meet the points.
    trace : int, default=0
        Record every so many sweeps; 0 records nothing. ``step`` is the number of points that moved,
        ``violation`` what `stopping` names, as the sweep saw it.

    Notes
    -----
    The problem must have finite bounds or a ridge, and one sum. A problem with a bias has a free one;
    `constant` of :meth:`solve` makes it part of the norm.

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM,
    ICML 2008.
    Ho and Lin, Large-scale linear support vector regression, JMLR 13, 2012.
    Keerthi and DeCoste, A modified finite Newton method for fast solution of large scale linear SVMs, JMLR 6,
    2005.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.kernels.points import as_points
    >>> points = as_points(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> problem = wm.problems.soft_margin([-1, 1, 1], C=1.0)
    >>> wm.LinearDescent().solve(problem, points).status.name
    'OPTIMAL'
    """

    def __init__(
        self, *, stopping: str = "kkt", finish: str | None = "newton", seed: int = 0, trace: int = 0
    ) -> None:
        self.stopping = stopping
        self.finish = finish
        self.seed = seed
        self.trace = trace

    def solve(
        self,
        problem: Problem,
        points: _core.Points,
        *,
        constant: float = 0.0,
        start: np.ndarray | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a problem on points; other parameters as in :meth:`SMO.solve`.

        With a positive `constant` the kernel is <x, z> + constant^2. `Stop.max_iter` limits the number of
        sweeps, Newton steps and rounds of exact steps.
        """
        check_trace(self.trace)
        options = _core.LinearOptions(
            float(constant),
            choice("stopping", self.stopping, STOPPING),
            choice("finish", self.finish, FINISHES),
            int(self.seed),
        )
        raw = _core.solve_linear(
            to_core(problem),
            points,
            None if start is None else np.ascontiguousarray(start, dtype=np.float64),
            options,
            SMO().settings(stop or Stop(), shrinking),
            int(self.trace),
            observer,
            0.05,
        )
        return Solution.from_core(raw)
