"""LinearSVC and LinearSVR beside scikit-learn's, beside SVC and SVR, and beside an interior-point method."""

import numpy as np
import pytest
import scipy.sparse as sp
from real_sets import classification, regression
from sklearn import svm

import widemargin as wm
from reference import qp
from reference.linear import primal
from reference.program import written_out
from widemargin.problems import soft_margin, squared_epsilon_regression


@pytest.fixture(scope="module")
def labelled():
    X, y = classification("breast cancer")
    return X[::3], y[::3]


@pytest.fixture(scope="module")
def measured():
    X, y = regression()
    return X[::2], y[::2]


@pytest.mark.parametrize("make", [np.asarray, sp.csr_matrix])
@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_penalised_intercept_gives_the_machine_of_scikit_learn(labelled, loss, make):
    X, y = labelled
    options = {"loss": loss, "C": 0.3, "intercept_scaling": 1.5}
    ours = wm.LinearSVC(bias="penalised", tol=1e-9, **options).fit(make(X), y)
    theirs = svm.LinearSVC(tol=1e-9, max_iter=10**6, random_state=0, dual=True, **options).fit(make(X), y)
    np.testing.assert_allclose(ours.coef_, theirs.coef_, atol=2e-4)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=2e-4)
    value = primal(
        X, np.where(y == ours.classes_[1], 1.0, -1.0), theirs.coef_[0], theirs.intercept_[0], 0.3, loss,
        penalised=1.5**-2,
    )  # fmt: skip
    assert ours.dual_objective_ <= value * (1 + 1e-9)
    assert ours.primal_objective_ <= value * (1 + 1e-8)


@pytest.mark.parametrize("loss", ["epsilon_insensitive", "squared_epsilon_insensitive"])
def test_a_penalised_intercept_gives_the_regression_of_scikit_learn(measured, loss):
    X, y = measured
    options = {"loss": loss, "C": 0.3, "epsilon": 0.1}
    ours = wm.LinearSVR(bias="penalised", tol=1e-9, **options).fit(X, y)
    theirs = svm.LinearSVR(tol=1e-9, max_iter=10**6, random_state=0, dual=True, **options).fit(X, y)
    value = primal(X, y, theirs.coef_, theirs.intercept_[0], 0.3, loss, 0.1, 1.0)
    assert ours.dual_objective_ <= value * (1 + 1e-9)
    assert ours.primal_objective_ == pytest.approx(value, rel=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge"])
def test_a_free_intercept_gives_the_machine_of_svc(labelled, loss):
    X, y = labelled
    linear = wm.LinearSVC(loss=loss, C=0.3, tol=1e-10).fit(X, y)
    C = 0.3 if loss == "hinge" else 0.6  # half the square there
    kernel = wm.SVC(kernel="linear", loss=loss, C=C, tol=1e-9).fit(X, y)
    assert linear.dual_objective_ == pytest.approx(kernel.dual_objective_, rel=1e-8)
    np.testing.assert_allclose(linear.coef_, kernel.coef_, atol=1e-5)


def test_a_free_intercept_gives_the_machine_of_svr(measured):
    X, y = measured
    linear = wm.LinearSVR(epsilon=0.1, tol=1e-10).fit(X, y)
    kernel = wm.SVR(kernel="linear", epsilon=0.1, tol=1e-9).fit(X, y)
    assert linear.dual_objective_ == pytest.approx(kernel.dual_objective_, rel=1e-8)
    np.testing.assert_allclose(linear.predict(X), kernel.predict(X), atol=1e-4)


def test_an_interior_point_method_finds_the_same_value(labelled, measured):
    X, y = labelled
    y = np.where(y == y.max(), 1.0, -1.0)
    value = qp.solve(written_out(soft_margin(y, 0.5), X @ X.T))[1]
    machine = wm.LinearSVC(loss="hinge", C=0.5, tol=1e-10).fit(X, y)
    assert machine.dual_objective_ == pytest.approx(value, rel=1e-6)
    X, t = measured
    value = qp.solve(written_out(squared_epsilon_regression(t, 1.0, 0.1), X @ X.T))[1]
    machine = wm.LinearSVR(loss="squared_epsilon_insensitive", C=0.5, epsilon=0.1, tol=1e-10).fit(X, t)
    assert machine.dual_objective_ == pytest.approx(value, rel=1e-6)
