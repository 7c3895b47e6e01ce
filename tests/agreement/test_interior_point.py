"""Every policy finds the optimum of every machine: an interior-point method on the whole program agrees."""

from functools import cache

import numpy as np
import pytest
from real_sets import classification, regression

from reference import certificate, qp
from reference.program import written_out
from widemargin.kernels import Gaussian
from widemargin.problems import (
    enclosing_ball,
    epsilon_regression,
    hard_margin,
    least_squares,
    nu_classification,
    nu_regression,
    one_class,
    soft_margin,
    squared_soft_margin,
    without_bias,
)
from widemargin.solvers import SMO, Decomposition, HybridMaximumGain, PlanningAhead, Status, Stop

TOL = 1e-6
N = 80

SELECTIONS = {
    "most violating pair": "most-violating-pair",
    "second order": "second-order",
    "greedy": "greedy",
    "hybrid": HybridMaximumGain(),
    "hybrid, second order": HybridMaximumGain(fallback="second-order"),
    "hybrid, one row": HybridMaximumGain(rows="one-row"),
    "hybrid, recent": HybridMaximumGain(rows="recent"),
    "hybrid, whole cache": HybridMaximumGain(rows="whole-cache"),
}
STEPS = {
    "newton": "newton",
    "over-relaxed": "over-relaxed",
    "planning ahead": PlanningAhead(),
    "planning with five": PlanningAhead(recent=5),
}
SOLVERS = {
    f"{selection}, {step}": SMO(SELECTIONS[selection], STEPS[step])
    for selection in SELECTIONS
    for step in STEPS
} | {
    "second order, newton finish": SMO(finish="newton"),
    "most violating pair, newton finish": SMO("most-violating-pair", finish="newton"),
    "hybrid, planning ahead, newton finish": SMO(HybridMaximumGain(), PlanningAhead(), finish="newton"),
    "decomposition of 2": Decomposition(size=2),
    "decomposition of 10": Decomposition(size=10),
    "decomposition of 40, planning": Decomposition(size=40, inner=SMO(step="planning-ahead")),
}


def some(X, y):
    """About N rows, spread over the table."""
    every = len(X) // N
    return X[::every], y[::every]


@cache
def machines():
    """Name -> (problem, X): all machines on parts of real sets, with and without bias."""
    X, labels = some(*classification("breast cancer"))
    y = 2.0 * labels - 1
    Z, t = some(*regression())
    diagonal = np.ones(len(X))  # of a Gaussian
    weight = np.linspace(0.5, 2, len(X))
    biased = {
        "hard margin": (hard_margin(y), X),
        "soft margin": (soft_margin(y, 10.0), X),
        "soft margin, weights": (soft_margin(y, weight), X),
        "squared soft margin": (squared_soft_margin(y, 10.0), X),
        "least squares": (least_squares(y, 10.0), X),
        "epsilon regression": (epsilon_regression(t, 1.0, 0.1), Z),
    }
    balls = {"ball": enclosing_ball(diagonal), "soft ball": enclosing_ball(diagonal, C=0.05)}
    others = {
        "nu classification": (nu_classification(y, 0.3), X),
        "nu regression": (nu_regression(t, 1.0, 0.3), Z),
        "one class": (one_class(len(X), 0.2), X),
    } | {name: (ball, X) for name, ball in balls.items()}
    unbiased = {f"{name}, no bias": (without_bias(problem), data) for name, (problem, data) in biased.items()}
    return biased | unbiased | others


@cache
def judged(name):
    """The program written out, its optimal value, and the function values there."""
    problem, X = machines()[name]
    posed = written_out(problem, Gaussian(gamma=0.1).gram(X))
    alpha, value = qp.solve(posed)
    return posed, value, posed.K @ alpha


@pytest.mark.parametrize("solver", SOLVERS)
@pytest.mark.parametrize("name", machines())
def test_every_policy_agrees_with_the_judge(name, solver):
    problem, X = machines()[name]
    posed, value, outputs = judged(name)
    solution = SOLVERS[solver].solve(
        problem, Gaussian(gamma=0.1).bind(X), stop=Stop(tol=TOL, max_iter=1_000_000), cache_bytes=2**22
    )
    assert solution.status is Status.OPTIMAL
    assert certificate.violation(posed, solution.alpha) <= 1.001 * TOL
    assert solution.dual_objective == pytest.approx(posed.objective(solution.alpha), rel=1e-9, abs=1e-12)
    assert solution.dual_objective == pytest.approx(value, rel=1e-6, abs=1e-9)
    assert solution.primal_objective >= value - 1e-7 * abs(value)  # an upper bound, as promised
    assert posed.K @ solution.alpha == pytest.approx(outputs, abs=1e-4)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("step", STEPS)
def test_the_policies_differ(selection, step):
    """The table of solvers holds what it says."""
    problem, X = machines()["soft margin"]
    solver = SOLVERS[f"{selection}, {step}"]
    counters = solver.solve(problem, Gaussian(gamma=0.1).bind(X), stop=Stop(tol=TOL)).counters
    assert (counters["planning_steps"] > 0) == ("planning" in step)
    assert (counters["fallback_selections"] > 0) == ("hybrid" in selection)
