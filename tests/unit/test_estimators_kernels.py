"""Machines on every kind of data and kernel."""

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from scipy.spatial.distance import cdist
from sklearn.base import clone
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.preprocessing import scale

import widemargin as wm
from widemargin.estimators.sample import variance

X, y = load_iris(return_X_y=True)
PIXELS = np.round(X * 10).astype(np.uint8)
MACHINES = [
    wm.SVC(),
    wm.NuSVC(nu=0.2),
    wm.SVR(),
    wm.NuSVR(),
    wm.OneClassSVM(nu=0.2),
    wm.EnclosingBall(nu=0.2),
]


def values(machine, X):
    return getattr(machine, "decision_function", machine.predict)(X)


def common_letters(A, B):
    return np.array([[len(set(a) & set(b)) + 1.0 for b in B] for a in A])


@pytest.mark.parametrize("dtype", [np.uint8, np.int8, np.float32, np.float64])
@pytest.mark.parametrize("machine", MACHINES)
def test_numbers_keep_their_type(machine, dtype):
    machine.set_params(tol=1e-5).fit(PIXELS.astype(dtype), y)
    assert machine.support_vectors_.dtype == dtype
    wide = values(machine, PIXELS.astype(dtype))
    machine.fit(PIXELS.astype(np.float64), y)
    np.testing.assert_allclose(wide, values(machine, PIXELS.astype(np.float64)), atol=1e-3)


@pytest.mark.parametrize("make", [sp.csr_matrix, sp.csr_array, sp.csc_matrix, sp.coo_array])
@pytest.mark.parametrize("machine", MACHINES)
def test_sparse_data_train_the_same_machine_and_stay_sparse(machine, make):
    dense = values(machine.set_params(tol=1e-5).fit(X, y), X)
    machine.fit(make(X), y)
    assert sp.issparse(machine.support_vectors_) and machine.support_vectors_.format == "csr"
    for data in (X, make(X)):
        np.testing.assert_allclose(values(machine, data), dense, atol=1e-3)


def test_a_machine_trained_on_dense_data_predicts_sparse_ones():
    machine = wm.SVC().fit(X, y)
    np.testing.assert_allclose(machine.decision_function(sp.csr_matrix(X)), machine.decision_function(X))


@pytest.mark.parametrize("dtype", [np.float64, np.float32, np.uint8, np.int8])
def test_the_variance_of_gamma_scale_needs_no_copy_and_is_exact(dtype):
    data = PIXELS.astype(dtype)
    expected = data.astype(np.float64).var()
    assert variance(data, np.ones(150)) == pytest.approx(expected, rel=1e-12)
    assert variance(sp.csr_matrix(data), np.ones(150)) == pytest.approx(expected, rel=1e-9)
    weight = np.arange(150) % 4.0
    repeated = data.astype(np.float64).repeat(weight.astype(int), axis=0)
    assert variance(data, weight) == pytest.approx(repeated.var(), rel=1e-12)


def test_gamma_scale_and_auto_are_those_of_scikit_learn():
    assert wm.SVC().fit(X, y).kernel_.gamma == pytest.approx(1 / (4 * X.var()))
    assert wm.SVC(gamma="auto").fit(X, y).kernel_.gamma == 0.25
    assert wm.SVC(gamma=2).fit(X, y).kernel_.gamma == 2.0
    assert wm.SVC().fit(np.ones((4, 2)), [0, 1, 0, 1]).kernel_.gamma == 1.0


@pytest.mark.parametrize(
    ("name", "kernel"),
    [
        ("linear", wm.Linear()),
        ("poly", wm.Polynomial(2, gamma=0.5, coef0=1.0)),
        ("rbf", wm.Gaussian(0.5)),
        ("sigmoid", wm.Sigmoid(0.5, 1.0)),
        ("laplacian", wm.Laplacian(0.5)),
    ],
)
def test_names_and_objects_are_the_same_kernels(name, kernel):
    by_name = wm.SVC(kernel=name, gamma=0.5, coef0=1.0, degree=2).fit(X, y)
    by_object = wm.SVC(kernel=kernel).fit(X, y)
    np.testing.assert_array_equal(by_name.decision_function(X), by_object.decision_function(X))


def test_kernels_combine():
    kernel = wm.Gaussian(0.5) + 0.1 * wm.Linear()
    machine = wm.SVC(kernel=kernel, tol=1e-6).fit(X, y)
    matrix = wm.SVC(kernel="precomputed", tol=1e-6).fit(kernel.gram(X), y)
    np.testing.assert_allclose(
        machine.decision_function(X), matrix.decision_function(kernel.gram(X)), atol=1e-4
    )


def test_functions_are_asked_for_blocks_never_for_the_whole_matrix():
    asked = []

    def kernel(A, B):
        asked.append((len(A), len(B)))
        return A @ B.T

    data = np.random.default_rng(0).normal(size=(2000, 3))
    machine = wm.SVC(kernel=kernel).fit(data, data[:, 0] > 0)
    assert max(rows for rows, _ in asked) < 500
    linear = wm.SVC(kernel="linear").fit(data, data[:, 0] > 0)
    np.testing.assert_allclose(machine.decision_function(data), linear.decision_function(data), atol=1e-2)


@pytest.mark.parametrize("kernel", [common_letters, wm.kernels.Callable(common_letters)])
@pytest.mark.parametrize("container", [list, np.array, tuple])
def test_points_may_be_any_objects(kernel, container):
    words = ["wide", "width", "wider", "margin", "marginal", "margins"]
    machine = wm.SVC(kernel=kernel).fit(container(words), [0, 0, 0, 1, 1, 1])
    np.testing.assert_array_equal(machine.predict(container(["widest", "imagine"])), [0, 1])
    assert machine.shape_fit_ == (6,) and not hasattr(machine, "n_features_in_")
    assert set(machine.support_vectors_) <= set(words)


@pytest.mark.parametrize("frame", [pd.Series, lambda words: pd.DataFrame({"word": words})])
def test_objects_may_come_in_a_column_of_pandas(frame):
    words = ["wide", "width", "wider", "margin", "marginal", "margins"]
    labels = pd.Series([0, 0, 0, 1, 1, 1], index=range(10, 16))
    machine = wm.SVC(kernel=common_letters).fit(frame(words), labels)
    np.testing.assert_array_equal(machine.predict(frame(["widest", "imagine"])), [0, 1])
    assert set(machine.support_vectors_) <= set(words)


@pytest.mark.parametrize("Machine", [wm.SVR, wm.OneClassSVM, wm.EnclosingBall])
def test_every_machine_takes_objects(Machine):
    words = ["wide", "width", "wider", "margin", "marginal", "margins"]
    machine = Machine(kernel=wm.kernels.Callable(common_letters)).fit(words, [1, 2, 3, 4, 5, 6])
    assert machine.predict(["wild"]).shape == (1,)


def test_objects_and_targets_must_be_as_many():
    with pytest.raises(ValueError, match="inconsistent numbers of samples"):
        wm.SVC(kernel=common_letters).fit(["a", "b", "c"], [0, 1])


@pytest.mark.parametrize("machine", MACHINES)
def test_precomputed_predictions_need_the_support_columns_only(machine):
    K = wm.Gaussian(0.5).gram(X)
    machine.set_params(kernel="precomputed").fit(K, y)
    everything = values(machine, K[:20])
    blind = np.zeros_like(K[:20])
    blind[:, machine.support_] = K[:20, machine.support_]
    np.testing.assert_allclose(values(machine, blind), everything)
    np.testing.assert_allclose(values(machine, K[:20, machine.support_]), everything)
    assert machine.support_vectors_.size == 0
    with pytest.raises(ValueError, match="expecting 150 features"):
        machine.predict(K[:20, :7])
    machine.set_params(kernel="rbf")


def test_combinations_of_precomputed_kernels_work():
    K = wm.Gaussian(0.5).gram(X)
    doubled = wm.SVC(kernel=2.0 * wm.Precomputed(), tol=1e-6).fit(K, y)
    plain = wm.SVC(kernel="precomputed", tol=1e-6).fit(2 * K, y)
    np.testing.assert_allclose(doubled.decision_function(K), plain.decision_function(2 * K), atol=1e-4)


def test_a_ball_of_a_precomputed_kernel_asks_for_a_varying_diagonal():
    K = wm.Linear().gram(X)
    ball = wm.EnclosingBall(kernel="precomputed").fit(K)
    with pytest.raises(ValueError, match="give diagonal"):
        ball.decision_function(K)
    given = ball.decision_function(K, diagonal=np.diag(K))
    np.testing.assert_allclose(
        given, wm.EnclosingBall(kernel="linear").fit(X).decision_function(X), atol=1e-2
    )


def test_a_callable_kernel_works_with_room_for_few_rows():
    X, y = load_breast_cancer(return_X_y=True)
    X = scale(X)
    machine = wm.SVC(kernel=lambda A, B: np.exp(-0.05 * cdist(A, B, "sqeuclidean")))
    much, little = machine.fit(X, y), clone(machine).set_params(cache_size=0.02).fit(X, y)
    np.testing.assert_allclose(little.decision_function(X), much.decision_function(X), atol=1e-3)
