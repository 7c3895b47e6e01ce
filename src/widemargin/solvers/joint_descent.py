"""Machines that learn all classes at once with a linear kernel."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.joint_problems import JointProblem
from widemargin.solvers.joint_decomposition import bias_scale, to_core
from widemargin.solvers.smo import SMO, Observer
from widemargin.solvers.solution import Solution, Stop


class JointDescent(BaseEstimator):
    """Improve the multipliers of one example after the other, for a linear kernel, by way of its weights.

    f_k(x) = <w_k, x> + b_k with w_k = sum_i c_ik x_i (and b_k = sum_i c_ik): a step takes as many operations
    as an example has coordinates, whatever the number of examples, and no kernel values. Examples whose
    multipliers seem settled are left out of the following passes.

    Parameters
    ----------
    trace : int, default=0
        Record every so many passes over the examples; 0 records nothing. ``step`` is the number of examples
        that moved.

    References
    ----------
    Keerthi, Sundararajan, Chang, Hsieh and Lin, A sequential dual method for large scale multi-class linear
    SVMs, KDD 2008.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.joint_problems import weston_watkins
    >>> from widemargin.kernels.points import as_points
    >>> points = as_points(np.array([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]))
    >>> wm.JointDescent().solve(weston_watkins([0, 1, 2], C=1.0, classes=3), points).status.name
    'OPTIMAL'
    """

    def __init__(self, *, trace: int = 0):
        self.trace = trace

    def solve(
        self,
        problem: JointProblem,
        points: _core.Points,
        *,
        bias: bool = False,
        start: np.ndarray | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a joint problem on points; other parameters as in :meth:`JointDecomposition.solve`.

        With `bias` the kernel is <x, z> + 1; a problem has free constants of its own accord.
        """
        free = problem.bias is not None
        scale = bias_scale(_core.linear(points, points).diagonal()) if free else 0.0
        raw = _core.solve_joint_linear(
            to_core(problem, start, scale),
            points,
            bias,
            SMO(trace=self.trace).settings(stop or Stop(), shrinking),
            int(self.trace),
            observer,
            0.05,
        )
        return Solution.from_core(raw)
