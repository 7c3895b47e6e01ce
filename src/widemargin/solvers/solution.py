"""When a run stops, how it ended, and what it leaves."""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import Enum
from numbers import Real
from typing import Any

import numpy as np


class Status(Enum):
    """How a run ended; ``status.sentence`` says it in words."""

    OPTIMAL = 0
    MAX_ITERATIONS = 1
    MAX_TIME = 2
    STALLED = 3
    INTERRUPTED = 4
    UNBOUNDED = 5

    @property
    def sentence(self) -> str:
        return _SENTENCES[self]


_SENTENCES = {
    Status.OPTIMAL: "The KKT conditions hold on all variables within the tolerance, in double precision.",
    Status.MAX_ITERATIONS: "The iteration limit was reached before the tolerance.",
    Status.MAX_TIME: "The time limit was reached before the tolerance.",
    Status.STALLED: "Rounding ends all progress before the tolerance, or may hide more than that.",
    Status.INTERRUPTED: "The run was stopped from outside; the solution is feasible but not optimal.",
    Status.UNBOUNDED: "The objective grows without bound: not all constraints can be met (not separable?).",
}


@dataclass(frozen=True)
class Stop:
    """When to stop: at a KKT violation of ``tol``, after ``max_iter`` iterations or ``max_time`` seconds.

    Once ``tol`` is reached, SMO spends up to ``polish`` further iterations on taking the solution as near to
    rounding as they can. On small problems that costs next to nothing, and answers no longer depend on the
    order of the data or on whether a point is weighted or repeated.
    """

    tol: float = 1e-3
    max_iter: int = -1
    max_time: float | None = None
    polish: int = 0

    def __post_init__(self) -> None:
        if not (isinstance(self.tol, Real) and self.tol > 0):
            raise ValueError(f"tol must be positive; got {self.tol!r}.")
        if not isinstance(self.max_iter, Real):
            raise ValueError(f"max_iter must be a number of iterations, -1 for any; got {self.max_iter!r}.")
        if self.max_time is not None and not (isinstance(self.max_time, Real) and self.max_time >= 0):
            raise ValueError(f"max_time must be non-negative seconds or None; got {self.max_time!r}.")


@dataclass(frozen=True)
class Solution:
    """A feasible point of a :class:`~widemargin.problems.Problem` with what can be proved about it.

    Attributes
    ----------
    alpha : ndarray of shape (m,)
        The variables.
    gradient : ndarray of shape (m,)
        ``linear - Q alpha``; recomputed in double precision for all variables that are not zero and for all
        that might decide over optimality.
    dual_objective, primal_objective, duality_gap : float
        The value reached, an upper bound on the optimum (the machine's primal value), and their difference.
    kkt_violation : float
        Largest difference of gradients over feasible pairs, on all variables; or what rounding of kernel
        values may hide, if that is more than the tolerance.
    exact : bool
        False only if a run was stopped in a hurry; gradient and certificate are then what it believed.
    offsets : ndarray of shape (n_groups,)
        The multiplier of each sum constraint: the bias b of the machine.
    offset_intervals : ndarray of shape (n_groups, 2)
        Every value in the interval is an admissible offset (up to the violation).
    counters : dict
        What the run cost.
    trace : dict of arrays or None
        The run by column, if asked for.
    planning_ratios : ndarray or None
        Every planning step divided by its Newton step, if a trace was asked for.
    weights : ndarray of shape (n_features + 1,) or None
        Of `LinearDescent`: the weights whose primal value and gradient these are, that of the constant last.
        They may be better ones than those of alpha if `Stop.tol` is about the relative gap; None if `exact`
        is false.
    """

    alpha: np.ndarray
    gradient: np.ndarray
    status: Status
    iterations: int
    seconds: float
    dual_objective: float
    primal_objective: float
    duality_gap: float
    kkt_violation: float
    exact: bool
    offsets: np.ndarray
    offset_intervals: np.ndarray
    counters: dict[str, int]
    trace: dict[str, np.ndarray] | None = None
    planning_ratios: np.ndarray | None = None
    weights: np.ndarray | None = None
    keyboard_interrupt: bool = field(default=False, repr=False)

    def summary(self) -> Solution:
        """The same without what takes memory: one number per variable, and what the run cost."""
        other, nothing = object.__new__(Solution), np.empty(0)
        other.__dict__.update(self.__dict__, alpha=nothing, gradient=nothing, weights=None, counters={})
        return other

    @classmethod
    def from_core(cls, raw: dict[str, Any], order: np.ndarray | None = None) -> Solution:
        """Wrap the core's answer; ``order[k]`` is the variable the core called ``k``."""
        raw = dict(raw)
        raw["status"] = Status(raw["status"])
        raw["offset_intervals"] = np.array([raw.pop("offsets_low"), raw.pop("offsets_high")]).T
        if order is not None:
            for name in ("alpha", "gradient"):
                restored = np.empty_like(raw[name])
                restored[order] = raw[name]
                raw[name] = restored
            if raw["trace"] is not None:
                for name in ("i", "j"):
                    raw["trace"][name] = order[raw["trace"][name]]
        return cls(**raw)
