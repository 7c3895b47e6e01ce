"""The product under test, called on written-out programs, and its traces replayed in double precision."""

from dataclasses import dataclass

import numpy as np

from widemargin.kernels import Precomputed
from widemargin.problems import Problem
from widemargin.solvers import (
    SMO,
    Greedy,
    HybridMaximumGain,
    MostViolatingPair,
    OverRelaxed,
    PlanningAhead,
    PlanningSelection,
    SecondOrder,
    Status,
    Stop,
)

from . import smo

FREE, CLIPPED, PLANNED = 0, 1, 2

SELECTIONS = {
    "most violating pair": MostViolatingPair(),
    "second order": SecondOrder(),
    "greedy": Greedy(),
    "hybrid": HybridMaximumGain(),
    "hybrid, second order": HybridMaximumGain(fallback="second-order"),
    "hybrid, one row": HybridMaximumGain(rows="one-row"),
    "hybrid, recent": HybridMaximumGain(rows="recent", recent=3),
    "hybrid, whole cache": HybridMaximumGain(rows="whole-cache"),
    "recall always": PlanningSelection(always=True),
}

STEPS = {
    "over-relaxed": OverRelaxed(),
    "planning": PlanningAhead(),
    "planning 2": PlanningAhead(recent=2),
    "planning 5": PlanningAhead(recent=5),
    "planning after any step": PlanningAhead(only_after_free=False),
}

# Every policy with a proof of convergence: name -> (working set, step).
POLICIES = {name: (rule, "newton") for name, rule in SELECTIONS.items()} | {
    name: ("second-order", rule) for name, rule in STEPS.items()
}


def gram(K):
    return Precomputed().bind(np.ascontiguousarray(K, dtype=float))


def problem(posed):
    sizes = tuple(len(members) for members in posed.groups())
    return Problem(posed.linear, posed.lower, posed.upper, posed.start, ridge=posed.ridge, group_sizes=sizes)


def solve(
    posed,
    working_set="second-order",
    step="newton",
    *,
    tol=1e-9,
    max_iter=200_000,
    start=None,
    shrinking=False,
    cache_bytes=2**24,
    trace=0,
    precision="double",
    **options,
):
    """Solve a written-out program; the iteration limit only guards the tests against running for ever."""
    solver = SMO(working_set, step, trace=trace, precision=precision, **options)
    return solver.solve(
        problem(posed),
        gram(posed.K),
        start=start,
        stop=Stop(tol=tol, max_iter=max_iter),
        shrinking=shrinking,
        cache_bytes=cache_bytes,
    )


def optimum(posed, **options):
    """The product's solution, optimal to 1e-11."""
    solution = solve(posed, **{"tol": 1e-11, **options})
    assert solution.status is Status.OPTIMAL
    return solution


@dataclass(frozen=True)
class Step:
    """One iteration of a trace: where it started, what it did, and the closed forms of the twin there."""

    alpha: np.ndarray
    gradient: np.ndarray
    pair: tuple
    length: float
    newton: float
    kind: int
    slope: float
    curvature: float

    @property
    def gain(self):
        return smo.gain_of(self.length, self.slope, self.curvature)

    @property
    def newton_gain(self):
        return self.slope**2 / (2 * self.curvature) if self.curvature > 0 else np.inf


def replay(posed, solution, start=None):
    """The steps of a traced run, with alpha and the exact gradient before each."""
    alpha = np.array(posed.start if start is None else start, float)
    trace, steps = solution.trace, []
    for i, j, length, newton, kind in zip(
        *(trace[name].tolist() for name in ("i", "j", "step", "newton_step", "kind")), strict=True
    ):
        G = posed.gradient(alpha)
        pair = (i, j)
        steps.append(
            Step(alpha, G, pair, length, newton, kind, smo.slope(G, pair), smo.curvature(posed.Q, pair))
        )
        alpha = smo.move(posed, alpha, pair, length)
    return steps


def one_step(posed, alpha, working_set="second-order", step="newton", **options):
    """The single iteration the product makes at alpha, or None at an optimum."""
    solution = solve(posed, working_set, step, start=alpha, tol=1e-13, max_iter=1, trace=1, **options)
    steps = replay(posed, solution, alpha)
    return steps[0] if steps else None
