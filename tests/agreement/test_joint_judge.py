"""Machines that learn all classes at once, beside an interior-point method on their primal problems."""

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.svm import LinearSVC

import widemargin as wm
from reference import joint as reference
from widemargin import kernels

ESTIMATORS = {
    "weston-watkins": wm.WestonWatkins,
    "crammer-singer": wm.CrammerSinger,
    "lee-lin-wahba": wm.LeeLinWahba,
    "bredensteiner-bennett": wm.BredensteinerBennett,
}
WITH_FREE_BIAS = [name for name in ESTIMATORS if name != "crammer-singer"]
KERNELS = {
    "gaussian": kernels.Gaussian(0.7),
    "linear": kernels.Linear(),
    "polynomial": kernels.Polynomial(degree=2, gamma=0.5, coef0=1.0),
    "laplacian": kernels.Laplacian(0.4),
}


def blobs(seed, n, N):
    """Points of N overlapping classes in the plane, each present."""
    random = np.random.default_rng(seed)
    labels = np.concatenate([np.arange(N), random.integers(N, size=n - N)])
    centres = 1.5 * random.standard_normal((N, 2))
    return centres[labels] + random.standard_normal((n, 2)), labels


def scores(machine, X):
    """Values of all functions, also of two classes."""
    return machine._values(X)


def differences(values):
    """To their mean: functions that are all raised by a constant are the same machine."""
    return values - values.mean(axis=1, keepdims=True)


@pytest.mark.parametrize("N", [2, 3, 5])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("machine", ESTIMATORS)
def test_objective_and_values_are_those_of_the_judge(machine, kernel, N):
    X, y = blobs(N, 24, N)
    judged = reference.judge(machine, KERNELS[kernel].gram(X), y, 0.8, N)
    fitted = ESTIMATORS[machine](C=0.8, kernel=KERNELS[kernel], tol=1e-9).fit(X, y)
    assert fitted.primal_objective_ == pytest.approx(judged.objective, rel=1e-6)
    assert fitted.dual_objective_ == pytest.approx(judged.objective, rel=1e-6)
    np.testing.assert_allclose(scores(fitted, X), judged.values, atol=1e-6)


@pytest.mark.parametrize("machine", ESTIMATORS)
def test_weights_are_prices_of_the_judge(machine):
    X, y = blobs(7, 20, 3)
    weight = np.random.default_rng(7).uniform(0.2, 3.0, y.size)
    factors = {0: 0.5, 1: 1.0, 2: 2.0}
    prices = 1.3 * weight * np.array([factors[label] for label in y])
    judged = reference.judge(machine, kernels.Gaussian(0.5).gram(X), y, prices, 3)
    fitted = ESTIMATORS[machine](C=1.3, gamma=0.5, class_weight=factors, tol=1e-9).fit(X, y, weight)
    assert fitted.primal_objective_ == pytest.approx(judged.objective, rel=1e-6)
    np.testing.assert_allclose(scores(fitted, X), judged.values, atol=1e-6)


@pytest.mark.parametrize("machine", ESTIMATORS)
def test_a_penalised_bias_is_one_more_in_the_kernel(machine):
    X, y = blobs(5, 20, 3)
    judged = reference.judge(machine, kernels.Linear().gram(X) + 1.0, y, 0.5, 3)
    fitted = ESTIMATORS[machine](C=0.5, kernel="linear", bias="penalised", tol=1e-9).fit(X, y)
    assert fitted.primal_objective_ == pytest.approx(judged.objective, rel=1e-6)
    np.testing.assert_allclose(scores(fitted, X), judged.values, atol=1e-6)
    np.testing.assert_allclose(X @ fitted.coef_.T + fitted.intercept_, judged.values, atol=1e-6)


@pytest.mark.parametrize("N", [2, 3, 5])
@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("machine", WITH_FREE_BIAS)
def test_a_free_bias_is_that_of_the_judge(machine, kernel, N):
    X, y = blobs(30 + N, 24, N)
    judged = reference.judge(machine, KERNELS[kernel].gram(X), y, 0.8, N, bias=True)
    fitted = ESTIMATORS[machine](C=0.8, kernel=KERNELS[kernel], bias="free", tol=1e-9).fit(X, y)
    assert fitted.status_ is wm.Status.OPTIMAL
    assert fitted.primal_objective_ == pytest.approx(judged.objective, rel=1e-6)
    assert fitted.dual_objective_ == pytest.approx(judged.objective, rel=1e-6)
    np.testing.assert_allclose(fitted.dual_coef_.sum(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(differences(scores(fitted, X)), differences(judged.values), atol=1e-5)


def test_a_free_bias_of_two_classes_is_that_of_the_usual_machine():
    X, y = blobs(41, 60, 2)
    X = X + 3.0
    binary = wm.SVC(C=1.7, kernel="linear", tol=1e-9).fit(X, y)
    machine = wm.WestonWatkins(C=1.7, kernel="linear", bias="free", tol=1e-9).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), 2 * binary.decision_function(X), atol=1e-5)


@pytest.mark.parametrize("bias", ["none", "penalised", "free"])
@pytest.mark.parametrize("N", [2, 4])
@pytest.mark.parametrize("machine", ESTIMATORS)
def test_a_descent_by_weights_finds_what_the_judge_does(machine, N, bias):
    if bias == "free" and machine not in WITH_FREE_BIAS:
        return
    X, y = blobs(10 + N, 24, N)
    judged = reference.judge(machine, X @ X.T + (bias == "penalised"), y, 0.4, N, bias == "free")
    for data in (X, sp.csr_array(X)):
        fitted = ESTIMATORS[machine](C=0.4, kernel="linear", bias=bias, tol=1e-9, solver=wm.JointDescent())
        fitted.fit(data, y)
        assert fitted.status_ is wm.Status.OPTIMAL and fitted.kernel_evaluations_ == 0
        assert fitted.primal_objective_ == pytest.approx(judged.objective, rel=1e-6)
        assert fitted.duality_gap_ <= 1e-6 * judged.objective
        np.testing.assert_allclose(differences(scores(fitted, data)), differences(judged.values), atol=1e-6)


@pytest.mark.parametrize("bias", ["none", "penalised", "free"])
def test_twice_the_functions_of_bredensteiner_bennett_are_those_of_weston_watkins(bias):
    X, y = blobs(3, 40, 4)
    C, N = 3.0, 4
    machine = wm.BredensteinerBennett(C=C, bias=bias, tol=1e-9).fit(X, y)
    twin = wm.WestonWatkins(C=2 * C / (2 * N + 1), bias=bias, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(2 * scores(machine, X), scores(twin, X), atol=1e-7)


@pytest.mark.parametrize(
    ("estimator", "share"), [(wm.WestonWatkins, 1.0), (wm.CrammerSinger, 2.0), (wm.LeeLinWahba, 0.5)]
)
def test_of_two_classes_it_is_the_machine_without_bias(estimator, share):
    X, y = blobs(11, 50, 2)
    C, gamma = 1.7, 0.6
    binary = wm.SVC(C=share * C, gamma=gamma, fit_intercept=False, tol=1e-9).fit(X, y)
    machine = estimator(C=C, gamma=gamma, tol=1e-9).fit(X, y)
    factor = 1.0 if estimator is wm.CrammerSinger else 2.0  # differences of two functions
    np.testing.assert_allclose(machine.decision_function(X), factor * binary.decision_function(X), atol=1e-6)
    np.testing.assert_array_equal(machine.predict(X), binary.predict(X))


@pytest.mark.parametrize("bias", ["none", "penalised"])
def test_crammer_and_singer_agree_with_scikit_learn(bias):
    X, y = blobs(21, 90, 4)
    peer = LinearSVC(
        multi_class="crammer_singer", C=0.7, fit_intercept=bias != "none", tol=1e-10, max_iter=10**6
    )
    machine = wm.CrammerSinger(kernel="linear", C=0.7, bias=bias, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), peer.fit(X, y).decision_function(X), atol=1e-5)


@pytest.mark.parametrize("norm", [1, np.inf])
def test_codes_by_linear_programs_are_those_of_the_judge(norm):
    """The same program with |M| bounded entry by entry, by the interior-point method."""
    from reference import qp

    random = np.random.default_rng(0)
    n, N, F, C = 18, 3, 4, 0.3
    labels = np.arange(n) % N
    G = random.standard_normal((n, F)) + labels[:, None]
    code, objective = wm.joint.continuous_code.least_code(G, labels, N, C, norm)
    # variables: M, bounds t on |M| (one for each entry or one for all), slacks
    bounds = np.eye(N * F) if norm == 1 else np.ones((N * F, 1))
    T = bounds.shape[1]
    rows, b = [], []
    for i in range(n):
        for r in range(N):
            if r != labels[i]:
                row = np.zeros((N, F))
                row[r], row[labels[i]] = G[i], -G[i]
                rows.append(np.concatenate([row.ravel(), np.zeros(T), -np.eye(n)[i]]))
                b.append(-1.0)
    for sign in (1, -1):
        rows.extend(np.hstack([sign * np.eye(N * F), -bounds, np.zeros((N * F, n))]))
        b.extend(np.zeros(N * F))
    rows.extend(np.hstack([np.zeros((n, N * F + T)), -np.eye(n)]))
    b.extend(np.zeros(n))
    cost = np.concatenate([np.zeros(N * F), np.ones(T), np.full(n, C)])
    _, least = qp.minimise(np.zeros((cost.size, cost.size)), cost, np.array(rows), np.array(b), 0, 1e-9)
    assert objective == pytest.approx(least, rel=1e-6)
    values = G @ code.T
    losses = [max(0, 1 - values[i, y] + np.delete(values[i], y).max()) for i, y in enumerate(labels)]
    size = np.abs(code).sum() if norm == 1 else np.abs(code).max()
    assert size + C * sum(losses) == pytest.approx(objective, rel=1e-9)
