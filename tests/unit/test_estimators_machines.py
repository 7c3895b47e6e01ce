"""What each machine promises, checked on its solutions."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_iris, make_blobs
from sklearn.preprocessing import scale

import widemargin as wm

IRIS_X, IRIS_Y = load_iris(return_X_y=True)
X, y = load_breast_cancer(return_X_y=True)
X, s = scale(X), np.where(y == 1, 1.0, -1.0)
K = wm.Gaussian(0.03).gram(X)


def by_point(machine, n):
    coefficients = np.zeros(n)
    coefficients[machine.support_] = machine.dual_coef_[0]
    return coefficients


def test_the_hard_margin_separates_with_equal_margins():
    separable, labels = IRIS_X[:100], IRIS_Y[:100]
    machine = wm.SVC(C=np.inf, kernel="linear", tol=1e-8).fit(separable, labels)
    margins = np.where(labels == 1, 1, -1) * machine.decision_function(separable)
    assert margins.min() == pytest.approx(1.0, abs=1e-6)
    np.testing.assert_allclose(margins[machine.support_], 1.0, atol=1e-6)
    assert np.linalg.norm(machine.coef_) ** 2 == pytest.approx(np.abs(machine.dual_coef_).sum(), rel=1e-6)


def test_a_large_C_gives_the_hard_margin():
    separable, labels = IRIS_X[:100], IRIS_Y[:100]
    hard = wm.SVC(C=np.inf, kernel="linear", tol=1e-8).fit(separable, labels)
    soft = wm.SVC(C=1e6, kernel="linear", tol=1e-8).fit(separable, labels)
    np.testing.assert_allclose(hard.coef_, soft.coef_, rtol=1e-6)


def test_the_hinge_machine_satisfies_its_optimality_conditions():
    machine = wm.SVC(C=2.0, gamma=0.03, tol=1e-6).fit(X, y)
    alpha, margins = s * by_point(machine, len(X)), s * machine.decision_function(X)
    assert ((alpha >= 0) & (alpha <= 2.0)).all()
    assert (margins[alpha == 0] >= 1 - 1e-5).all()
    assert (margins[alpha == 2.0] <= 1 + 1e-5).all()
    np.testing.assert_allclose(margins[(alpha > 0) & (alpha < 2.0)], 1.0, atol=1e-5)
    w2 = by_point(machine, len(X)) @ K @ by_point(machine, len(X))
    slack = np.maximum(0, 1 - margins)
    assert machine.primal_objective_ == pytest.approx(w2 / 2 + 2.0 * slack.sum(), rel=1e-6)


def test_slacks_of_the_squared_hinge_are_the_coefficients_over_C():
    machine = wm.SVC(C=2.0, gamma=0.03, loss="squared_hinge", tol=1e-8).fit(X, y)
    alpha, margins = s * by_point(machine, len(X)), s * machine.decision_function(X)
    np.testing.assert_allclose(np.maximum(0, 1 - margins), alpha / 2.0, atol=1e-6)


def test_the_least_squares_machine_solves_its_linear_system():
    machine = wm.SVC(C=2.0, gamma=0.03, loss="least-squares", tol=1e-9).fit(X, y)
    n = len(X)
    H = np.block([[K + np.eye(n) / 2.0, np.ones((n, 1))], [np.ones((1, n)), np.zeros((1, 1))]])
    *coefficients, b = np.linalg.solve(H, np.append(s, 0.0))
    np.testing.assert_allclose(by_point(machine, n), coefficients, atol=1e-6)
    assert machine.intercept_[0] == pytest.approx(b, abs=1e-6)


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "least-squares"])
def test_without_a_bias_the_sum_of_coefficients_is_free(loss):
    machine = wm.SVC(fit_intercept=False, loss=loss, gamma=0.03, tol=1e-6).fit(X, y)
    assert machine.intercept_[0] == 0.0
    assert abs(machine.dual_coef_.sum()) > 1e-3
    coefficients = by_point(machine, len(X))
    np.testing.assert_allclose(machine.decision_function(X), K @ coefficients, atol=1e-9)
    gradient = s - K @ coefficients - (0.0 if loss == "hinge" else coefficients)
    free = np.ones(len(X), bool) if loss == "least-squares" else coefficients != 0
    free &= np.abs(coefficients) < (1.0 if loss == "hinge" else np.inf)
    np.testing.assert_allclose(gradient[free], 0.0, atol=1e-5)


def test_sample_weights_are_repetitions():
    weight = np.random.default_rng(0).integers(0, 4, len(X))
    weighted = wm.SVC(tol=1e-7).fit(X, y, sample_weight=weight)
    repeated = wm.SVC(tol=1e-7).fit(X.repeat(weight, axis=0), y.repeat(weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-5)


def test_class_weights_are_factors_of_sample_weights():
    by_class = wm.SVC(class_weight={0: 3.0, 1: 0.5}, gamma=0.03, tol=1e-7).fit(X, y)
    by_sample = wm.SVC(gamma=0.03, tol=1e-7).fit(X, y, sample_weight=np.where(y == 0, 3.0, 0.5))
    np.testing.assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("nu", [0.1, 0.3, 0.6])
def test_nu_bounds_margin_errors_from_above_and_support_vectors_from_below(nu):
    machine = wm.NuSVC(nu=nu, gamma=0.03, tol=1e-6).fit(X, y)
    margins = s * machine.decision_function(X)
    assert (margins < 1 - 1e-4).mean() <= nu <= machine.n_support_.sum() / len(X)


def test_NuSVC_is_SVC_at_the_C_it_finds():
    machine = wm.NuSVC(nu=0.3, gamma=0.03, tol=1e-8).fit(X, y)
    C = np.abs(machine.dual_coef_).max()
    same = wm.SVC(C=C, gamma=0.03, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), same.decision_function(X), atol=1e-3)


def test_NuSVC_at_the_largest_nu_uses_all_points_of_the_smaller_class():
    few, labels = np.vstack([X[y == 0][:10], X[y == 1][:30]]), np.r_[np.zeros(10), np.ones(30)]
    machine = wm.NuSVC(nu=0.5).fit(few, labels)
    assert machine.n_support_[0] == 10 and np.isfinite(machine.intercept_).all()
    assert machine.score(few, labels) > 0.9


@pytest.mark.parametrize("class_weight", ["balanced", {0: 5.0, 1: 1.0}])
def test_class_weights_of_NuSVC_are_factors_of_sample_weights(class_weight):
    by_class = wm.NuSVC(nu=0.2, class_weight=class_weight, gamma=0.03, tol=1e-8).fit(X, y)
    weight = by_class.class_weight_[y]
    by_sample = wm.NuSVC(nu=0.2, gamma=0.03, tol=1e-8).fit(X, y, sample_weight=weight)
    np.testing.assert_allclose(by_class.decision_function(X), by_sample.decision_function(X), atol=1e-4)


def test_the_tube_of_NuSVR_is_the_epsilon_of_SVR():
    data, targets = load_diabetes(return_X_y=True)
    nu = wm.NuSVR(C=100.0, nu=0.4, tol=1e-6).fit(data, targets)
    epsilon = wm.SVR(C=100.0, epsilon=nu.epsilon_, tol=1e-6).fit(data, targets)
    np.testing.assert_allclose(nu.predict(data), epsilon.predict(data), atol=1e-2)
    outside = np.abs(targets - nu.predict(data)) > nu.epsilon_ + 1e-3
    assert outside.mean() <= 0.4 <= nu.n_support_[0] / len(data)


@pytest.mark.parametrize("Machine", [wm.OneClassSVM, wm.EnclosingBall])
@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5])
def test_nu_bounds_the_share_of_outliers(Machine, nu):
    machine = Machine(nu=nu).fit(X)
    assert (machine.predict(X) == -1).mean() <= nu <= machine.n_support_[0] / len(X)


def test_the_hard_ball_encloses_all_points_and_touches_its_support():
    ball = wm.EnclosingBall(nu=0, kernel="linear", tol=1e-8).fit(X)
    center = ball.dual_coef_ @ ball.support_vectors_
    distance = np.linalg.norm(X - center, axis=1)
    assert ball.dual_coef_.sum() == pytest.approx(1.0)
    assert ball.radius_ == pytest.approx(distance.max(), rel=1e-6)
    np.testing.assert_allclose(distance[ball.support_], ball.radius_, rtol=1e-6)
    assert (ball.predict(X) == 1).all()
    np.testing.assert_allclose(ball.decision_function(X), ball.radius_**2 - distance**2, atol=1e-6)


def test_the_hard_ball_of_two_points_has_their_distance_as_diameter():
    ball = wm.EnclosingBall(C=np.inf, kernel="linear").fit([[0.0, 0.0], [3.0, 4.0]])
    assert ball.radius_ == pytest.approx(2.5)
    np.testing.assert_allclose(ball.dual_coef_ @ ball.support_vectors_, [[1.5, 2.0]])


def test_a_ball_around_one_point_has_no_radius():
    ball = wm.EnclosingBall(nu=0).fit([[1.0, 2.0]])
    assert ball.radius_ == pytest.approx(0.0, abs=1e-5)
    assert ball.predict([[1.0, 2.0]]) == 1 and ball.predict([[5.0, 2.0]]) == -1


def test_the_ball_of_a_kernel_with_constant_diagonal_is_the_one_class_machine():
    gamma, nu = 0.03, 0.2
    ball = wm.EnclosingBall(nu=nu, gamma=gamma, tol=1e-8).fit(X)
    one = wm.OneClassSVM(nu=nu, gamma=gamma, tol=1e-8).fit(X)
    np.testing.assert_allclose(
        ball.decision_function(X), 2 / (nu * len(X)) * one.decision_function(X), atol=1e-5
    )


def test_C_and_nu_describe_the_same_soft_ball():
    by_nu = wm.EnclosingBall(nu=0.2, tol=1e-6).fit(X)
    by_C = wm.EnclosingBall(C=1 / (0.2 * len(X)), tol=1e-6).fit(X)
    assert by_C.radius_ == pytest.approx(by_nu.radius_, rel=1e-6)


def test_the_centre_is_an_element_of_the_hilbert_space():
    ball = wm.EnclosingBall(nu=0.2).fit(X)
    assert ball.center_.norm()[0] ** 2 == pytest.approx(ball.center_squared_norm_, rel=1e-6)
    np.testing.assert_allclose(ball.score_samples(X) - ball.offset_, ball.decision_function(X))


def test_outliers_are_found():
    inliers, _ = make_blobs(200, centers=[[0.0, 0.0]], random_state=0)
    outliers = np.array([[8.0, 8.0], [-9.0, 7.0]])
    for machine in (wm.EnclosingBall(nu=0.05), wm.OneClassSVM(nu=0.05)):
        machine.fit(np.vstack([inliers, outliers]))
        np.testing.assert_array_equal(machine.predict(outliers), [-1, -1])
