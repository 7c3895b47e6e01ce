"""The solver of problems with a linear kernel, beside its slow twin and beside those on a Gram."""

import signal
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from reference.linear import augmented, descend
from widemargin import problems
from widemargin.kernels import Linear
from widemargin.kernels.points import as_points

N, D = 40, 4


def sample(seed=0, n=N, d=D):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) + 0.4
    X[random.uniform(size=X.shape) < 0.3] = 0.0
    t = X @ random.normal(size=d) + 0.5 * random.normal(size=n) - 0.3
    return X, np.where(t > 0, 1.0, -1.0), t


X, Y, T = sample()
PRICES = np.random.default_rng(1).uniform(0.05, 0.5, N)
PROBLEMS = {
    "hinge": problems.soft_margin(Y, PRICES),
    "squared hinge": problems.squared_soft_margin(Y, PRICES),
    "least squares": problems.least_squares(Y, PRICES),
    "insensitive": problems.epsilon_regression(T, PRICES, 0.2),
    "squared insensitive": problems.squared_epsilon_regression(T, PRICES, 0.2),
    "one class": problems.one_class(N, 0.3),
}
each_problem = pytest.mark.parametrize("name", PROBLEMS)


@each_problem
@pytest.mark.parametrize("finish", ["newton", None])
def test_it_agrees_with_the_twin_on_problems_without_bias(name, finish):
    problem = problems.without_bias(PROBLEMS[name])
    _, w = descend(problem, augmented(X, 0.7), 500)
    solution = wm.LinearDescent(stopping="relative-gap", finish=finish).solve(
        problem, as_points(X), constant=0.7, stop=wm.Stop(1e-12)
    )
    coefficients = problem.by_point(solution.alpha, N)
    np.testing.assert_allclose(augmented(X, 0.7).T @ coefficients, w, rtol=1e-3, atol=1e-4)
    assert solution.status is wm.Status.OPTIMAL


@each_problem
def test_it_agrees_with_the_solver_on_a_gram_on_problems_with_a_free_bias(name):
    problem = PROBLEMS[name]
    exact = wm.SMO().solve(problem, Linear().bind(X), stop=wm.Stop(1e-9))
    solution = wm.LinearDescent().solve(problem, as_points(X), stop=wm.Stop(1e-8))
    assert solution.status is wm.Status.OPTIMAL
    assert solution.kkt_violation <= 1e-8
    assert solution.dual_objective == pytest.approx(exact.dual_objective, rel=1e-9, abs=1e-9)
    low, high = exact.offset_intervals[0]
    assert low - 1e-6 <= solution.offsets[0] <= high + 1e-6


@each_problem
@pytest.mark.parametrize("bias", ["none", "free"])
def test_points_are_feasible_and_the_gap_is_true_wherever_it_stops(name, bias):
    problem = PROBLEMS[name] if bias == "free" else problems.without_bias(PROBLEMS[name])
    rows = problem.rows
    K = np.where((rows >= 0)[:, None] & (rows >= 0), (X @ X.T)[rows][:, rows], 0.0)
    ridge = np.zeros(problem.size) if problem.ridge is None else problem.ridge
    best = wm.LinearDescent(stopping="relative-gap").solve(problem, as_points(X), stop=wm.Stop(1e-12))
    for sweeps in (0, 1, 2, 5, 20):
        solution = wm.LinearDescent(finish=None).solve(problem, as_points(X), stop=wm.Stop(1e-9, sweeps))
        a = solution.alpha
        assert ((problem.lower <= a) & (a <= problem.upper)).all()
        assert a.sum() == pytest.approx(problem.start.sum(), abs=1e-9)
        gradient = problem.linear - K @ a - ridge * a
        np.testing.assert_allclose(solution.gradient[rows >= 0], gradient[rows >= 0], atol=1e-9)
        dual = problem.linear @ a - a @ K @ a / 2 - ridge @ a**2 / 2
        assert solution.dual_objective == pytest.approx(dual, abs=1e-9)
        assert 0 <= best.dual_objective - dual + 1e-9 <= solution.duality_gap + 2e-9


def test_sweeps_never_lower_the_dual_objective():
    problem = problems.without_bias(PROBLEMS["hinge"])
    values = [
        wm.LinearDescent(finish=None).solve(problem, as_points(X), stop=wm.Stop(1e-12, sweeps)).dual_objective
        for sweeps in range(12)
    ]
    assert np.all(np.diff(values) >= -1e-12)
    assert values[-1] > values[0]


@pytest.mark.parametrize("dtype", [np.float32, np.uint8, np.int8])
@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
def test_all_kinds_of_storage_give_the_same_machine(dtype, make):
    if make is sp.csr_matrix and dtype is not np.float32:
        pytest.skip("sparse points are floats")
    whole = np.random.default_rng(0).integers(0, 3, size=(N, D))

    def value(X):
        return wm.LinearDescent().solve(PROBLEMS["hinge"], as_points(X), stop=wm.Stop(1e-9)).dual_objective

    assert value(make(whole.astype(dtype))) == pytest.approx(value(whole.astype(float)), rel=1e-9)


def test_a_seed_is_an_order_and_the_same_one_the_same_answer():
    problem = PROBLEMS["hinge"]

    def alpha(seed):
        solver = wm.LinearDescent(finish=None, seed=seed)
        return solver.solve(problem, as_points(X), stop=wm.Stop(1e-9, 2)).alpha

    np.testing.assert_array_equal(alpha(3), alpha(3))
    assert (alpha(3) != alpha(4)).any()


def test_a_start_is_where_it_begins():
    problem = PROBLEMS["hinge"]
    solution = wm.LinearDescent().solve(problem, as_points(X), stop=wm.Stop(1e-9))
    again = wm.LinearDescent().solve(problem, as_points(X), start=solution.alpha, stop=wm.Stop(1e-6))
    assert again.iterations <= 2


def test_a_trace_has_a_record_of_every_sweep():
    solver = wm.LinearDescent(finish=None, trace=1)
    solution = solver.solve(PROBLEMS["hinge"], as_points(X), stop=wm.Stop(1e-9, 5))
    np.testing.assert_array_equal(solution.trace["iteration"], [1, 2, 3, 4, 5])
    assert (np.diff(solution.trace["seconds"]) >= 0).all()


def test_high_precision_takes_few_steps():
    """Sweeps alone would take many thousands for this price."""
    X, y, _ = sample(n=2000)
    problem = problems.soft_margin(y, 1e4)
    solution = wm.LinearDescent().solve(problem, as_points(X), stop=wm.Stop(1e-6, max_time=60))
    assert solution.status is wm.Status.OPTIMAL
    assert solution.iterations < 500
    assert solution.counters["newton_rounds"] > 0


@pytest.mark.parametrize("bias", ["none", "free"])
@pytest.mark.parametrize("make", [sp.csr_matrix, np.asarray])
@pytest.mark.parametrize("state", [problems.soft_margin, problems.squared_soft_margin])
def test_more_features_than_a_system_of_weights_can_have_take_few_sweeps_too(state, make, bias):
    """Exact steps on the free variables; sweeps alone take 200 to 20,000."""
    random = np.random.default_rng(0)
    n, few, many = 400, 30, 4000
    X = np.zeros((n, many))
    X[:, :few] = np.abs(random.normal(size=(n, few))) * (random.uniform(size=(n, few)) < 0.5)
    X[:, few:] = 0.05 * (random.uniform(size=(n, many - few)) < 0.005)
    y = np.where(X[:, :few] @ random.normal(size=few) + 0.3 * random.normal(size=n) > 0, 1.0, -1.0)
    problem = state(y, 10.0) if bias == "free" else problems.without_bias(state(y, 10.0))
    exact = wm.SMO().solve(problem, Linear().bind(X), stop=wm.Stop(1e-10))
    solution = wm.LinearDescent(stopping="relative-gap").solve(
        problem, as_points(make(X)), stop=wm.Stop(1e-9, max_iter=200)
    )
    assert solution.status is wm.Status.OPTIMAL
    assert solution.counters["newton_rounds"] > 0
    assert solution.dual_objective == pytest.approx(exact.dual_objective, rel=1e-8)


def wide_and_hard(zero_rows=0):
    random = np.random.default_rng(0)
    A = random.normal(size=(100, 60)) * np.exp(1.5 * random.normal(size=60))
    X = sp.hstack([sp.csr_matrix(A), sp.csr_matrix((100, 3000))])
    X = sp.vstack([X, sp.csr_matrix((zero_rows, X.shape[1]))]).tocsr()
    return X, np.where(random.uniform(size=X.shape[0]) < 0.5, 1.0, -1.0)


def test_exact_steps_count_as_iterations():
    X, y = wide_and_hard()
    problem, points = problems.without_bias(problems.soft_margin(y, 100.0)), as_points(X)
    for limit in range(5, 60):
        solution = wm.LinearDescent().solve(problem, points, constant=1.0, stop=wm.Stop(1e-9, limit))
        assert solution.iterations <= limit


def test_exact_steps_are_not_taken_with_many_free_variables_that_have_settled():
    """Points at the origin are free, do not move, and would make the system a large one."""
    for zero_rows, taken in ((0, True), (2500, False)):
        X, y = wide_and_hard(zero_rows)
        problem = problems.without_bias(problems.squared_soft_margin(y, 100.0))
        solution = wm.LinearDescent().solve(problem, as_points(X), stop=wm.Stop(1e-9, 200))
        assert (solution.counters["newton_rounds"] > 0) is taken


@pytest.mark.parametrize("tol", [1.0, 1e-1, 1e-2, 1e-4, 1e-8])
@pytest.mark.parametrize("name", ["hinge", "squared hinge", "insensitive", "squared insensitive"])
def test_weights_and_variables_keep_the_relative_gap_together(name, tol):
    """Newton's weights are returned before those of the variables are as good: both values are true."""
    problem, c = problems.without_bias(PROBLEMS[name]), 0.7
    solution = wm.LinearDescent(stopping="relative-gap").solve(
        problem, as_points(X), constant=c, stop=wm.Stop(tol)
    )
    a, u, points = solution.alpha[:-1], solution.weights, augmented(X, c)[problem.rows[:-1]]
    linear, lower, upper = problem.linear[:-1], problem.lower[:-1], problem.upper[:-1]
    ridge = np.zeros(a.size) if problem.ridge is None else problem.ridge[:-1]
    dual = linear @ a - (points.T @ a) @ (points.T @ a) / 2 - ridge @ a**2 / 2
    h = linear - points @ u
    with np.errstate(divide="ignore", invalid="ignore"):
        best = np.where(ridge > 0, np.clip(h / ridge, lower, upper), np.where(h > 0, upper, lower))
    primal = u @ u / 2 + (h * best - ridge * best**2 / 2).sum()
    assert solution.dual_objective == pytest.approx(dual, abs=1e-9)
    assert solution.primal_objective == pytest.approx(primal, abs=1e-9)
    assert solution.duality_gap == pytest.approx(primal - dual, abs=1e-9)
    assert solution.duality_gap <= tol * primal
    np.testing.assert_allclose(solution.gradient[:-1], h - ridge * a, atol=1e-9)


def test_limits_end_a_run_with_a_feasible_point():
    X, y, _ = sample(n=3000, d=300)
    problem = problems.soft_margin(y, 100.0)
    solution = wm.LinearDescent(finish=None).solve(problem, as_points(X), stop=wm.Stop(1e-12, max_time=0.05))
    assert solution.status is wm.Status.MAX_TIME
    assert abs(solution.alpha.sum()) < 1e-6


def test_an_observer_sees_progress_and_may_end_the_run():
    X, y, _ = sample(n=3000, d=300)
    seen = []

    def observe(progress):
        seen.append(progress.iteration)
        return len(seen) >= 2

    problem = problems.soft_margin(y, 100.0)
    solution = wm.LinearDescent(finish=None).solve(
        problem, as_points(X), stop=wm.Stop(1e-13, max_time=60), observer=observe
    )
    assert solution.status is wm.Status.INTERRUPTED
    assert len(seen) == 3  # and once at the end


def test_ctrl_c_ends_a_run():
    X, y, _ = sample(n=3000, d=300)
    timer = threading.Timer(0.3, signal.raise_signal, [signal.SIGINT])
    begin = time.monotonic()
    timer.start()
    solution = wm.LinearDescent(finish=None).solve(
        problems.soft_margin(y, 100.0), as_points(X), stop=wm.Stop(1e-13, max_time=60)
    )
    assert solution.keyboard_interrupt
    assert solution.status is wm.Status.INTERRUPTED
    assert time.monotonic() - begin < 30


@pytest.mark.parametrize(
    ("problem", "sentence"),
    [
        (problems.hard_margin(Y), "finite C"),
        (problems.nu_classification(Y, 0.2), "single sum"),
    ],
)
def test_problems_that_it_cannot_solve_are_refused(problem, sentence):
    with pytest.raises(ValueError, match=sentence):
        wm.LinearDescent().solve(problem, as_points(X))


def test_bad_settings_are_refused():
    with pytest.raises(ValueError, match="stopping must be one of"):
        wm.LinearDescent(stopping="gap").solve(PROBLEMS["hinge"], as_points(X))
    with pytest.raises(ValueError, match="finish must be one of"):
        wm.LinearDescent(finish="cg").solve(PROBLEMS["hinge"], as_points(X))
    with pytest.raises(ValueError, match="rows"):
        wm.LinearDescent().solve(PROBLEMS["hinge"], as_points(X[:5]))
