"""Exact steps on the free variables and polishing: never down, to the same optimum, in far fewer steps."""

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm
from reference import cases, product, qp
from widemargin.datasets import chess_board
from widemargin.kernels import Gaussian, Linear
from widemargin.problems import epsilon_regression, nu_classification, soft_margin
from widemargin.solvers import SMO, Decomposition, Status, Stop


def board(n=400, C=1e6):
    sample = chess_board(n, seed=3)
    return soft_margin(np.where(sample.y > 0, 1.0, -1.0), C), Gaussian(0.5).bind(sample.X)


def test_few_iterations_reach_a_tolerance_that_pair_steps_do_not():
    problem, gram = board()
    plain = SMO().solve(problem, gram, stop=Stop(tol=1e-8, max_iter=200_000))
    finished = SMO(finish="newton").solve(problem, gram, stop=Stop(tol=1e-8, max_iter=200_000))
    assert plain.status is Status.MAX_ITERATIONS
    assert finished.status is Status.OPTIMAL and finished.kkt_violation <= 1e-8
    assert finished.iterations < 5_000 and finished.counters["newton_rounds"] > 0
    assert finished.dual_objective >= plain.dual_objective


def violation_in_extended_precision(problem, X, gamma, alpha):
    """The KKT violation of a point of a Gaussian kernel machine, to many more digits than double has."""
    X, alpha = X.astype(np.longdouble), alpha.astype(np.longdouble)
    squares = sum(np.subtract.outer(column, column) ** 2 for column in X.T)
    gradient = problem.linear - np.exp(-np.longdouble(gamma) * squares) @ alpha
    return float(gradient[alpha < problem.upper].max() - gradient[alpha > problem.lower].min())


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is no longer than double")
@pytest.mark.parametrize("solver", [SMO(finish="newton"), Decomposition(inner=SMO(finish="newton"))])
@pytest.mark.parametrize("C", [1e6, 1e9])
def test_coefficients_that_cancel_do_not_hide_a_violation(solver, C):
    """Kernel values near one and large coefficients: what is left of their sums could be rounding alone."""
    draw = np.random.default_rng(0)
    X = draw.normal(size=(1100, 5))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + draw.normal(size=len(X)) > 1, 1.0, -1.0)
    problem = soft_margin(y, C)
    solution = solver.solve(problem, Gaussian(1e-4).bind(X), stop=Stop(tol=1e-8))
    assert solution.status is (Status.OPTIMAL if C < 1e9 else Status.STALLED)
    truth = violation_in_extended_precision(problem, X, 1e-4, solution.alpha)
    assert abs(truth - solution.kkt_violation) <= 1e-8 * C / 1e6


def test_hundreds_of_free_variables_are_no_obstacle():
    sample = chess_board(1000, seed=3)
    problem, gram = soft_margin(np.where(sample.y > 0, 1.0, -1.0), 1e4), Gaussian(100.0).bind(sample.X)
    finished = SMO(finish="newton").solve(problem, gram, stop=Stop(tol=1e-8))
    assert finished.status is Status.OPTIMAL and finished.kkt_violation <= 1e-8
    assert (np.abs(finished.alpha) > 0).sum() > 600 and finished.counters["newton_rounds"] > 0


def test_each_group_keeps_its_sum():
    sample = chess_board(200, seed=3)
    problem, gram = nu_classification(np.where(sample.y > 0, 1.0, -1.0), 0.2), Gaussian(0.5).bind(sample.X)
    plain = SMO().solve(problem, gram, stop=Stop(tol=1e-5))
    finished = SMO(finish="newton").solve(problem, gram, stop=Stop(tol=1e-10))
    assert finished.status is Status.OPTIMAL and finished.counters["newton_rounds"] > 0
    assert finished.dual_objective == pytest.approx(plain.dual_objective, rel=1e-4)
    ends = np.cumsum(problem.group_sizes)[:-1]
    for members, start in zip(
        np.split(finished.alpha, ends), np.split(np.asarray(problem.start), ends), strict=True
    ):
        assert members.sum() == pytest.approx(start.sum(), abs=1e-12 * np.abs(members).sum())


def test_the_objective_never_falls():
    problem, gram = board(n=200)
    solver = SMO(finish="newton", precision="double", trace=1)
    objective = solver.solve(problem, gram).trace["objective"]
    assert (np.diff(objective) >= -1e-9 * np.abs(objective[1:])).all()


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from(["full rank", "rank deficient", "duplicates"]))
def test_the_optimum_is_that_of_an_independent_solver(seed, kind):
    posed = cases.random_program(seed, m=30, kind=kind)
    solution = SMO(finish="newton").solve(
        product.problem(posed), product.gram(posed.K), stop=Stop(tol=1e-9, max_iter=10**6)
    )
    assert solution.status is Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], rel=1e-7, abs=1e-8)


def test_singular_systems_of_regression_are_no_obstacle():
    """Both variables of a point share a row, and the linear kernel has rank one here."""
    X = np.linspace(0, 1, 60)[:, None]
    problem = epsilon_regression(np.sin(9 * X.ravel()), 100.0, 0.01)
    plain = SMO().solve(problem, Linear().bind(X), stop=Stop(tol=1e-6))
    finished = SMO(finish="newton").solve(problem, Linear().bind(X), stop=Stop(tol=1e-6))
    assert finished.status is Status.OPTIMAL
    assert finished.dual_objective == pytest.approx(plain.dual_objective, rel=1e-8)


@settings(max_examples=20)
@given(st.integers(0, 10_000), st.sampled_from([1, 2, 3, 7, 50]))
def test_polishing_cut_short_anywhere_keeps_the_tolerance(seed, polish):
    X, y, _ = cases.classification(seed, n=60)
    for solver in (SMO(), SMO(step="planning-ahead", finish="newton")):
        solution = solver.solve(
            soft_margin(y, 100.0), Gaussian(1.0).bind(X), stop=Stop(tol=1e-3, polish=polish)
        )
        assert solution.status is Status.OPTIMAL and solution.kkt_violation <= 1e-3


@pytest.mark.skipif(np.finfo(np.longdouble).eps > 1e-18, reason="long double is no longer than double")
@pytest.mark.parametrize("tol", [1e-5, 1e-6, 1e-7, 1e-8])
def test_no_solution_is_claimed_that_rounding_of_inner_products_may_hide(tol):
    """Far from the origin products of 200 coordinates are sums of large numbers."""
    random = np.random.default_rng(0)
    X = random.normal(size=(30, 200)) + 9e3
    y = X[:, 0] - 9e3 + 0.1 * random.normal(size=30)
    machine = wm.SVR(kernel="linear", tol=tol, solver=wm.Decomposition())
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine.fit(X, y)
    exact = X.astype(np.longdouble)
    values = exact @ exact[machine.support_].T @ machine.dual_coef_[0].astype(np.longdouble)
    wrong = float(np.abs(values + machine.intercept_ - machine.predict(X)).max())
    assert machine.status_ is (Status.OPTIMAL if tol > 1e-6 else Status.STALLED)
    assert wrong <= max(tol, machine.kkt_violation_)
