"""Sequential minimal optimisation with exchangeable parts."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.problems import Problem
from widemargin.solvers.setting import is_between
from widemargin.solvers.solution import Solution, Stop
from widemargin.solvers.steps import StepRule, step_rule
from widemargin.solvers.task import check_task
from widemargin.solvers.working_sets import WorkingSet, working_set

Observer = Callable[[_core.Progress], bool | None]

_RULES = {"kkt": _core.StopRule.kkt, "step": _core.StopRule.step}
_FINISHES: dict[str | None, bool] = {None: False, "newton": True}
PRECISIONS = {
    "auto": _core.Precision.auto,
    "single": _core.Precision.single,
    "double": _core.Precision.double,
}

TIE_BREAKS = ("lowest", "highest", "random")


class SMO(BaseEstimator):
    """Sequential minimal optimisation of the one quadratic program behind every machine.

    maximise  ``linear'a - a'Qa/2``  subject to  ``lower <= a <= upper``  and a fixed sum per group,

    by steps on pairs of variables. Every published variant is a choice of parts.

    Parameters
    ----------
    working_set : str or WorkingSet, default="second-order"
        "most-violating-pair", "second-order", "greedy", "maximum-gain", "hybrid-maximum-gain", or a record
        such as ``HybridMaximumGain(rows="one-row")``.
    step : str or StepRule, default="newton"
        "newton", "over-relaxed", "planning-ahead", or a record such as ``PlanningAhead(recent=3)``.
    stopping : {"kkt", "step"}, default="kkt"
        "kkt" stops when the KKT violation is at most the tolerance, whatever the parts. "step" is the rule
        of the authors of maximum gain, for reproduction: stop when their rule selects a pair whose Newton
        step is shorter than the tolerance; the KKT violation may then be larger.
    tie_break : {"lowest", "highest", "random"}, default="lowest"
        Which of several equally good variables is taken; at the start of a classification all are equal.
    first_pair : tuple of int or None, default=None
        Variables of the first working pair, if they violate.
    seed : int, default=0
        For ``tie_break="random"``.
    precision : {"auto", "single", "double"}, default="auto"
        Kernel rows in float32, in float64, or in float32 as long as that reaches the tolerance.
    finish : {None, "newton"}, default=None
        "newton" takes, from time to time, an exact step on all free variables together, with a factorisation
        of their kernel matrix. It does so when pair steps gain less for their work than such a step did,
        so easy problems pay little for it; where C is large it replaces millions of pair steps.
    trace : int, default=0
        Record every so many iterations; 0 records nothing.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin import Gaussian, SMO
    >>> from widemargin.problems import soft_margin
    >>> X = np.array([[0.0], [1.0], [2.0], [3.0]])
    >>> solution = SMO(step="planning-ahead").solve(
    ...     soft_margin(np.array([-1, -1, 1, 1]), C=1.0), Gaussian(gamma=0.5).bind(X)
    ... )
    >>> solution.status.name
    'OPTIMAL'
    """

    def __init__(
        self,
        working_set: str | WorkingSet = "second-order",
        step: str | StepRule = "newton",
        *,
        stopping: str = "kkt",
        tie_break: str = "lowest",
        first_pair: tuple[int, int] | None = None,
        seed: int = 0,
        precision: str = "auto",
        finish: str | None = None,
        trace: int = 0,
    ):
        self.working_set = working_set
        self.step = step
        self.stopping = stopping
        self.tie_break = tie_break
        self.first_pair = first_pair
        self.seed = seed
        self.precision = precision
        self.finish = finish
        self.trace = trace
        self.settings(Stop())  # refuses parts that are not there, now and not in the middle of a fit
        check_tie_break(tie_break)

    def solve(
        self,
        problem: Problem,
        gram: _core.Gram,
        *,
        start: np.ndarray | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        cache_bytes: int = 200 * 2**20,
        n_threads: int = 1,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a problem on a kernel matrix.

        Parameters
        ----------
        problem : Problem
        gram : Gram
            Square kernel matrix, from ``kernel.bind(X)``.
        start : ndarray or None
            A feasible point to start from; ``problem.start`` by default.
        stop : Stop or None
            Tolerance and limits.
        shrinking : bool
            Set aside variables that seem settled; all are verified before the run ends.
        cache_bytes : int
            Budget for kernel rows (three rows are always kept).
        n_threads : int
            Threads for exact gradients, and for kernel rows where they are computed in blocks.
        observer : callable or None
            ``observer(progress)`` is called about every 50 ms and at the end; returning True stops the run.
        """
        check_task(problem, gram, stop)
        return run(
            problem,
            gram,
            settings=self.settings(stop or Stop(), shrinking, cache_bytes, n_threads),
            order=tie_order(problem, self.tie_break, self.seed),
            first_pair=self.first_pair,
            start=start,
            trace=self.trace,
            observer=observer,
        )

    def settings(
        self, stop: Stop, shrinking: bool = True, cache_bytes: int = 0, n_threads: int = 1
    ) -> _core.Settings:
        """The record the core reads."""
        check_trace(self.trace)
        if cache_bytes < 0:
            raise ValueError(f"cache_bytes must not be negative; got {cache_bytes!r}.")
        settings = _core.Settings()
        policies = _core.Policies()
        working_set(self.working_set).configure(policies)
        step_rule(self.step).configure(policies)
        settings.policies = policies
        settings.rule = choice("stopping", self.stopping, _RULES)
        settings.precision = choice("precision", self.precision, PRECISIONS)
        settings.newton = choice("finish", self.finish, _FINISHES)
        settings.tolerance = stop.tol
        settings.max_iterations = stop.max_iter
        settings.max_seconds = np.inf if stop.max_time is None else stop.max_time
        settings.polish = stop.polish
        settings.shrinking = shrinking
        settings.cache_bytes = int(cache_bytes)
        settings.threads = n_threads
        return settings


def tie_order(problem: Problem, tie_break: str, seed: int) -> np.ndarray | None:
    """The order in which the core sees the variables: it takes the first of equally good ones."""
    check_tie_break(tie_break)
    if tie_break == "lowest":
        return None
    ends = np.cumsum(problem.group_sizes or (len(problem.linear),))
    groups = np.split(np.arange(ends[-1]), ends[:-1])
    if tie_break == "highest":
        return np.concatenate([group[::-1] for group in groups])
    random = np.random.default_rng(seed)
    return np.concatenate([random.permutation(group) for group in groups])


def check_tie_break(tie_break: str) -> None:
    """Refuse rules that are not there."""
    if tie_break not in TIE_BREAKS:
        raise ValueError(f"tie_break must be 'lowest', 'highest' or 'random'; got {tie_break!r}.")


def check_trace(trace: int) -> None:
    """Refuse what is no number of iterations."""
    if not is_between(trace, -1):
        raise ValueError(f"trace must be a number of iterations, 0 for none; got {trace!r}.")


def run(
    problem: Problem,
    gram: _core.Gram,
    *,
    settings: _core.Settings,
    order: np.ndarray | None,
    first_pair: tuple[int, int] | None,
    start: np.ndarray | None,
    trace: int,
    observer: Observer | None,
    working_set_size: int | None = None,
) -> Solution:
    """Hand a problem to the core, its variables in the given order."""
    m = len(problem.linear)
    if start is not None and np.shape(start) != (m,):
        raise ValueError(f"start must have one value for each of the {m} variables; got {np.shape(start)}.")
    if first_pair is not None:
        if len(set(first_pair)) != 2 or not all(0 <= v < m for v in first_pair):
            raise ValueError(f"first_pair must name two different variables below {m}; got {first_pair!r}.")
        i, j = first_pair if order is None else np.argsort(order)[list(first_pair)]
        settings.first_pair = (int(i), int(j))

    raw = _core.solve(
        to_core(problem, order),
        gram,
        None if start is None else _picked(start, order),
        settings,
        working_set_size,
        int(trace),
        observer,
        0.05,
    )
    return Solution.from_core(raw, order)


def to_core(problem: Problem, order: np.ndarray | None = None) -> _core.Problem:
    """The problem as the core sees it, its variables in the given order."""
    points = problem.points
    if points is None and order is not None:
        points = np.arange(problem.size, dtype=np.int32)
    return _core.Problem(
        _picked(problem.linear, order),
        _picked(problem.lower, order),
        _picked(problem.upper, order),
        _picked(problem.start, order),
        None if problem.ridge is None else _picked(problem.ridge, order),
        None if points is None else _picked(points, order, np.int32),
        list(problem.group_sizes or (problem.size,)),
    )


def _picked(values: np.ndarray, order: np.ndarray | None, dtype: type = float) -> np.ndarray:
    values = np.ascontiguousarray(values, dtype=dtype)
    return values if order is None else values[order]


def choice(name: str, value: str | None, choices: dict):
    if value not in choices:
        raise ValueError(f"{name} must be one of {list(choices)}; got {value!r}.")
    return choices[value]
