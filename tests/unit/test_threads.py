"""How many threads are allowed, and what they do to BLAS and to Ctrl-C."""

import os
import subprocess
import sys
import threading

import joblib
import numpy as np
import pytest
from sklearn.datasets import make_classification
from threadpoolctl import ThreadpoolController, threadpool_limits

import widemargin as wm
from widemargin import _core, threads
from widemargin.least_squares import machine as least_squares
from widemargin.problems import soft_margin
from widemargin.threads import allowed_threads, blas_for, for_each, single_threaded_blas

PROCESSORS = joblib.cpu_count()
needs_openmp = pytest.mark.skipif(_core.openmp_threads() == 0, reason="built without OpenMP")
needs_processors = pytest.mark.skipif(
    PROCESSORS < 2, reason="a limit of one cannot be told from one processor"
)


def blas_threads():
    return [pool["num_threads"] for pool in ThreadpoolController().select(user_api="blas").info()]


def run(code, **environment):
    """What a fresh Python prints."""
    run = subprocess.run(
        [sys.executable, "-c", code], env=os.environ | environment, capture_output=True, text=True, check=True
    )
    return run.stdout.strip()


def test_blas_has_one_thread_for_small_matrices_and_where_n_jobs_says_so():
    before = blas_threads()
    with blas_for(threads.SMALL_MATRIX):
        assert set(blas_threads()) == {1}
    with blas_for(10_000, n_jobs=1):
        assert set(blas_threads()) == {1}
    with blas_for(10_000, n_jobs=2):
        assert blas_threads() == before


def test_small_least_squares_take_one_thread_of_blas(monkeypatch):
    seen, search = [], least_squares.choose_ridge
    monkeypatch.setattr(
        least_squares, "choose_ridge", lambda *args: (seen.append(blas_threads()), search(*args))[1]
    )
    with threadpool_limits(2, user_api="blas"):
        wm.RLSRegressor().fit(np.arange(30.0)[:, None], np.arange(30.0))
    assert set(seen[0]) == {1}


@pytest.mark.parametrize("solver", [wm.LogBarrier(), wm.Mehrotra()], ids=["log-barrier", "mehrotra"])
def test_an_interior_point_method_takes_one_thread_of_blas_unless_told_otherwise(solver, monkeypatch):
    monkeypatch.setattr("widemargin.solvers.interior.watch.INTERVAL", 0.0)
    monkeypatch.setattr(threads, "SMALL_MATRIX", 20)
    problem, gram = soft_margin(np.resize([1.0, -1.0], 30), 1.0), wm.Gaussian().bind(np.arange(30.0)[:, None])

    def threads_of(n_threads):
        seen = []
        solver.solve(problem, gram, n_threads=n_threads, observer=lambda _: seen.append(blas_threads()))
        return seen[0]

    with threadpool_limits(2, user_api="blas"):
        assert set(threads_of(1)) == {1}
        assert threads_of(2) == blas_threads()
        assert 2 in blas_threads()


def test_a_positive_number_is_that_many_and_negative_ones_count_back_from_all_processors():
    assert allowed_threads(3) == 3
    assert allowed_threads(-1) == PROCESSORS
    assert allowed_threads(-2) == max(1, PROCESSORS - 1)
    assert allowed_threads(-10_000) == 1
    with pytest.raises(ValueError, match="n_jobs must be None or a non-zero integer, not 0"):
        allowed_threads(0)


def test_none_is_never_more_than_the_processors_of_this_process():
    assert 1 <= allowed_threads(None) <= PROCESSORS


@needs_openmp
@needs_processors
def test_threadpoolctl_limits_what_none_allows_and_nothing_else():
    before = allowed_threads()
    with threadpool_limits(1):
        assert allowed_threads() == 1
        assert allowed_threads(2) == 2
    assert allowed_threads() == before


PRINT_ALLOWED = "from widemargin.threads import allowed_threads; print(allowed_threads())"


def test_the_environment_limits_what_none_allows():
    assert run(PRINT_ALLOWED, OMP_NUM_THREADS="1") == "1"
    assert run(PRINT_ALLOWED, OMP_NUM_THREADS="2") == str(min(2, PROCESSORS))


def test_without_openmp_its_environment_variable_is_read(monkeypatch):
    monkeypatch.setattr(threads._core, "openmp_threads", lambda: 0)
    monkeypatch.setenv("OMP_NUM_THREADS", "1,2")
    assert allowed_threads() == 1
    monkeypatch.delenv("OMP_NUM_THREADS")
    assert allowed_threads() == PROCESSORS


@pytest.mark.skipif(not hasattr(os, "sched_setaffinity"), reason="no affinity on this system")
def test_the_affinity_of_the_process_limits_what_none_allows():
    code = "import os; os.sched_setaffinity(0, {min(os.sched_getaffinity(0))});" + PRINT_ALLOWED
    assert run(code) == "1"


@pytest.mark.parametrize("backend", ["loky", "multiprocessing", "threading"])
def test_inside_workers_of_joblib_none_is_one(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        inside = joblib.Parallel()(joblib.delayed(allowed_threads)(n_jobs) for n_jobs in (None, None, 3))
    assert inside == [1, 1, 3]
    assert not threads.in_joblib_worker()


def test_choosing_a_backend_is_not_being_in_a_worker():
    before = allowed_threads()
    with joblib.parallel_config("threading", n_jobs=2):
        assert allowed_threads() == before
    assert joblib.Parallel(n_jobs=1)([joblib.delayed(allowed_threads)()]) == [before]


def test_blas_has_one_thread_inside_and_its_own_number_again_outside():
    before = blas_threads()
    with single_threaded_blas():
        assert set(blas_threads()) == {1}
        with single_threaded_blas():
            pass
        assert set(blas_threads()) == {1}
    assert blas_threads() == before


def test_the_last_thread_to_leave_gives_blas_its_threads_back():
    before, entered, leave = blas_threads(), threading.Event(), threading.Event()

    def stay():
        with single_threaded_blas():
            entered.set()
            leave.wait()

    other = threading.Thread(target=stay)
    with single_threaded_blas():
        other.start()
        entered.wait()
    assert set(blas_threads()) == {1}
    leave.set()
    other.join()
    assert blas_threads() == before


def test_an_error_inside_gives_blas_its_threads_back():
    before = blas_threads()
    with pytest.raises(ZeroDivisionError), single_threaded_blas():
        1 / 0  # noqa: B018
    assert blas_threads() == before


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork on this system")
def test_a_forked_process_is_not_inside():
    code = """
import os, scipy.linalg, sys
from threadpoolctl import ThreadpoolController
from widemargin.threads import single_threaded_blas
now = lambda: [pool["num_threads"] for pool in ThreadpoolController().select(user_api="blas").info()]
before = now()
with single_threaded_blas():
    child = os.fork()
    if child == 0:
        os._exit(now() != before)
    sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
"""
    run(code)


@pytest.mark.parametrize("workers", [1, 3])
def test_work_is_done_for_each_item_once(workers):
    done = []
    for_each(lambda item, abandoned: done.append(item), range(50), workers)
    assert sorted(done) == list(range(50))


@pytest.mark.parametrize("workers", [1, 3])
def test_after_an_error_no_item_is_begun_and_work_in_hand_is_abandoned(workers):
    begun = []

    def work(item, abandoned):
        begun.append(item)
        if item == 0:
            raise ZeroDivisionError
        abandoned.wait()  # for ever, if it were not set

    with pytest.raises(ZeroDivisionError):
        for_each(work, range(50), workers)
    assert len(begun) <= workers + 1


X, y = make_classification(3000, 10, n_informative=5, flip_y=0.2, random_state=0)
THREE, FIRST = np.arange(3000) % 3, X[:, 0]


@pytest.mark.parametrize(
    "machine, target",
    [
        (wm.SVC(), y),
        (wm.SVC(max_iter=2000, C=10), THREE),
        (wm.NuSVC(nu=0.6), y),
        (wm.SVR(epsilon=0.3), FIRST),
        (wm.OneClassSVM(nu=0.1), None),
    ],
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_the_number_of_threads_does_not_change_the_solution_at_all(machine, target):
    values = []
    for n_jobs in (1, 2, 2):
        machine.set_params(n_jobs=n_jobs).fit(X, target)
        values.append(machine.predict(X) if target is FIRST else machine.decision_function(X))
    np.testing.assert_array_equal(values[1], values[2])
    np.testing.assert_array_equal(values[0], values[1])


@pytest.mark.parametrize("backend", ["loky", "threading"])
def test_fits_inside_workers_of_joblib_equal_those_outside(backend):
    with joblib.parallel_config(backend, n_jobs=2):
        inside = joblib.Parallel()(joblib.delayed(wm.SVC(C=C).fit)(X, y) for C in (0.1, 1.0))
    for machine in inside:
        np.testing.assert_array_equal(machine.dual_coef_, wm.SVC(C=machine.C).fit(X, y).dual_coef_)
