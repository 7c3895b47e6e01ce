"""The derivatives of trained machines agree with central differences, in direct and in adjoint form."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone

import widemargin as wm
from reference.differences import central_differences
from widemargin import kernels

KERNELS = {
    "radial": lambda d: wm.Gaussian(0.3),
    "diagonal": lambda d: wm.ARDGaussian(np.linspace(0.1, 0.6, d)),
    "general": lambda d: wm.GeneralGaussian(0.4 * np.eye(d) + 0.1),
    "on the manifold": lambda d: kernels.ManifoldGaussian(0.6 * np.eye(d) + 0.1),
    "weighted sum": lambda d: 0.7 * wm.Gaussian(0.4) + 0.2 * wm.Polynomial(2, 0.5, 1.0),
    "product": lambda d: wm.Gaussian(0.2) * wm.Polynomial(2, 0.5, 1.0),
    "normalised": lambda d: wm.Polynomial(2, 0.5, 1.0).normalized(),
    "laplacian": lambda d: wm.Laplacian(0.3),
    "linear": lambda d: wm.Linear(),
}
"""Kernels of every family, for data with d features."""


def problem(seed, n=40, d=3):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    noise = random.normal(size=n)
    y = np.where(X[:, 0] + np.sin(2 * X[:, 1]) + 0.6 * noise > 0, "up", "down")
    return X, y, X[:, 0] ** 2 + 0.3 * noise, random.normal(size=(6, d))


def values_of(machine, X, y, new):
    """The values of the machine at new points, as a function of log C, log epsilon (if any) and theta."""
    tube = hasattr(machine, "epsilon")

    def values(x):
        changed = clone(machine).set_params(C=np.exp(x[0]))
        if tube:
            changed.set_params(epsilon=np.exp(x[1]))
        changed.set_params(kernel=machine.kernel.with_theta(x[1 + tube :])).fit(X, y)
        return changed._values(new)[:, 0]

    start = [np.log(machine.C), *([np.log(machine.epsilon)] if tube else []), *machine.kernel.theta]
    return values, np.array(start)


def check(machine, X, y, new, tolerance=1e-4):
    sensitivity = machine.fit(X, y).sensitivity(new)
    slopes, smooth = central_differences(*values_of(machine, X, y, new))
    per_class = [name.startswith("log C[") for name in sensitivity.names]
    found = sensitivity.jacobian[:, ~np.array(per_class)]
    size = np.abs(slopes).max(axis=0, initial=1e-2)
    error = np.abs(found - slopes).max(axis=0) / size
    assert np.all(error[smooth] <= tolerance), (error, sensitivity.names)
    q = np.random.default_rng(0).normal(size=len(new))
    np.testing.assert_allclose(sensitivity.gradient(q), q @ sensitivity.jacobian, rtol=1e-8, atol=1e-10)
    return smooth


@pytest.mark.parametrize("loss", ["hinge", "squared_hinge", "least-squares"])
@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kernel", KERNELS)
def test_classifiers_move_as_their_derivatives_say(loss, fit_intercept, kernel):
    smooth = []
    for seed in range(3):
        X, y, _, new = problem(seed)
        machine = wm.SVC(C=1.5, kernel=KERNELS[kernel](3), loss=loss, fit_intercept=fit_intercept, tol=1e-10)
        smooth.extend(check(machine, X, y, new))
    assert np.mean(smooth) > 0.8


@pytest.mark.parametrize("fit_intercept", [True, False])
@pytest.mark.parametrize("kernel", ["radial", "diagonal", "weighted sum"])
def test_regression_moves_as_its_derivatives_say(fit_intercept, kernel):
    smooth = []
    for seed in range(3):
        X, _, t, new = problem(seed)
        machine = wm.SVR(
            C=1.5, epsilon=0.2, kernel=KERNELS[kernel](3), fit_intercept=fit_intercept, tol=1e-10
        )
        smooth.extend(check(machine, X, t, new))
    assert np.mean(smooth) > 0.8


def test_with_no_free_support_vector_the_bias_moves_with_the_ends_of_its_interval():
    X, _, t, new = problem(1)
    y = np.repeat([0, 1], 20)
    classifier = wm.SVC(C=1e-2, kernel=wm.Gaussian(0.3), tol=1e-10).fit(X, y)
    assert np.all(np.abs(classifier.dual_coef_) == 1e-2)
    assert check(classifier, X, y, new).all()
    regressor = wm.SVR(C=1e-2, epsilon=0.02, kernel=wm.Gaussian(0.3), tol=1e-10).fit(X, t)
    assert np.all(np.abs(regressor.dual_coef_) == 1e-2)
    assert check(regressor, X, t, new).all()


def test_one_point_may_be_both_ends_of_the_interval_of_the_bias():
    X, t = np.array([[0.0], [1.0], [2.5]]), np.array([-5.0, 0.3, 5.0])  # the second is within the tube
    regressor = wm.SVR(C=1e-2, epsilon=0.2, kernel=wm.Gaussian(0.3), tol=1e-10).fit(X, t)
    assert set(regressor.support_) == {0, 2}
    assert check(regressor, X, t, np.array([[0.5], [3.0]])).all()


def test_repeated_points_change_nothing_but_the_price():
    X, y, _, new = problem(2)
    once = wm.SVC(C=3.0, kernel=wm.Gaussian(0.3), tol=1e-10).fit(X, y).sensitivity(new)
    twice = wm.SVC(C=1.5, kernel=wm.Gaussian(0.3), tol=1e-10).fit(np.repeat(X, 2, axis=0), np.repeat(y, 2))
    np.testing.assert_allclose(twice.sensitivity(new).jacobian, once.jacobian, rtol=1e-6, atol=1e-8)


def test_a_low_rank_kernel_has_finite_derivatives():
    X, y, _, new = problem(3)
    X[:20] = X[20:]
    machine = wm.SVC(C=100.0, kernel=wm.Polynomial(1, 1.0, 1.0)).fit(X, y)
    assert np.isfinite(machine.sensitivity(new).jacobian).all()


def test_the_price_of_all_is_the_sum_of_the_prices_of_the_classes():
    X, y, _, new = problem(4)
    sensitivity = wm.SVC(C=2.0, class_weight={"up": 0.5, "down": 3.0}).fit(X, y).sensitivity(new)
    np.testing.assert_allclose(
        sensitivity["log C[up]"] + sensitivity["log C[down]"], sensitivity["log C"], atol=1e-12
    )


def test_the_price_of_one_class_moves_the_function_as_its_weight_does():
    X, y, _, new = problem(5)

    def values(x):
        weights = {"up": np.exp(x[0]), "down": 1.0}
        return wm.SVC(C=2.0, gamma=0.4, class_weight=weights, tol=1e-10).fit(X, y).decision_function(new)

    slopes, smooth = central_differences(values, [np.log(0.7)])
    machine = wm.SVC(C=2.0, gamma=0.4, class_weight={"up": 0.7, "down": 1.0}, tol=1e-10).fit(X, y)
    assert smooth.all()
    np.testing.assert_allclose(machine.sensitivity(new)["log C[up]"], slopes[:, 0], rtol=1e-5, atol=1e-6)


def test_sample_weights_are_prices():
    X, y, _, new = problem(6)
    weight = np.random.default_rng(0).uniform(0.3, 2.0, size=len(y))

    def values(x):
        return wm.SVC(C=np.exp(x[0]), gamma=0.4, tol=1e-10).fit(X, y, weight).decision_function(new)

    slopes, smooth = central_differences(values, [np.log(1.5)])
    machine = wm.SVC(C=1.5, gamma=0.4, tol=1e-10).fit(X, y, weight)
    assert smooth.all()
    np.testing.assert_allclose(machine.sensitivity(new)["log C"], slopes[:, 0], rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("multiclass", ["all-pairs", "one-vs-all"])
def test_every_function_of_several_classes_has_derivatives(multiclass):
    X, _, t, new = problem(7)
    y = np.digitize(t, np.quantile(t, [0.33, 0.66]))

    def values(x):
        machine = wm.SVC(C=np.exp(x[0]), gamma=np.exp(x[1]), multiclass=multiclass, tol=1e-10)
        return machine.fit(X, y)._values(new)

    slopes, smooth = central_differences(values, np.log([1.5, 0.4]))
    machine = wm.SVC(C=1.5, gamma=0.4, multiclass=multiclass, tol=1e-10).fit(X, y)
    sensitivity = machine.sensitivity(new)
    assert smooth.all()
    assert sensitivity.jacobian.shape == (6, 3, 5)
    for column, name in enumerate(["log C", "log gamma"]):
        np.testing.assert_allclose(sensitivity[name], slopes[..., column], rtol=1e-4, atol=1e-5)
    q = np.random.default_rng(0).normal(size=(6, 3))
    np.testing.assert_allclose(sensitivity.gradient(q), np.einsum("ij,ijp->p", q, sensitivity.jacobian))


def test_sparse_data_have_the_same_derivatives():
    X, y, _, new = problem(8)
    machine = wm.SVC(C=1.5, kernel=wm.ARDGaussian([0.2, 0.4, 0.3]))
    dense = machine.fit(X, y).sensitivity(new).jacobian
    sparse = machine.fit(sp.csr_array(X), y).sensitivity(sp.csr_array(new)).jacobian
    np.testing.assert_allclose(sparse, dense, rtol=1e-8, atol=1e-10)


def test_a_stored_machine_keeps_its_derivatives(tmp_path):
    X, _, _, new = problem(9)
    y = np.repeat([0, 1], 20)
    for C in (1e-2, 2.0):  # without and with free support vectors
        machine = wm.SVC(C=C, gamma=0.3).fit(X, y)
        wm.io.save_model(machine, tmp_path / "svc.model")
        restored = wm.io.load_model(tmp_path / "svc.model")
        np.testing.assert_array_equal(restored.sensitivity(new).jacobian, machine.sensitivity(new).jacobian)


def test_machines_without_derivatives_say_so():
    X, y, _, new = problem(0)
    with pytest.raises(ValueError, match="precomputed"):
        K = wm.Gaussian(0.3).gram(X)
        wm.SVC(kernel="precomputed").fit(K, y).sensitivity(K)
    machine = wm.SVC(C=1.0).fit(X, y)
    with pytest.raises(ValueError, match="as it was trained"):
        wm.compress(machine, n_vectors=5).sensitivity(new)
    with pytest.raises(KeyError, match="log sigma"):
        machine.sensitivity(new)["log sigma"]

    class Bare(kernels.Gaussian):
        _contract_rows = kernels.Kernel._contract_rows

    with pytest.raises(ValueError, match="Bare has parameters but no derivative"):
        wm.SVC(kernel=Bare(0.3)).fit(X, y).sensitivity(new)
