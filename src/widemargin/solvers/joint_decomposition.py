"""Decomposition of machines that learn all classes at once."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.joint_problems import LOSSES, JointProblem
from widemargin.solvers.smo import SMO, Observer
from widemargin.solvers.solution import Solution, Stop

LARGEST = 512
"""Examples whose block of the kernel matrix stays in a near cache."""


class JointDecomposition(BaseEstimator):
    """Improve the multipliers of one example after the other, within working sets of many examples.

    All multipliers of an example are replaced by the best ones at once, in closed form (a walk through the
    breakpoints of a piecewise linear function); one kernel row updates the functions of all classes.

    Parameters
    ----------
    size : int or None, default=None
        Examples in the working set; None: at most 512.
    precision : {"auto", "single", "double"}, default="auto"
        Kernel rows in float32, in float64, or in float32 as long as that reaches the tolerance ("auto";
        problems of up to 1024 examples are in double at once).
    trace : int, default=0
        Record every so many working sets; 0 records nothing. ``step`` is the number of examples that moved.

    References
    ----------
    Crammer and Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
    2001, for the steps on single examples.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.joint_problems import crammer_singer
    >>> gram = wm.Gaussian(gamma=1.0).bind(np.array([[0.0], [1.0], [2.0]]))
    >>> wm.JointDecomposition().solve(crammer_singer([0, 1, 2], C=1.0, classes=3), gram).status.name
    'OPTIMAL'
    """

    def __init__(self, size: int | None = None, *, precision: str = "auto", trace: int = 0):
        self.size = size
        self.precision = precision
        self.trace = trace

    def solve(
        self,
        problem: JointProblem,
        gram: _core.Gram,
        *,
        start: np.ndarray | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        cache_bytes: int = 200 * 2**20,
        n_threads: int = 1,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a joint problem on a kernel matrix; parameters as in :meth:`SMO.solve`.

        `start`, and `alpha` and `gradient` of the solution, have an entry for each example and class, example
        by example; `offsets` of a solution are the constants of the functions, if the problem has such.
        """
        if self.size is not None and self.size < 1:
            raise ValueError(f"size must be at least 1; got {self.size!r}.")
        settings = SMO(precision=self.precision, trace=self.trace)
        scale = 0.0
        if problem.bias is not None:
            scale = bias_scale(gram.diagonal())
            gram = _core.sum(gram, _core.constant(*gram.shape, scale))
        raw = _core.solve_joint(
            to_core(problem, start, scale),
            gram,
            LARGEST if self.size is None else int(self.size),
            settings.settings(stop or Stop(), shrinking, cache_bytes, n_threads),
            int(self.trace),
            observer,
            0.05,
        )
        return Solution.from_core(raw)


def bias_scale(squares: np.ndarray) -> float:
    """What is added to all entries of a Gram with this diagonal to find a bias: as much as they are."""
    return float(np.mean(squares)) or 1.0


def to_core(problem: JointProblem, start: np.ndarray | None, scale: float = 0.0) -> _core.JointProblem:
    """The record the core reads; `scale` as in `bias_scale`."""
    n, N = problem.labels.size, problem.classes
    if start is None:
        start = np.zeros(n * N)
    if np.size(start) != n * N:
        raise ValueError(f"start must have one value for each example and class, {n * N} in all.")
    return _core.JointProblem(
        np.ascontiguousarray(problem.labels, dtype=np.int32),
        np.ascontiguousarray(problem.C, dtype=np.float64),
        np.ascontiguousarray(start, dtype=np.float64).ravel(),
        problem.points,
        N,
        problem.margin,
        LOSSES[problem.loss],
        problem.bias,
        scale,
    )
