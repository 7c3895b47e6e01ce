"""Reduced machines: kinds of data, what they refuse, what they leave alone."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone, is_classifier, is_regressor
from sklearn.datasets import load_iris
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.naive_bayes import GaussianNB

import widemargin as wm
from widemargin.io import load_libsvm_model, load_model, save_libsvm_model, save_model

RANDOM = np.random.default_rng(0)
X = RANDOM.standard_normal((60, 2))
y = np.where(X[:, 0] + X[:, 1] ** 2 > 0.5, "yes", "no")
t = np.sin(X[:, 0])
iris = load_iris()
K = wm.Gaussian(0.5).gram(X)


def shared_letters(A, B):
    return np.array([[len(set(a) & set(b)) for b in B] for a in A], dtype=float)


# compress

MACHINES = {
    "SVC": wm.SVC(gamma=0.5).fit(X, y),
    "NuSVC": wm.NuSVC(gamma=0.5, nu=0.3).fit(X, y),
    "three classes, pairs": wm.SVC(C=10).fit(iris.data, iris.target),
    "three classes, one-vs-all": wm.SVC(C=10, multiclass="one-vs-all").fit(iris.data, iris.target),
    "SVR": wm.SVR(gamma=0.5, epsilon=0.01).fit(X, t),
    "OneClassSVM": wm.OneClassSVM(gamma=0.5, nu=0.5).fit(X),
    "RLSClassifier": wm.RLSClassifier().fit(iris.data, iris.target),
    "RLSRegressor": wm.RLSRegressor(gamma=0.5).fit(X, np.c_[t, t**2]),
    "TikhonovEstimator": wm.TikhonovEstimator("square", bias="penalised").fit(X, t),
    "RestrictedSVC": wm.RestrictedSVC(0.4).fit(iris.data, iris.target),
}


@pytest.mark.parametrize("method", ["selection", "construction"])
@pytest.mark.parametrize("name", MACHINES)
def test_every_machine_can_be_compressed(name, method, tmp_path):
    machine = MACHINES[name]
    before, data = pickle.dumps(machine), X if machine.n_features_in_ == 2 else iris.data
    small = wm.compress(machine, 8, method)
    assert type(small) is type(machine)
    assert len(small.support_vectors_) == len(small.support_) == small.dual_coef_.shape[1] == 8
    assert pickle.dumps(machine) == before
    change = np.abs(small._values(data) - machine._values(data))
    assert (change <= small.compression_.bound(data) + 1e-9).all()
    assert (small.support_ == -1).all() == (method == "construction")
    for copy in (pickle.loads(pickle.dumps(small)), stored(small, tmp_path)):
        np.testing.assert_array_equal(copy.predict(data), small.predict(data))


def stored(machine, folder):
    save_model(machine, folder / "model")
    return load_model(folder / "model")


def test_all_support_vectors_give_the_machine_back():
    for machine in MACHINES.values():
        data = X if machine.n_features_in_ == 2 else iris.data
        same = wm.compress(machine, len(machine.support_))
        np.testing.assert_allclose(same._values(data), machine._values(data), atol=1e-5)


def test_a_compressed_machine_is_trained_like_any_other():
    for name in ("SVC", "three classes, pairs"):
        data, classes = (X, y) if name == "SVC" else (iris.data, iris.target)
        again = wm.compress(MACHINES[name], 5).fit(data, classes)
        assert not hasattr(again, "compression_")
        np.testing.assert_array_equal(again.decision_function(data), MACHINES[name].decision_function(data))


def test_probabilities_never_contradict_predictions():
    machine = wm.SVC(C=10, probability=True).fit(iris.data, iris.target)
    small = wm.compress(machine, 10)
    np.testing.assert_array_equal(small.predict_proba(iris.data).argmax(axis=1), small.predict(iris.data))


def test_sparse_points_and_objects():
    machine = wm.SVC(gamma=0.5).fit(sp.csr_matrix(X), y)
    small = wm.compress(machine, 8)
    assert sp.issparse(small.support_vectors_)
    apart = np.abs(small.decision_function(X) - machine.decision_function(X)).max()
    assert apart <= small.compression_.distance[0] + 1e-9  # k(x, x) = 1
    words = ["ant", "bee", "cat", "dog", "eel", "fox"]
    kernel = wm.kernels.Callable(shared_letters)
    machine = wm.SVC(kernel=kernel).fit(words, [0, 0, 0, 1, 1, 1])
    small = wm.compress(machine, 3)
    assert len(small.support_vectors_) == 3
    assert small.predict(words).shape == (6,)


def test_two_classes_can_still_go_to_libsvm(tmp_path):
    machine = wm.SVC(gamma=0.5).fit(X, (y == "yes").astype(int))
    small = wm.compress(machine, 8, "construction")
    save_libsvm_model(small, tmp_path / "model")
    loaded = load_libsvm_model(tmp_path / "model")
    np.testing.assert_allclose(loaded.decision_function(X), small.decision_function(X), atol=1e-8)
    with pytest.raises(ValueError, match="coef"):
        save_libsvm_model(wm.compress(MACHINES["three classes, pairs"], 8), tmp_path / "other")


def test_compress_refuses_in_a_sentence():
    machine = MACHINES["SVC"]
    n = len(machine.support_)
    for bad in (0, n + 1, 2.0, True):
        with pytest.raises(ValueError, match=f"n_vectors must be an integer from 1 to {n}"):
            wm.compress(machine, bad)
    with pytest.raises(ValueError, match="method must be 'selection' or 'construction', not 'magic'"):
        wm.compress(machine, 3, "magic")
    with pytest.raises(ValueError, match="max_iter must be"):
        wm.compress(machine, 3, "construction", max_iter=0)
    with pytest.raises(NotFittedError):
        wm.compress(wm.SVC(), 3)
    with pytest.raises(TypeError, match="not for LinearRegression"):
        wm.compress(LinearRegression().fit(X, t), 3)
    with pytest.raises(TypeError, match="not for EnclosingBall"):
        wm.compress(wm.EnclosingBall().fit(X), 3)
    with pytest.raises(ValueError, match="precomputed"):
        wm.compress(wm.SVC(kernel="precomputed").fit(K, y), 3)
    with pytest.raises(ValueError, match="one vector already"):
        wm.compress(wm.RLSRegressor(kernel="linear").fit(X, t), 3)
    with pytest.raises(ValueError, match=r"construction needs a Gaussian .* use selection"):
        wm.compress(wm.SVC(kernel="linear").fit(X, y), 3, "construction")
    with pytest.raises(ValueError, match="sparse: use selection"):
        wm.compress(wm.SVC().fit(sp.csr_matrix(X), y), 3, "construction")
    with pytest.raises(ValueError, match="not positive semi-definite"):
        wm.reduction.project(wm.Expansion(wm.Sigmoid(1.0, -1.0), X, np.ones((60, 1)), np.zeros(1)), X)
    with pytest.raises(ValueError, match="not for a compressed one"):
        wm.bounds.support_vector_count(wm.compress(machine, 3))


# Estimators

ESTIMATORS = {
    "RestrictedSVC": wm.RestrictedSVC(0.5, gamma=0.5),
    "ChunkBagging": wm.ChunkBagging(wm.SVC(gamma=0.5), n_chunks=3, random_state=0),
    "Pruned": wm.Pruned(wm.SVC(gamma=0.5), share=0.1),
}


@pytest.mark.parametrize("name", ESTIMATORS)
def test_a_fit_that_fails_leaves_the_estimator_as_it_was(name):
    machine = clone(ESTIMATORS[name]).fit(X, y)
    before = machine.decision_function(X)
    hole = X.copy()
    hole[7, 1] = np.nan
    for bad in ((hole, y), (X, ["same"] * 60), (X[:5], y)):
        with pytest.raises(ValueError):
            machine.fit(*bad)
    with pytest.raises(ValueError, match="row 7"):
        machine.fit(hole, y)
    with pytest.raises(ValueError, match=r"sample_weight\[3\]"):
        machine.fit(X, y, sample_weight=np.where(np.arange(60) == 3, -1.0, 1.0))
    np.testing.assert_array_equal(machine.decision_function(X), before)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_kernel_matrices_and_sparse_points_give_the_same(name):
    machine = clone(ESTIMATORS[name])
    expected = machine.fit(X, y).decision_function(X)
    np.testing.assert_allclose(machine.fit(sp.csr_matrix(X), y).decision_function(X), expected, atol=1e-6)
    inner = "kernel" if name == "RestrictedSVC" else "estimator__kernel"
    machine.set_params(**{inner: "precomputed"})
    np.testing.assert_allclose(machine.fit(K, y).decision_function(K), expected, atol=1e-6)


@pytest.mark.parametrize("name", ESTIMATORS)
def test_several_classes_pickles_and_model_files(name, tmp_path):
    machine = clone(ESTIMATORS[name]).fit(iris.data, iris.target)
    assert machine.score(iris.data, iris.target) > 0.93
    assert machine.decision_function(iris.data).shape == (150, 3)
    for copy in (pickle.loads(pickle.dumps(machine)), stored(machine, tmp_path)):
        np.testing.assert_array_equal(copy.predict(iris.data), machine.predict(iris.data))


@pytest.mark.parametrize("name", ESTIMATORS)
def test_points_of_weight_zero_play_no_part(name):
    machine, weight = clone(ESTIMATORS[name]), (np.arange(60) % 4 > 0).astype(float)
    strange = np.where(weight[:, None] > 0, X, 1000.0)
    machine.fit(strange, y, sample_weight=weight)
    assert machine.score(X, y, sample_weight=weight) > 0.8


def test_meta_machines_are_what_their_machine_is():
    for meta in (wm.ChunkBagging, wm.Pruned):
        assert is_classifier(meta(wm.SVC())) and not is_regressor(meta(wm.SVC()))
        assert is_regressor(meta(wm.SVR())) and not is_classifier(meta(wm.SVR()))
        assert not hasattr(meta(wm.SVR()), "decision_function")


def test_several_outputs():
    Y = np.c_[t, t**2]
    bag = wm.ChunkBagging(wm.RLSRegressor(gamma=0.5), n_chunks=3, random_state=0).fit(X, Y)
    assert bag.predict(X).shape == (60, 2)
    pruned = wm.Pruned(wm.RLSRegressor(gamma=0.5), share=0.2, tolerance=0.05).fit(X, Y)
    assert pruned.sizes_[-1] < 60
    assert pruned.score(X, Y) > 0.9


@pytest.mark.parametrize(("size", "chunks"), [(20, 3), (22, 3), (25, 2), (60, 1), (1000, 1)])
def test_chunks_have_about_the_size_that_is_asked_for(size, chunks):
    bag = wm.ChunkBagging(wm.RLSRegressor(gamma=0.5, lam=0.1), chunk_size=size, random_state=0).fit(X, t)
    assert len(bag.chunks_) == chunks
    np.testing.assert_array_equal(np.sort(np.concatenate(bag.chunks_)), np.arange(60))


@pytest.mark.parametrize("loss", ["hinge", "logistic"])
def test_machines_of_a_loss_of_margins_can_be_bagged(loss):
    signs = np.where(y == "yes", 1, -1)
    bag = wm.ChunkBagging(wm.TikhonovEstimator(loss, wm.Gaussian(0.5)), n_chunks=2).fit(X, signs)
    assert bag.score(X, signs) > 0.8


def test_foreign_machines_can_be_bagged():
    bag = wm.ChunkBagging(LogisticRegression(), n_chunks=3, random_state=0).fit(X, y)
    assert bag.score(X, y) > 0.7


def test_centres_may_be_all_that_they_are_for_least_squares():
    for centres in (7, wm.RandomCentres(7, seed=3), wm.PivotedCentres(7), wm.GreedyCentres(7), [5, 3, 40]):
        machine = wm.RestrictedSVC(centres, gamma=0.5).fit(X, y)
        expected = wm.RLSClassifier(centres=centres, gamma=0.5).fit(X, y)
        np.testing.assert_array_equal(machine.support_, expected.support_)
        np.testing.assert_array_equal(machine.support_vectors_, expected.support_vectors_)
    assert len(wm.RestrictedSVC(0.25).fit(X, y).support_) == 15
    assert len(wm.RestrictedSVC(wm.LeverageCentres(9)).fit(X, y).support_) == 9


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix])
def test_centres_may_be_points(form):
    rows = wm.RestrictedSVC([3, 5, 20], gamma=0.5, tol=1e-8).fit(X, y)
    given = wm.RestrictedSVC(form(X[[3, 5, 20]]), gamma=0.5, tol=1e-8).fit(X, y)
    np.testing.assert_allclose(given.decision_function(X), rows.decision_function(X), atol=1e-6)
    assert given.support_.size == 0 and given.support_vectors_.shape == (3, 2)
    np.testing.assert_array_equal(wm.compress(given, 2).support_, [-1, -1])


@pytest.mark.parametrize(
    ("machine", "error", "message"),
    [
        (wm.RestrictedSVC(61), ValueError, "61 of them cannot be chosen from n_samples = 60"),
        (wm.RestrictedSVC([0, 60]), ValueError, "centres names sample 60, which is not there"),
        (wm.RestrictedSVC([-1]), ValueError, "centres names sample -1"),
        (wm.RestrictedSVC([3, 3]), ValueError, "centres names a sample twice"),
        (wm.RestrictedSVC(np.ones((2, 3))), ValueError, "centres has 3 features, but X has 2"),
        (wm.RestrictedSVC(X[:2], kernel="precomputed"), ValueError, "cannot be points"),
        (wm.RestrictedSVC(None), ValueError, "centres must be an integer >= 1, .* not None"),
        (wm.RestrictedSVC(0), ValueError, "centres must be an integer >= 1, .* not 0"),
        (wm.RestrictedSVC(1.5), ValueError, "centres must be .* not 1.5"),
        (wm.RestrictedSVC("all"), ValueError, "centres must be .* not 'all'"),
        (wm.RestrictedSVC(C=np.inf), ValueError, "C must be a positive finite number"),
        (wm.RestrictedSVC(1.0, kernel=wm.Sigmoid(1.0, -1.0)), ValueError, "not positive semi-definite"),
        (wm.ChunkBagging(wm.SVC(), n_chunks=0), ValueError, "n_chunks must be an integer >= 1, not 0"),
        (wm.ChunkBagging(wm.SVC(), chunk_size=0), ValueError, "chunk_size must be None or an integer >= 1"),
        (wm.ChunkBagging(wm.OneClassSVM()), TypeError, "classifier or a regressor, not OneClassSVM"),
        (wm.ChunkBagging(GaussianNB()), TypeError, "GaussianNB has none"),
        (wm.Pruned(wm.SVC(), share=1.0), ValueError, r"share must be a number in \(0, 1\), not 1.0"),
        (wm.Pruned(wm.SVC(), tolerance=-1), ValueError, "tolerance must be"),
        (wm.Pruned(wm.SVC(), validation=1.0), ValueError, "validation must be"),
        (wm.Pruned(wm.SVC(), validation=0.999), ValueError, "validation=0.999 cannot be held out"),
        (wm.Pruned(wm.NuSVC()), ValueError, "NuSVC has no exact leave-one-out: give validation"),
        (wm.Pruned(wm.RLSClassifier(centres=9)), ValueError, "RLSClassifier with centres has few points"),
        (wm.Pruned(LogisticRegression()), TypeError, "not for LogisticRegression"),
    ],
)
def test_bad_parameters_are_refused_in_a_sentence(machine, error, message):
    with pytest.raises(error, match=message):
        machine.fit(X, y)
    assert not any(name.endswith("_") and not name.startswith("_") for name in vars(machine))


def test_a_gamma_chosen_by_leave_one_out_is_that_of_all_rounds():
    pruned = wm.Pruned(wm.RLSClassifier(gamma="loo"), share=0.3, tolerance=1.0).fit(X, y)
    assert pruned.sizes_.size > 1
    assert pruned.estimator_.kernel_ == wm.RLSClassifier(gamma="loo").fit(X, y).kernel_


def test_pruning_by_validation_works_for_machines_without_leave_one_out():
    pruned = wm.Pruned(wm.NuSVC(nu=0.3), validation=0.3, share=0.1, tolerance=0.1, random_state=0).fit(X, y)
    assert pruned.sizes_.size == pruned.errors_.size
    assert pruned.score(X, y) > 0.8


@pytest.mark.parametrize("radius", [0.0, -1.0, np.inf, np.nan, "large"])
def test_a_ball_needs_a_radius(radius):
    machine = wm.IvanovEstimator("square", wm.Gaussian(0.5), 1.0).fit(X, t)
    before = machine.predict(X)
    with pytest.raises(ValueError, match="radius must be a positive finite number"):
        machine.set_params(radius=radius).fit(X, t)
    np.testing.assert_array_equal(machine.predict(X), before)


def test_balls_with_kernel_matrices_weights_and_files(tmp_path):
    weight = (np.arange(60) % 3).astype(float)
    by_points = wm.IvanovEstimator("hinge", wm.Gaussian(0.5), 2.0)
    by_points.fit(X, np.where(y == "yes", 1, -1), sample_weight=weight)
    by_matrix = wm.IvanovEstimator("hinge", "precomputed", 2.0)
    by_matrix.fit(K, np.where(y == "yes", 1, -1), sample_weight=weight)
    assert by_points.norm_ == pytest.approx(by_matrix.norm_, rel=1e-5)
    np.testing.assert_allclose(by_points.decision_function(X), by_matrix.decision_function(K), atol=1e-4)
    np.testing.assert_array_equal(stored(by_points, tmp_path).predict(X), by_points.predict(X))


@pytest.mark.parametrize("radius", [1e4, 1e5])
def test_ivanov_with_far_too_large_a_ball_ends_where_a_solver_comes_to_its_limits(radius):
    """Of two different targets at each point no function has a small risk, and the search goes on and on."""
    random, said = np.random.default_rng(0), []
    points, targets = np.repeat(random.normal(size=(6, 1)), 2, axis=0), random.normal(size=12)

    class Watched(wm.IvanovEstimator):
        def _by_program(self, *args):
            found = super()._by_program(*args)
            said.append(found[2])
            return found

    machine = Watched("absolute", wm.Gaussian(1.0), radius)
    with pytest.warns(ConvergenceWarning, match="lower radius or raise tol"):
        machine.fit(points, targets)
    assert [sentence is None for sentence in said] == [True] * (machine.n_fits_ - 1) + [False]
    assert not machine.active_


def test_targets_of_zero_are_met_by_zero():
    machine = wm.IvanovEstimator("square", wm.Gaussian(0.5)).fit(X, np.zeros(60))
    assert machine.norm_ == 0
    assert not machine.active_
