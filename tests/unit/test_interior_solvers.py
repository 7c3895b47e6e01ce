"""Interior-point solvers: estimators, limits, Ctrl-C, and input that cannot be solved."""

import os
import signal
import threading

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_classification
from sklearn.exceptions import ConvergenceWarning

import widemargin as wm
from widemargin.datasets import two_moons
from widemargin.problems import hard_margin, nu_classification, one_class, soft_margin
from widemargin.solvers.interior import matrix as matrices

SOLVERS = [wm.LogBarrier(), wm.Mehrotra()]
NAMES = ["log-barrier", "mehrotra"]

each_solver = pytest.mark.parametrize("solver", SOLVERS, ids=NAMES)


def moons(n=60):
    sample = two_moons(n, noise=0.3, seed=0)
    return sample.X, sample.y


def a_problem(n=60, C=1.0):
    X, y = moons(n)
    return soft_margin(y, C), wm.Gaussian(gamma=1.0).bind(X)


# --- estimators -----------------------------------------------------------------------------------


MACHINES = {
    "SVC": wm.SVC(C=5.0, gamma=1.0, tol=1e-6),
    "SVC without bias": wm.SVC(C=5.0, gamma=1.0, tol=1e-6, fit_intercept=False),
    "SVC with squared loss": wm.SVC(C=5.0, gamma=1.0, tol=1e-6, loss="squared_hinge"),
    "NuSVC": wm.NuSVC(nu=0.3, gamma=1.0, tol=1e-6),
    "SVR": wm.SVR(C=5.0, gamma=1.0, tol=1e-6),
    "NuSVR": wm.NuSVR(C=5.0, gamma=1.0, tol=1e-6),
    "OneClassSVM": wm.OneClassSVM(nu=0.2, gamma=1.0, tol=1e-6),
    "EnclosingBall": wm.EnclosingBall(gamma=1.0, tol=1e-6),
}


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("machine", MACHINES)
def test_every_estimator_takes_an_interior_point_method_by_name(machine, name):
    X, y = moons()
    usual = clone(MACHINES[machine]).fit(X, y)
    other = clone(MACHINES[machine]).set_params(solver=name).fit(X, y)
    assert other.status_ is wm.Status.OPTIMAL
    assert other.dual_objective_ == pytest.approx(usual.dual_objective_, rel=1e-6)
    evaluate = "decision_function" if hasattr(usual, "decision_function") else "predict"
    assert getattr(other, evaluate)(X) == pytest.approx(getattr(usual, evaluate)(X), abs=1e-4)


@each_solver
def test_several_classes_share_a_table(solver):
    X, y = make_classification(150, 5, n_informative=4, n_redundant=0, n_classes=3, random_state=0)
    usual = wm.SVC(tol=1e-6).fit(X, y)
    other = wm.SVC(tol=1e-6, solver=solver).fit(X, y)
    assert other.decision_function(X) == pytest.approx(usual.decision_function(X), abs=1e-4)
    assert (other.predict(X) == usual.predict(X)).mean() > 0.99


@each_solver
def test_solutions_are_sparse_like_those_of_pair_methods(solver):
    X, y = moons(200)
    usual = wm.SVC(C=1.0, gamma=1.0, tol=1e-8).fit(X, y)
    other = wm.SVC(C=1.0, gamma=1.0, tol=1e-8, solver=solver).fit(X, y)
    assert other.support_.tolist() == usual.support_.tolist()


@each_solver
def test_records_are_cloned_and_printed(solver):
    copy = clone(solver).set_params(epsilon=1e-6)
    assert copy.epsilon == 1e-6 and solver.epsilon == 1e-4
    assert "epsilon=1e-06" in repr(copy)


def test_a_name_that_is_not_there_is_refused_with_those_that_are():
    with pytest.raises(ValueError, match=r"'log-barrier'.*'mehrotra'.*not 'barrier'"):
        wm.SVC(solver="barrier").fit(*moons())


@each_solver
def test_weights_stand_for_repetitions(solver):
    X, y = moons(30)
    weight = np.resize([1.0, 2.0, 3.0], 30)
    weighted = wm.SVC(gamma=1.0, tol=1e-8, solver=solver).fit(X, y, weight)
    repeated = wm.SVC(gamma=1.0, tol=1e-8, solver=solver).fit(
        np.repeat(X, weight.astype(int), axis=0), np.repeat(y, weight.astype(int))
    )
    assert weighted.decision_function(X) == pytest.approx(repeated.decision_function(X), abs=1e-6)


@each_solver
def test_a_warm_start_is_moved_inside(solver):
    X, y = moons()
    machine = wm.SVC(gamma=1.0, solver=solver, warm_start=True, tol=1e-6).fit(X, y)
    before = machine.dual_objective_
    assert machine.fit(X, y).dual_objective_ == pytest.approx(before, rel=1e-8)


# --- low rank -------------------------------------------------------------------------------------


@pytest.mark.parametrize("sparse", [False, True], ids=["dense", "csr"])
@each_solver
def test_a_linear_kernel_with_few_features_is_a_small_system(solver, sparse):
    X, y = make_classification(1500, 12, n_informative=6, flip_y=0.2, random_state=0)
    X = sp.csr_array(np.where(np.abs(X) > 1, X, 0.0)) if sparse else X
    solution = solver.solve(soft_margin(2.0 * y - 1, 1.0), wm.Linear().bind(X))
    usual = wm.SMO(finish="newton").solve(soft_margin(2.0 * y - 1, 1.0), wm.Linear().bind(X))
    assert solution.counters["rank"] <= 12
    assert solution.counters["kernel_evaluations"] < 1500**2
    assert solution.status is wm.Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(usual.dual_objective, rel=1e-5)


@pytest.mark.slow
def test_ten_thousand_points_with_a_linear_kernel():
    random = np.random.default_rng(0)
    X = random.standard_normal((10_000, 50))
    y = np.where(X @ random.standard_normal(50) + 3 * random.standard_normal(10_000) > 0, 1.0, -1.0)
    for solver in SOLVERS:
        solution = solver.solve(soft_margin(y, 1.0), wm.Linear().bind(X))
        assert solution.status is wm.Status.OPTIMAL and solution.duality_gap <= 1e-4


# --- limits and Ctrl-C ----------------------------------------------------------------------------


@each_solver
def test_the_iteration_limit_is_kept_and_said(solver):
    problem, gram = a_problem()
    solution = solver.solve(problem, gram, stop=wm.Stop(max_iter=3))
    assert solution.status is wm.Status.MAX_ITERATIONS and solution.iterations == 3
    assert solution.alpha.sum() == pytest.approx(0, abs=1e-12)
    with pytest.warns(ConvergenceWarning, match="max_iter=3"):
        machine = wm.SVC(solver=solver, max_iter=3).fit(*moons())
    assert machine.status_ is wm.Status.MAX_ITERATIONS


@each_solver
def test_the_time_limit_is_kept(solver):
    problem, gram = a_problem()
    solution = solver.solve(problem, gram, stop=wm.Stop(max_time=0.0))
    assert solution.status is wm.Status.MAX_TIME
    assert not solution.exact and solution.duality_gap == np.inf
    with pytest.warns(ConvergenceWarning, match=r"max_time=0\.0 s with an unknown KKT violation"):
        wm.SVC(solver=solver, max_time=0.0).fit(*moons())


@each_solver
def test_an_observer_sees_the_run_and_may_end_it(solver, monkeypatch):
    monkeypatch.setattr("widemargin.solvers.interior.watch.INTERVAL", 0.0)
    problem, gram = a_problem()
    seen = []

    def observe(progress):
        seen.append(progress.iteration)
        return progress.iteration >= 4

    solution = solver.solve(problem, gram, observer=observe)
    assert solution.status is wm.Status.INTERRUPTED and 4 <= solution.iterations <= 5
    assert seen == sorted(seen)
    assert (solution.alpha >= problem.lower).all() and (solution.alpha <= problem.upper).all()


@each_solver
def test_control_c_is_heard_within_a_factorisation_and_leaves_a_model(solver):
    random = np.random.default_rng(0)
    X = random.standard_normal((2000, 30))
    y = np.where(X[:, 0] + random.standard_normal(2000) > 0, 1, -1)
    machine = wm.SVC(gamma=0.5, solver=solver)
    timer = threading.Timer(0.5, os.kill, (os.getpid(), signal.SIGINT))
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        machine.fit(X, y)
    timer.join()
    assert machine.status_ is wm.Status.INTERRUPTED
    assert np.isfinite(machine.decision_function(X[:5])).all()


# --- what cannot be solved ------------------------------------------------------------------------


@each_solver
def test_a_start_outside_the_bounds_is_refused_by_variable(solver):
    problem, gram = a_problem()
    start = problem.start.copy()
    start[7] = 3.0 * np.sign(problem.linear[7])
    with pytest.raises(ValueError, match=r"start is infeasible: start\[7\] is -?3, outside its bounds"):
        solver.solve(problem, gram, start=start)


@each_solver
def test_a_start_with_another_sum_is_refused_by_group(solver):
    problem, gram = a_problem()
    start = problem.start.copy()
    start[0] = 0.5 * np.sign(problem.linear[0])
    with pytest.raises(ValueError, match=r"start is infeasible: group 0 adds up to -?0\.5 instead of 0"):
        solver.solve(problem, gram, start=start)


@each_solver
def test_a_start_with_nan_or_of_another_length_is_refused(solver):
    problem, gram = a_problem()
    with pytest.raises(ValueError, match=r"start\[0\] is nan"):
        solver.solve(problem, gram, start=np.full(60, np.nan))
    with pytest.raises(ValueError, match="one value for each of the 60 variables"):
        solver.solve(problem, gram, start=np.zeros(59))


@each_solver
@pytest.mark.parametrize("kernel", ["zero", "duplicates", "linear"])
def test_a_singular_hessian_gives_a_solution_without_nan(solver, kernel):
    X, y = moons(40)
    points = {"zero": np.zeros_like(X), "duplicates": X[np.arange(40) % 4], "linear": X}[kernel]
    for C in (1e-3, 1.0, 1e4):
        solution = solver.solve(soft_margin(y, C), wm.Linear().bind(points), stop=wm.Stop(tol=1e-4))
        assert solution.status is wm.Status.OPTIMAL
        assert np.isfinite(solution.alpha).all() and np.isfinite(solution.gradient).all()
        usual = wm.SMO(finish="newton").solve(
            soft_margin(y, C), wm.Linear().bind(points), stop=wm.Stop(tol=1e-5)
        )
        assert solution.dual_objective == pytest.approx(usual.dual_objective, rel=1e-6)


@each_solver
@pytest.mark.parametrize("size", [1e-3, 1.0, 1e3])
def test_a_solution_that_touches_no_bound_is_found(solver, size):
    X = size * np.array([[1.0, 0.0], [0.0, 2.0]])
    accurate = clone(solver).set_params(epsilon=1e-8 * size**2)
    solution = accurate.solve(one_class(2, 0.5), wm.Linear().bind(X), stop=wm.Stop(tol=1e-6 * size**2))
    assert solution.status is wm.Status.OPTIMAL
    assert solution.alpha == pytest.approx([0.8, 0.2], abs=1e-6)
    assert solution.dual_objective == pytest.approx(-0.4 * size**2, rel=1e-6)


@each_solver
@pytest.mark.parametrize("rank", ["full", "low"])
def test_a_matrix_that_is_not_positive_semi_definite_is_refused(solver, rank):
    n = 40
    y = np.resize([1.0, -1.0], n)
    if rank == "full":
        K = np.eye(n)
        K[0, 1] = K[1, 0] = 3.0
    else:
        K = np.zeros((n, n))
        K[0, 1] = K[1, 0] = 1.0
    with pytest.raises(ValueError, match=r"not positive semi-definite.*default solver"):
        solver.solve(soft_margin(y, 1.0), wm.Precomputed().bind(K))


@each_solver
def test_classes_that_cannot_be_separated_have_no_hard_margin(solver):
    X = np.array([[0.0], [1.0], [2.0], [3.0]])
    solution = solver.solve(hard_margin([1.0, -1.0, 1.0, -1.0]), wm.Linear().bind(X))
    assert solution.status is wm.Status.UNBOUNDED
    with pytest.raises(ValueError):
        wm.SVC(kernel="linear", C=np.inf, solver=solver).fit(X, [1, -1, 1, -1])


@pytest.mark.parametrize("name", NAMES)
def test_every_labelling_that_cannot_be_separated_is_refused(name):
    X = np.random.default_rng(0).normal(size=(200, 3))
    for seed in range(40):
        y = np.random.default_rng(seed).permutation(np.where(X[:, 0] > 0, 1, -1))
        with pytest.raises(ValueError, match="cannot be separated"):
            wm.SVC(C=np.inf, kernel="linear", solver=name).fit(X, y)


@each_solver
@pytest.mark.parametrize("scale", [1e-6, 1.0, 1e4])
@pytest.mark.parametrize("margin", [0.0, 0.01, 1.0])
def test_hard_margins_are_found_and_missed_at_any_scale_and_place(solver, scale, margin):
    random = np.random.default_rng(1)
    X = random.normal(size=(80, 3))
    y = np.where(X[:, 0] > 0, 1.0, -1.0)
    X[:, 0] += margin * y
    for place in (0.0, 100.0):
        gram = wm.Linear().bind(scale * (X + place))
        found = solver.solve(hard_margin(y), gram)
        if scale == 1e-6 and place > 0:  # the objective is 1e12 times as large: rounding may end it first
            assert found.duality_gap <= 1e-6 * found.dual_objective
        else:
            assert found.status is wm.Status.OPTIMAL
            assert found.duality_gap <= 1e-4 * found.dual_objective
        mixed = solver.solve(hard_margin(random.permutation(y)), gram)
        assert mixed.status is wm.Status.UNBOUNDED


@each_solver
def test_a_tube_that_no_line_stays_in_is_refused_and_a_wide_one_is_not(solver):
    x = np.linspace(-1, 1, 30)
    svr = wm.SVR(C=np.inf, kernel="linear", solver=solver)
    with pytest.raises(ValueError):
        svr.set_params(epsilon=0.1).fit(x[:, None], x**2)
    svr.set_params(epsilon=0.6).fit(x[:, None], x**2)
    assert np.abs(svr.predict(x[:, None]) - x**2).max() <= 0.6 + 1e-3


@each_solver
def test_a_problem_without_any_choice_is_solved_at_once(solver):
    X, _ = moons(20)
    gram = wm.Gaussian(gamma=1.0).bind(X)
    for problem in (one_class(20, 1.0), nu_classification(np.resize([1.0, -1.0], 20), 1.0)):
        solution = solver.solve(problem, gram)
        assert solution.status is wm.Status.OPTIMAL and solution.iterations == 0
        assert solution.duality_gap == pytest.approx(0, abs=1e-12)


@each_solver
def test_a_start_may_be_a_list(solver):
    problem, gram = a_problem()
    solution = solver.solve(problem, gram, start=[0.0] * problem.size)
    assert solution.status is wm.Status.OPTIMAL


@each_solver
def test_a_gap_that_rounding_keeps_above_epsilon_is_not_called_optimal(solver):
    X, y = moons()
    solution = clone(solver).solve(soft_margin(y, 1.0), wm.Linear().bind(1e7 * X), stop=wm.Stop(tol=1e3))
    assert (solution.duality_gap <= solver.epsilon) == (solution.status is wm.Status.OPTIMAL)
    assert solution.duality_gap > solver.epsilon


@each_solver
def test_points_of_any_size_come_to_an_end(solver):
    X, y = moons(30)
    for size in (1e10, 1e50):
        solution = solver.solve(soft_margin(y, 1.0), wm.Linear().bind(size * X), stop=wm.Stop(max_time=60))
        assert solution.status is wm.Status.STALLED


@each_solver
def test_a_matrix_without_room_is_refused_in_a_sentence(solver, monkeypatch):
    monkeypatch.setattr(matrices, "available_bytes", lambda: 10**5)
    problem, gram = a_problem(200)
    with pytest.raises(ValueError, match=r"hold the kernel matrix and its Cholesky factor.*default solver"):
        solver.solve(problem, gram)


def test_a_low_rank_needs_no_room_for_a_matrix(monkeypatch):
    monkeypatch.setattr(matrices, "available_bytes", lambda: 10**6)
    X, y = moons(400)
    solution = wm.Mehrotra().solve(soft_margin(y, 1.0), wm.Linear().bind(X))
    assert solution.status is wm.Status.OPTIMAL and solution.counters["rank"] == 2


@pytest.mark.parametrize(
    "settings",
    [
        {"epsilon": 0.0},
        {"t0": 0.0},
        {"mu": 1.0},
        {"newton_epsilon": -1.0},
        {"c1": 0.5},
        {"backtracking": 1.0},
        {"trace": -1},
        {"epsilon": "small"},
        {"mu": None},
    ],
    ids=str,
)
def test_settings_that_cannot_work_are_refused_by_name(settings):
    with pytest.raises(ValueError, match=next(iter(settings))):
        wm.LogBarrier(**settings)


@pytest.mark.parametrize("name", ["epsilon", "t0", "mu", "newton_epsilon", "c1", "backtracking", "trace"])
def test_settings_that_are_no_numbers_are_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} must be a number.*; got 'a'"):
        wm.LogBarrier(**{name: "a"})


def test_a_factor_of_one_leads_nowhere():
    with pytest.raises(ValueError, match="mu must be a number, larger than 1 and finite; got 1"):
        wm.LogBarrier(mu=1)


ALL_SOLVERS = [*SOLVERS, wm.SMO(), wm.Decomposition()]


@pytest.mark.parametrize("solver", ALL_SOLVERS, ids=lambda solver: type(solver).__name__)
@pytest.mark.parametrize(
    "change, sentence",
    [
        ({"gram": np.eye(60)}, r"gram must be a kernel matrix.*Precomputed\(\).*array of shape \(60, 60\)"),
        ({"gram": wm.Linear()}, r"gram must be a kernel matrix.*bind\(X\).*type Linear"),
        ({"problem": np.ones(60)}, r"problem must be a Problem.*soft_margin\(y, C\)"),
        ({"stop": 1e-3}, r"stop must be a Stop, as Stop\(tol=1e-3\), or None; got 0.001"),
    ],
    ids=["array", "kernel", "problem", "stop"],
)
def test_what_cannot_be_solved_is_refused_in_a_sentence(solver, change, sentence):
    problem, gram = a_problem()
    with pytest.raises(ValueError, match=sentence):
        solver.solve(**{"problem": problem, "gram": gram, **change})


@pytest.mark.parametrize("solver", ALL_SOLVERS, ids=lambda solver: type(solver).__name__)
def test_the_matrix_of_other_points_is_refused_with_its_shape(solver):
    (problem, _), (X, _) = a_problem(), moons()
    with pytest.raises(ValueError, match="a row for each of the 60 points of the problem; got 59 x 59"):
        solver.solve(problem, wm.Linear().bind(X[:59]))
    with pytest.raises(ValueError, match=r"gram must be square.* got 60 x 5"):
        solver.solve(problem, wm.Linear().bind(X, X[:5]))


@pytest.mark.parametrize("name", ["tol", "max_iter", "max_time"])
def test_limits_that_are_no_numbers_are_refused_by_name(name):
    with pytest.raises(ValueError, match=f"{name} must be.*got 'a'"):
        wm.Stop(**{name: "a"})


# --- the history ----------------------------------------------------------------------------------


def test_a_trace_has_a_record_for_every_step():
    problem, gram = a_problem()
    solution = wm.LogBarrier(trace=1).solve(problem, gram)
    trace = solution.trace
    assert trace["iteration"].tolist() == list(range(1, solution.iterations + 1))
    assert trace["gap"] == pytest.approx(2 * 60 / trace["t"])
    assert set(np.diff(trace["centring"])) <= {0, 1}
    assert trace["objective"][-1] == pytest.approx(solution.dual_objective, abs=1e-4)
    trace = wm.Mehrotra(trace=2).solve(problem, gram).trace
    assert (trace["iteration"] % 2 == 0).all()
    assert wm.Mehrotra().solve(problem, gram).trace is None
