"""Fits that end early, go on later, and say how far they are."""

import logging
import os
import signal
import subprocess
import sys
import threading
import time
import warnings

import numpy as np
import pytest
import scipy.sparse
from sklearn.datasets import load_breast_cancer, load_diabetes, make_classification
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.preprocessing import scale

import widemargin as wm
from widemargin import Status, _core, threads
from widemargin.estimators import kernel_table, training
from widemargin.kernels import Constant

X, y = load_breast_cancer(return_X_y=True)
X = scale(X)
HARD_X, HARD_Y = make_classification(1500, 10, n_informative=5, flip_y=0.3, random_state=0)
THREE = np.arange(1500) % 3


def slow(**parameters):
    """A machine that takes far longer than any test waits."""
    return wm.SVC(C=1e6, gamma=1.0, tol=1e-12, solver="most-violating-pair", **parameters)


@pytest.mark.parametrize(
    "machine",
    [
        wm.SVC(max_iter=2),
        wm.NuSVC(max_iter=2),
        wm.SVR(max_iter=2),
        wm.NuSVR(max_iter=2),
        wm.EnclosingBall(max_iter=0),
    ],
)
def test_an_exhausted_iteration_limit_warns_with_violation_and_remedies(machine):
    with pytest.warns(
        ConvergenceWarning, match=r"stopped at max_iter=\d with a KKT violation of .*raise max_iter"
    ) as caught:
        machine.fit(X, y)
    assert ("lower C" in str(caught[0].message)) == hasattr(machine, "C")
    assert "scale the data" in str(caught[0].message)
    assert machine.status_ is Status.MAX_ITERATIONS and machine.fit_status_ == 1
    assert np.isfinite(machine.predict(X)).all()


def test_steps_that_only_turn_rounding_around_come_to_an_end():
    random = np.random.default_rng(4)
    x = random.normal(size=(10, 1))
    signs = x[:, 0] + random.normal(size=10) > 0
    kernel = wm.Linear() + Constant(1.0)
    machine = wm.SVC(C=1e12, kernel=kernel, fit_intercept=False, tol=1e-6, max_time=120)
    with pytest.warns(ConvergenceWarning):
        machine.fit(x, signs)
    assert machine.status_ is Status.STALLED and machine.kkt_violation_ > 1e-6


def test_an_exhausted_time_limit_warns_and_leaves_a_model():
    machine = slow(max_time=0.005)
    with pytest.warns(ConvergenceWarning, match="raise max_time"):
        machine.fit(HARD_X, THREE)
    assert machine.status_ is Status.MAX_TIME
    assert machine.predict(HARD_X).shape == (1500,)


def test_a_converged_fit_does_not_warn():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert wm.SVC().fit(X, y).status_ is Status.OPTIMAL


@pytest.mark.parametrize(
    "Machine, parameters",
    [
        (wm.SVC, {}),
        (wm.SVC, {"fit_intercept": False}),
        (wm.SVR, {}),
        (wm.NuSVC, {}),
        (wm.NuSVR, {}),
        (wm.OneClassSVM, {}),
        (wm.EnclosingBall, {}),
    ],
)
def test_warm_starts_resume_where_the_limit_stopped(Machine, parameters):
    parameters = parameters | {
        "solver": "second-order"
    }  # named, so that the fit ends at tol and not at rounding
    cold = Machine(**parameters).fit(X, y)
    machine = Machine(warm_start=True, max_iter=max(int(np.sum(cold.n_iter_)) // 2, 1), **parameters)
    with pytest.warns(ConvergenceWarning):
        machine.fit(X, y)
    machine.set_params(max_iter=-1).fit(X, y)
    assert machine.status_ is Status.OPTIMAL
    assert np.sum(machine.n_iter_) < np.sum(cold.n_iter_)
    assert machine.dual_objective_ == pytest.approx(cold.dual_objective_, rel=1e-3, abs=1e-3)


def test_a_warm_start_from_the_optimum_has_nothing_to_do():
    machine = wm.SVC(warm_start=True).fit(X, y)
    before = machine.decision_function(X)
    machine.fit(X, y)
    assert machine.n_iter_[0] <= 1
    np.testing.assert_allclose(machine.decision_function(X), before, atol=1e-3)


@pytest.mark.parametrize("Machine", [wm.SVC, wm.SVR])
@pytest.mark.parametrize("C", [0.1, 10.0])
def test_warm_starts_carry_over_to_another_C(Machine, C):
    target = y if Machine is wm.SVC else X[:, 0]
    cold = Machine(C=C, tol=1e-5).fit(X, target)
    warm = Machine(C=1.0, warm_start=True, tol=1e-5).fit(X, target).set_params(C=C).fit(X, target)
    assert warm.dual_objective_ == pytest.approx(cold.dual_objective_, rel=1e-6)
    assert np.abs(warm.dual_coef_).max() <= C


def test_warm_starts_of_several_classes_resume_every_pair():
    machine = wm.SVC(warm_start=True).fit(HARD_X[:900], THREE[:900])
    machine.fit(HARD_X[:900], THREE[:900])
    assert (machine.n_iter_ <= 1).all()


def test_a_warm_start_on_other_data_starts_afresh():
    machine = wm.SVC(warm_start=True).fit(X, y).fit(X[:100], y[:100])
    np.testing.assert_allclose(
        machine.decision_function(X), wm.SVC().fit(X[:100], y[:100]).decision_function(X)
    )


def test_a_callback_sees_progress_and_stops_with_a_usable_model():
    seen = []

    def callback(progress):
        seen.append(progress)
        return True

    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = slow(callback=callback).fit(HARD_X, THREE)
    assert machine.status_ is Status.INTERRUPTED
    assert machine.predict(HARD_X).shape == (1500,)
    progress = seen[0]
    assert progress.iteration > 0 and progress.violation > 0 and progress.seconds > 0
    assert (
        progress.active_size <= 1500 and progress.kernel_evaluations > 0 and np.isfinite(progress.objective)
    )


def test_a_callback_that_stops_after_the_first_of_several_problems_is_not_taken_for_a_time_limit():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine = wm.SVC(callback=lambda progress: True).fit(X[:90], np.arange(90) % 3)
    assert machine.status_ is Status.INTERRUPTED


@pytest.mark.parametrize("machine", [wm.OneClassSVM(max_time=0), wm.NuSVC(nu=0.2, max_time=0)])
def test_a_run_stopped_before_it_knows_its_gradient_does_not_claim_a_violation_of_zero(machine):
    X, y = (np.concatenate([part] * 8) for part in (HARD_X, HARD_Y))  # too much for a single block of rows
    with pytest.warns(ConvergenceWarning, match="an unknown KKT violation"):
        machine.fit(X, y)
    assert machine.kkt_violation_ == machine.duality_gap_ == machine.primal_objective_ == np.inf
    assert machine.predict(HARD_X).shape == (1500,)


def test_a_callback_that_returns_nothing_lets_the_fit_end():
    seen = []
    machine = wm.SVC(callback=seen.append).fit(X, y)
    assert machine.status_ is Status.OPTIMAL and seen


def test_an_error_in_a_callback_is_raised_and_undoes_the_fit():
    machine = slow(callback=lambda progress: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        machine.fit(HARD_X, HARD_Y)
    assert not hasattr(machine, "classes_")


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_keeps_a_usable_model_and_is_passed_on(n_jobs, monkeypatch):
    pressed, noticed = threading.Event(), threading.Event()
    stop = training.Watch.stop
    monkeypatch.setattr(training.Watch, "stop", lambda *arguments: stop(*arguments) or noticed.set())

    def press(progress):
        if not pressed.is_set():
            pressed.set()
            os.kill(os.getpid(), signal.SIGINT)
            noticed.wait(timeout=20)

    machine = slow(n_jobs=n_jobs, callback=press)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(HARD_X, THREE)
    assert machine.status_ is Status.INTERRUPTED
    assert machine.predict(HARD_X).shape == (1500,)


def test_after_ctrl_c_no_fold_of_a_calibration_is_begun(monkeypatch):
    stated = []
    original = wm.SVC._machine
    monkeypatch.setattr(wm.SVC, "_machine", lambda self, *a: stated.append(1) or original(self, *a))
    machine = slow(n_jobs=1, probability=True, callback=lambda progress: os.kill(os.getpid(), signal.SIGINT))
    with pytest.raises(KeyboardInterrupt):
        machine.fit(HARD_X, THREE)
    assert len(stated) == 3
    assert machine.predict(HARD_X).shape == (1500,)
    with pytest.raises(NotFittedError, match="not to the end"):
        machine.predict_proba(HARD_X)


def test_problems_are_stated_one_after_the_other(monkeypatch):
    events = []
    original, solve = wm.SVC._machine, wm.SMO.solve
    monkeypatch.setattr(wm.SVC, "_machine", lambda self, *a: events.append("state") or original(self, *a))
    monkeypatch.setattr(wm.SMO, "solve", lambda self, *a, **b: events.append("solve") or solve(self, *a, **b))
    wm.SVC(solver="second-order", n_jobs=1, probability=True).fit(HARD_X[:90], THREE[:90])
    assert events == ["state", "solve"] * 18


def test_memory_for_very_many_variables_comes_out_of_the_budget(monkeypatch):
    granted = []
    solve = wm.SMO.solve
    monkeypatch.setattr(
        wm.SMO, "solve", lambda self, *a, **b: granted.append(b["cache_bytes"]) or solve(self, *a, **b)
    )
    machine = wm.SVC(solver="second-order", cache_size=1).fit(X, y)
    monkeypatch.setattr(training, "OWN_BYTES", 0)
    machine.fit(X, y)
    assert granted == [2**20, 2**20 - training.VARIABLE_BYTES * len(X)]


def test_the_first_working_set_is_not_computed_to_its_end_when_told_to_stop():
    points = scipy.sparse.random_array((2100, 50_000), density=0.01, format="csr", rng=0)
    gram = wm.Gaussian(1.0).bind(points)
    problem = wm.problems.soft_margin(np.where(np.arange(2100) % 2, 1.0, -1.0), 1.0)
    seen = []

    def observer(progress):
        seen.append(progress.kernel_evaluations)
        return seen[-1] > 0

    core = _core.Problem(
        problem.linear, problem.lower, problem.upper, problem.start, None, None, [problem.size]
    )
    settings = wm.SMO().settings(wm.Stop())
    raw = _core.solve(core, gram, None, settings, 1024, 0, observer, 0.0)
    assert Status(raw["status"]) is Status.INTERRUPTED
    assert 0 < min(filter(None, seen)) < 1024**2 / 2
    assert not raw["alpha"].any()


WITHOUT_THREADS = """
import numpy as np, widemargin as wm
X = np.random.default_rng(0).normal(size=(3000, 20))
machine = wm.SVC(n_jobs=2).fit(X, X[:, 0] > 0)
print(machine.status_.name, machine.n_support_.sum())
"""


def test_threads_that_cannot_be_had_are_done_without():
    resource = pytest.importorskip("resource")
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("the stack of a thread cannot be made larger than memory")

    def no_room_for_stacks():
        resource.setrlimit(resource.RLIMIT_STACK, (2**40, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (2**36, resource.RLIM_INFINITY))

    answers = []
    for prepare in (None, no_room_for_stacks):
        environment = os.environ | {"OPENBLAS_NUM_THREADS": "1", "OMP_NUM_THREADS": "1"}
        done = subprocess.run(
            [sys.executable, "-c", WITHOUT_THREADS],
            capture_output=True,
            text=True,
            env=environment,
            preexec_fn=prepare,
        )
        answers.append(done.stdout)
    assert answers[0].startswith("OPTIMAL") and answers[0] == answers[1]


def test_threads_change_nothing():
    one, two = (wm.SVC(n_jobs=n_jobs, probability=True).fit(HARD_X[:300], THREE[:300]) for n_jobs in (1, 2))
    np.testing.assert_array_equal(one.dual_coef_, two.dual_coef_)
    np.testing.assert_allclose(one.predict_proba(HARD_X), two.predict_proba(HARD_X), rtol=1e-10)


def test_verbose_speaks_through_logging_and_nothing_else(caplog, capfd):
    with caplog.at_level(logging.INFO, logger="widemargin"):
        wm.SVC(verbose=True).fit(HARD_X[:300], THREE[:300])
    assert [record.message[:14] for record in caplog.records] == [f"problem {k} of 3" for k in (1, 2, 3)]
    assert "violation" in caplog.text and "iterations" in caplog.text and " s)" in caplog.text
    assert capfd.readouterr().out == ""


def test_a_fit_is_silent_unless_asked(caplog, capfd):
    with caplog.at_level(logging.DEBUG):
        wm.SVC().fit(X, y)
    assert caplog.text == "" and capfd.readouterr() == ("", "")


@pytest.mark.parametrize(
    "machine", [wm.SVC(), wm.NuSVC(), wm.SVR(), wm.NuSVR(), wm.OneClassSVM(), wm.EnclosingBall()]
)
def test_every_fit_comes_with_a_certificate(machine):
    data, targets = (X, y) if "SVC" in type(machine).__name__ else load_diabetes(return_X_y=True)
    machine.fit(data, targets)
    assert machine.status_ is Status.OPTIMAL and machine.fit_status_ == 0
    assert machine.kkt_violation_ <= machine.tol
    assert machine.duality_gap_ >= 0
    assert machine.primal_objective_ - machine.dual_objective_ == pytest.approx(
        machine.duality_gap_, abs=1e-6
    )
    assert machine.kernel_evaluations_ > 0
    assert not hasattr(machine, "trace_")


def test_a_trace_is_kept_if_the_solver_records_one():
    machine = wm.SVC(solver=wm.SMO(trace=1)).fit(X, y)
    assert len(machine.trace_["objective"]) > 10
    assert len(wm.SVC(solver=wm.SMO(trace=1)).fit(HARD_X[:99], THREE[:99]).trace_) == 3
    assert not hasattr(machine.set_params(solver=None).fit(X, y), "trace_")


@pytest.mark.parametrize(
    "solver",
    [
        "auto",
        "most-violating-pair",
        "second-order",
        "hybrid-maximum-gain",
        wm.SMO(step="planning-ahead"),
        wm.Decomposition(6),
    ],
)
def test_every_solver_finds_the_same_machine(solver):
    reference = wm.SVC(tol=1e-6).fit(X, y)
    machine = wm.SVC(tol=1e-6, solver=solver).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), reference.decision_function(X), atol=1e-4)


PREDICT_FOR_LONG = """
import time, numpy as np, widemargin as wm
X = np.random.default_rng(0).normal(size=(2000, 200)).astype(np.float32)
machine = wm.SVC(gamma=1.0, n_jobs={n_jobs}, max_iter=5000).fit(X, X[:, 0] > 0)
X = np.tile(X, (100, 1))
print("begin", flush=True)
try:
    machine.predict(X)
except KeyboardInterrupt:
    print("interrupted")
"""


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_a_prediction_that_would_take_very_long(n_jobs):
    code = PREDICT_FOR_LONG.format(n_jobs=n_jobs)
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout.readline() == "begin\n"
        time.sleep(0.5)
        process.send_signal(signal.SIGINT)
        assert process.communicate(timeout=20)[0] == "interrupted\n"


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_ctrl_c_ends_the_making_of_a_table_and_leaves_the_machine_as_it_was(n_jobs, monkeypatch):
    def press(*arguments):
        os.kill(os.getpid(), signal.SIGINT)

    monkeypatch.setattr(training, "choose_table", lambda *arguments: press() or kernel_table.WholeTable)
    machine = wm.SVC(n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(HARD_X, THREE)
    assert not hasattr(machine, "classes_")


@pytest.mark.parametrize("mirrored_work", [0, np.inf])
@pytest.mark.parametrize(
    "kind", [kernel_table.WholeTable, kernel_table.RoundedTable, kernel_table.TriangleTable]
)
def test_a_table_is_given_up_when_told_to_and_equals_the_matrix_otherwise(monkeypatch, kind, mirrored_work):
    monkeypatch.setattr(kernel_table, "MIRRORED_WORK", mirrored_work)
    gram = wm.Gaussian(0.1).bind(HARD_X)
    assert kernel_table.tabulate(gram, kind, 2, lambda: True) is None
    every = np.arange(1500, dtype=np.int32)
    table = kernel_table.tabulate(gram, kind, 2, lambda: False)
    np.testing.assert_allclose(table.block(every, every), gram.block(every, every), rtol=1e-13)
    rows, columns = every[[700, 3, 1499]], every[[5, 1400, 700, 0]]
    np.testing.assert_allclose(table.block(rows, columns), gram.block(rows, columns), rtol=1e-13)
    np.testing.assert_allclose(table.block32(every, every), gram.block(every, every), rtol=1e-5)


@pytest.mark.parametrize("limit", [{"callback": lambda progress: True}, {"max_time": 0.0}])
def test_whoever_waits_for_a_table_can_end_it(monkeypatch, limit):
    filled = []
    real = kernel_table.tabulate
    monkeypatch.setattr(training, "choose_table", lambda *arguments: kernel_table.WholeTable)
    monkeypatch.setattr(
        training, "tabulate", lambda *arguments: filled.append(real(*arguments)) or filled[-1]
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        machine = wm.SVC(n_jobs=1, **limit).fit(HARD_X, THREE)
    assert filled == [None]
    assert machine.status_ is not wm.Status.OPTIMAL


def test_a_table_is_made_only_where_problems_read_its_entries_often():
    gram, dear = wm.Gaussian(0.1).bind(HARD_X), wm.Gaussian(0.1).bind(np.tile(HARD_X, 200))
    one = wm.problems.soft_margin(np.where(HARD_Y > 0, 1, -1), 1.0)
    assert kernel_table.choose_table([one], dear, 2**40) is None
    assert kernel_table.choose_table([one] * 4, dear, 2**40) is kernel_table.WholeTable
    assert kernel_table.choose_table([one] * 4, gram, 2**40) is kernel_table.RoundedTable
    assert kernel_table.choose_table([one] * 4, gram, 4 * 1500**2) is None
    part = wm.problems.soft_margin(np.where(HARD_Y[:1400] > 0, 1, -1), 1.0)
    assert kernel_table.choose_table([one, part] * 4, gram, 2**40) is None
    small = wm.problems.soft_margin(np.where(HARD_Y[:500] > 0, 1, -1), 1.0)
    assert kernel_table.choose_table([small] * 14, gram, 2**40) is kernel_table.WholeTable
    assert kernel_table.choose_table([small] * 14, gram, 12 * 1500**2 - 1) is kernel_table.TriangleTable
    assert kernel_table.choose_table([small] * 14, gram, 4 * 1500**2) is None


def test_a_rounded_table_is_read_in_single_precision_only():
    gram, K = wm.Gaussian(0.1).bind(HARD_X[:50]), np.full((50, 50), 7, dtype=np.float32)
    table, every = _core.rounded_table(gram, K), np.arange(50, dtype=np.int32)
    np.testing.assert_array_equal(table.block32(every, every), K)
    np.testing.assert_array_equal(table.block(every, every), gram.block(every, every))
    np.testing.assert_array_equal(table.diagonal(), gram.diagonal())
    assert table.single_rounding == gram.single_rounding
    assert not table.stored and table.stored_rounded and not gram.stored_rounded
    assert table.computed == every.size**2  # the block in double
    with pytest.raises(ValueError, match="shape of its Gram"):
        _core.rounded_table(gram, K[:, :49].copy())


@pytest.mark.parametrize("tol", [1e-3, 1e-8])
def test_columns_of_a_code_on_a_rounded_table_end_as_without_it(monkeypatch, tol):
    y = np.arange(1500) % 4
    settings = {"multiclass": "complete", "gamma": 0.1, "tol": tol, "n_jobs": 2}
    shared = wm.SVC(**settings).fit(HARD_X, y)
    monkeypatch.setattr(kernel_table, "USES", np.inf)
    alone = wm.SVC(**settings).fit(HARD_X, y)
    assert tol < 1e-4 or shared.kernel_evaluations_saved_ > 0  # else most of the work is in double
    assert alone.kernel_evaluations_saved_ == 0
    assert shared.kernel_evaluations_ > 1500**2  # the table, and what was verified in double
    assert shared.status_ is alone.status_ is Status.OPTIMAL
    np.testing.assert_allclose(
        shared.dual_objective_, alone.dual_objective_, rtol=1e-5 if tol > 1e-4 else 1e-9
    )


def test_small_problems_on_a_triangle_end_as_without_it(monkeypatch):
    X, y = HARD_X[:900], np.arange(900) % 30
    shared = wm.SVC(cache_size=3.5).fit(X, y)
    monkeypatch.setattr(kernel_table, "TRIANGLE_SHARE", 0)
    alone = wm.SVC(cache_size=3.5).fit(X, y)
    assert shared.kernel_evaluations_ != alone.kernel_evaluations_
    assert shared.status_ is Status.OPTIMAL
    values = [each.set_params(decision_function_shape="ovo").decision_function(X) for each in (shared, alone)]
    np.testing.assert_allclose(*values, atol=1e-2)


def test_a_hard_working_set_does_not_hold_up_the_others():
    """A polynomial kernel of low rank makes the first working set of the default harder than the whole."""
    board = wm.datasets.noisy_chess_board(1500, seed=0)
    machine = wm.SVC(kernel="poly", degree=5, coef0=1, C=1000, max_iter=1_000_000).fit(board.X, board.y)
    assert machine.status_ is wm.Status.OPTIMAL


def test_a_kernel_function_hit_by_ctrl_c_answers_and_the_model_is_kept():
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        if len(calls) == 310:
            signal.raise_signal(signal.SIGINT)
        return np.exp(-0.1 * ((A[:, None] - B[None]) ** 2).sum(axis=2))

    machine = wm.SVC(kernel=kernel, C=100, n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        machine.fit(HARD_X[:300], HARD_Y[:300])
    assert len(calls) > 310
    assert machine.support_.size > 0


def test_a_table_that_is_complete_is_not_thrown_away():
    done = []
    assert threads.for_each(lambda item, abandoned: done.append(item), [1, 2], 1, lambda: len(done) == 2)
    assert done == [1, 2]
