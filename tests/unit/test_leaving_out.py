"""Leave-one-out: what it refuses, what it leaves alone, and the ways it goes when a path ends."""

import numpy as np
import pytest
import sklearn.svm
from scipy import sparse

from reference import leave_one_out as reference
from widemargin import SVC, SVR, EnclosingBall, NuSVC, NuSVR, OneClassSVM, RLSClassifier, leave_one_out
from widemargin.deletion import held_out
from widemargin.problems import nu_classification, soft_margin
from widemargin.solvers import Deactivation, Held

X = np.random.default_rng(0).standard_normal((24, 2))
y = np.where(X[:, 0] + 0.5 * X[:, 1] ** 2 > 0.3, "yes", "no")


@pytest.mark.parametrize("path", [Held(0.0, np.inf, 3), Held(0.0, 1e-3, 3)])
def test_where_a_path_cannot_be_followed_a_solver_is_run(monkeypatch, path):
    machine = SVC(C=2.0, gamma=1.0)
    expected = leave_one_out(machine, X, y)
    assert expected.solved == 0
    monkeypatch.setattr(held_out.Deactivation, "without", lambda self, point: path)
    result = leave_one_out(machine, X, y)
    assert result.solved == result.retrained == expected.retrained > 0
    np.testing.assert_allclose(result.decision_values, expected.decision_values, atol=1e-8)


def test_the_machine_is_not_changed_and_need_not_be_fitted():
    machine = SVC(C=2.0, gamma=1.0)
    leave_one_out(machine, X, y)
    assert not hasattr(machine, "classes_")


def test_points_of_weight_zero_are_judged_by_the_machine_of_the_others():
    weight = np.ones(24)
    weight[:5] = 0
    result = leave_one_out(SVC(gamma=1.0), X, y, sample_weight=weight)
    machine = SVC(gamma=1.0, tol=1e-10).fit(X[5:], y[5:])
    np.testing.assert_allclose(result.decision_values[:5], machine.decision_function(X[:5]), atol=1e-7)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_threads_do_not_change_the_result(n_jobs):
    result = leave_one_out(SVC(gamma=1.0, n_jobs=n_jobs), X, y)
    np.testing.assert_array_equal(result.decision_values, leave_one_out(SVC(gamma=1.0), X, y).decision_values)


def test_a_kernel_matrix_may_be_given():
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    given = leave_one_out(SVC(kernel="precomputed"), K, y)
    by_name = leave_one_out(SVC(gamma=1.0), X, y)
    np.testing.assert_allclose(given.decision_values, by_name.decision_values, atol=1e-9)


def test_regression_without_room_for_slack_is_refused():
    with pytest.raises(ValueError, match="epsilon"):
        leave_one_out(SVR(kernel="linear", C=np.inf, epsilon=0.01), X, X[:, 0] ** 2)


def test_bad_input_is_refused_in_a_sentence(monkeypatch):
    with pytest.raises(TypeError, match="OneClassSVM of this library, not for widemargin's EnclosingBall"):
        leave_one_out(EnclosingBall(), X, y)
    with pytest.raises(TypeError, match="not for sklearn's SVC"):
        leave_one_out(sklearn.svm.SVC(), X, y)
    with pytest.raises(TypeError, match="RLSClassifier knows it from its fit: read loo_predictions_"):
        leave_one_out(RLSClassifier(), X, y)
    with pytest.raises(ValueError, match=r"nu = 0.9 is infeasible: .* \(0, 0.75\]"):
        leave_one_out(NuSVC(nu=0.9), X, y)
    with pytest.raises(ValueError, match=r"nu = 0.72 is infeasible without sample .* \(0, 0.695652\]"):
        leave_one_out(NuSVC(nu=0.72), X, y)
    with pytest.raises(ValueError, match="at least two samples"):
        leave_one_out(OneClassSVM(), X[:1])
    with pytest.raises(ValueError, match="C must be"):
        leave_one_out(SVC(C=-1), X, y)
    with pytest.raises(ValueError, match="class 'one' has a single point"):
        leave_one_out(SVC(), X, ["one"] + ["two"] * 23)
    with pytest.raises(ValueError, match="cannot be separated"):
        leave_one_out(SVC(C=np.inf, kernel="linear"), X, y)
    monkeypatch.setattr("widemargin.deletion.leaving_out.available_bytes", lambda: 1000)
    with pytest.raises(ValueError, match="use fewer points"):
        leave_one_out(SVC(), X, y)


def test_of_nu_machines_only_support_vectors_are_retrained():
    outliers = leave_one_out(OneClassSVM(nu=0.2, gamma=1.0), X)
    support = OneClassSVM(nu=0.2, gamma=1.0, tol=1e-10).fit(X).support_.size
    assert outliers.retrained == pytest.approx(support, abs=2) and outliers.solved == 0
    classes = leave_one_out(NuSVC(nu=0.2, gamma=1.0), X, y)
    assert 0 < classes.retrained == classes.solved < len(X)
    numbers = leave_one_out(NuSVR(nu=0.2, gamma=1.0), X, X[:, 0])
    assert 0 < numbers.retrained == numbers.solved < len(X)


def test_a_path_needs_what_belongs_together():
    K, problem = np.eye(4), soft_margin([1, 1, -1, -1], 1.0)
    with pytest.raises(ValueError, match="single fixed sum"):
        Deactivation(nu_classification([1, 1, -1, -1], 0.5), K, np.zeros(4))
    with pytest.raises(ValueError, match="K must be square"):
        Deactivation(problem, np.eye(3), np.zeros(4))
    with pytest.raises(ValueError, match="one entry per variable"):
        Deactivation(problem, K, np.zeros(3))
    with pytest.raises(ValueError, match="within the bounds"):
        Deactivation(problem, K, np.full(4, 2.0))
    with pytest.raises(ValueError, match="point must be one"):
        Deactivation(problem, K, np.array([1, 1, -1, -1])).without(4)


def test_sparse_points():
    machine = SVC(C=2.0, gamma=1.0)
    values, _ = reference.retrained(machine, X, y)
    result = leave_one_out(machine, sparse.csr_array(X), y)
    np.testing.assert_allclose(result.decision_values, values, atol=1e-7)
