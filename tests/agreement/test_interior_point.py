"""Every solver finds the optimum of every machine: interior-point methods on the whole program agree.

The judges are other people's (Clarabel, and CVXOPT if it is here) and our own, which the policies are
compared with in turn.
"""

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
from widemargin.solvers import (
    SMO,
    Decomposition,
    HybridMaximumGain,
    LogBarrier,
    Mehrotra,
    PlanningAhead,
    Status,
    Stop,
)

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
    "log barrier": LogBarrier(),
    "mehrotra": Mehrotra(),
}
OWN_JUDGES = {"log barrier": LogBarrier(epsilon=1e-8), "mehrotra": Mehrotra(epsilon=1e-8)}


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


@pytest.mark.parametrize("judge", OWN_JUDGES)
@pytest.mark.parametrize("name", machines())
def test_our_own_judges_agree_with_the_others_to_nine_digits(name, judge):
    problem, X = machines()[name]
    posed, value, outputs = judged(name)
    solution = OWN_JUDGES[judge].solve(problem, Gaussian(gamma=0.1).bind(X), stop=Stop(tol=1e-8))
    assert solution.status is Status.OPTIMAL
    assert solution.duality_gap <= 1e-8
    assert solution.dual_objective == pytest.approx(value, rel=1e-9, abs=1e-9)
    assert certificate.violation(posed, solution.alpha) <= 1.001e-8
    if "hard margin" not in name:  # whose primal value is infinite short of the last bit
        gap = certificate.gap(posed, solution.alpha, solution.offsets)
        assert gap == pytest.approx(solution.duality_gap, abs=1e-9)
    assert posed.K @ solution.alpha == pytest.approx(outputs, abs=1e-6)


@pytest.mark.parametrize("name", ["soft margin", "epsilon regression", "nu classification", "one class"])
def test_cvxopt_agrees_with_our_judges(name):
    cvxopt = pytest.importorskip("cvxopt")
    problem, X = machines()[name]
    posed, _, _ = judged(name)
    m = len(posed.linear)
    cvxopt.solvers.options.update(show_progress=False, abstol=1e-10, reltol=1e-10, feastol=1e-10)
    sums = np.array([posed.group == g for g in range(posed.group.max() + 1)], float)
    found = cvxopt.solvers.qp(
        cvxopt.matrix(posed.Q),
        cvxopt.matrix(-posed.linear),
        cvxopt.matrix(np.vstack([np.eye(m), -np.eye(m)])),
        cvxopt.matrix(np.concatenate([posed.upper, -posed.lower])),
        cvxopt.matrix(sums),
        cvxopt.matrix(sums @ posed.start),
    )
    for judge in OWN_JUDGES.values():
        solution = judge.solve(problem, Gaussian(gamma=0.1).bind(X), stop=Stop(tol=1e-8))
        assert solution.dual_objective == pytest.approx(-found["primal objective"], rel=1e-7, abs=1e-8)


@pytest.mark.parametrize("selection", SELECTIONS)
@pytest.mark.parametrize("step", STEPS)
def test_the_policies_differ(selection, step):
    """The table of solvers holds what it says."""
    problem, X = machines()["soft margin"]
    solver = SOLVERS[f"{selection}, {step}"]
    counters = solver.solve(problem, Gaussian(gamma=0.1).bind(X), stop=Stop(tol=TOL)).counters
    assert (counters["planning_steps"] > 0) == ("planning" in step)
    assert (counters["fallback_selections"] > 0) == ("hybrid" in selection)
