"""The interface of the baselines: kinds of data, copies, threads, and bad input."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import load_iris
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm
from widemargin.io import load_model, save_model
from widemargin.kernels import Callable

X, y = load_iris(return_X_y=True)
NAMES = load_iris().target_names[y]
KERNEL_BASELINES = [
    wm.MeanClassifier(),
    wm.MeanClassifier("rbf"),
    wm.KernelNeighbors(3),
    wm.KernelNeighbors(3, kernel="rbf", gamma=0.4),
    wm.KernelPerceptron("rbf", gamma=2.0, max_epochs=500),
    wm.KernelPerceptron("poly", average=True, max_epochs=5),
]
BASELINES = [wm.MajorityClassifier(), *KERNEL_BASELINES]
every = pytest.mark.parametrize("baseline", BASELINES, ids=repr)
with_kernel = pytest.mark.parametrize("baseline", KERNEL_BASELINES, ids=repr)
by_class = pytest.mark.parametrize("kind", [wm.MeanClassifier, wm.KernelNeighbors, wm.KernelPerceptron])


@with_kernel
def test_baselines_are_better_than_the_majority(baseline):
    majority = wm.MajorityClassifier().fit(X[::2], NAMES[::2]).score(X[1::2], NAMES[1::2])
    assert clone(baseline).fit(X[::2], NAMES[::2]).score(X[1::2], NAMES[1::2]) > majority + 0.5


@with_kernel
def test_sparse_and_precomputed_give_what_dense_gives(baseline):
    dense = clone(baseline).fit(X, NAMES)
    sparse = clone(baseline).fit(sp.csr_array(X), NAMES)
    K = dense.kernel_.gram(X)
    given = clone(baseline).set_params(kernel="precomputed").fit(K, NAMES)
    np.testing.assert_array_equal(sparse.predict(sp.csr_array(X)), dense.predict(X))
    np.testing.assert_array_equal(sparse.predict(X), dense.predict(X))
    np.testing.assert_array_equal(given.predict(dense.kernel_.gram(X, X)), dense.predict(X))


@every
def test_copies_predict_the_same(baseline, tmp_path):
    machine = clone(baseline).fit(X, NAMES)
    save_model(machine, tmp_path / "baseline.model")
    for copy in (pickle.loads(pickle.dumps(machine)), load_model(tmp_path / "baseline.model")):
        np.testing.assert_array_equal(copy.predict(X), machine.predict(X))


@every
def test_a_data_frame_keeps_its_names(baseline):
    frame = load_iris(as_frame=True).data
    machine = clone(baseline).fit(frame, y)
    assert machine.feature_names_in_.tolist() == frame.columns.tolist()
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame.rename(columns=str.upper))


@with_kernel
def test_threads_change_nothing(baseline):
    random = np.random.default_rng(0)
    large, labels = random.normal(size=(1500, 3)), random.integers(2, size=1500)
    machine = clone(baseline).set_params(n_jobs=1)
    if isinstance(machine, wm.KernelPerceptron):
        machine.set_params(max_epochs=2, average=True)
    machine.fit(large, labels)
    one = machine.predict(large)
    np.testing.assert_array_equal(machine.set_params(n_jobs=3).predict(large), one)


@by_class
def test_any_objects_will_do_with_a_kernel_for_them(kind):
    def common_letters(A, B):
        return np.array([[float(len(set(a) & set(b))) for b in B] for a in A])

    words, labels = ["aab", "abc", "bca", "xyz", "xxz", "zy"], [0, 0, 0, 1, 1, 1]
    machine = kind(kernel=Callable(common_letters))
    if isinstance(machine, wm.KernelNeighbors):
        machine.set_params(n_neighbors=1)
    assert machine.fit(words, labels).predict(["ab", "zx"]).tolist() == [0, 1]


def test_no_samples_have_no_majority():
    with pytest.raises(ValueError, match="at least one sample; got 0 rows"):
        wm.MajorityClassifier().fit(X[:0], NAMES[:0])


def test_the_majority_looks_at_nothing_but_rows():
    machine = wm.MajorityClassifier().fit(["a", None, "b"], [1, 1, 0])
    assert machine.predict([object()] * 4).tolist() == [1, 1, 1, 1]
    assert wm.MajorityClassifier().fit([[np.nan]], ["only"]).predict([[0.0]]).tolist() == ["only"]
    assert wm.MajorityClassifier().fit([[0], [0]], ["b", "a"]).majority_ == "a"


def test_they_are_tuned_like_any_estimator():
    search = GridSearchCV(
        make_pipeline(StandardScaler(), wm.KernelNeighbors()), {"kernelneighbors__n_neighbors": [1, 5]}
    )
    assert search.fit(X, y).best_score_ > 0.9


def test_a_mean_classifier_weighs_its_points():
    weight = np.arange(150) % 3
    weighted = wm.MeanClassifier("rbf", gamma=0.3).fit(X, y, weight)
    repeated = wm.MeanClassifier("rbf", gamma=0.3).fit(np.repeat(X, weight, axis=0), np.repeat(y, weight))
    np.testing.assert_allclose(weighted.decision_function(X), repeated.decision_function(X), atol=1e-12)
    assert not (weight[weighted.support_] == 0).any()


@pytest.mark.parametrize("kernel", ["linear", "precomputed"])
def test_means_that_coincide_are_announced(kernel):
    corners = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    given = corners if kernel == "linear" else corners @ corners.T
    with pytest.warns(UserWarning, match="means of both classes are the same: 'no' will be predicted"):
        machine = wm.MeanClassifier(kernel).fit(given, ["no", "no", "yes", "yes"])
    assert set(machine.predict(given)) == {"no"} and not machine.decision_function(given).any()


def test_centres_belong_to_the_linear_kernel():
    with pytest.raises(AttributeError, match="linear kernel"):
        wm.MeanClassifier("rbf").fit(X, y).centres_  # noqa: B018


def test_a_perceptron_says_that_the_classes_overlap():
    with pytest.warns(UserWarning, match="raise max_epochs, take another kernel, or set average=True"):
        machine = wm.KernelPerceptron("linear", max_epochs=3).fit([[0.0], [0.0], [1.0]], [0, 1, 1])
    assert not machine.converged_ and machine.mistakes_.size == 3


def test_a_perceptron_computes_the_same_without_a_cache():
    stored, again = (
        wm.KernelPerceptron(gamma=2.0, max_epochs=500, cache_size=size).fit(X, y) for size in (10, 0)
    )
    assert stored.mistakes_.tolist() == again.mistakes_.tolist()
    np.testing.assert_array_equal(stored.dual_coef_, again.dual_coef_)


def test_orders_are_drawn_by_the_random_state():
    def mistakes(**how):
        return wm.KernelPerceptron(gamma=2.0, max_epochs=500, **how).fit(X, y).mistakes_.tolist()

    assert mistakes() == mistakes() == mistakes(random_state=0)
    assert len({tuple(mistakes(random_state=seed)) for seed in range(5)}) > 2
    assert mistakes(shuffle=False) == mistakes(shuffle=False, random_state=3) != mistakes()


@pytest.mark.parametrize(
    ("machine", "message"),
    [
        (wm.MeanClassifier("cubic"), "kernel must be one of"),
        (wm.MeanClassifier("rbf", gamma=-1.0), "gamma must be 'scale' or 'auto' or a positive finite number"),
        (wm.KernelNeighbors(0), "n_neighbors must be an integer >= 1, not 0"),
        (wm.KernelNeighbors(2.5), "n_neighbors must be an integer >= 1, not 2.5"),
        (wm.KernelNeighbors(151), "n_neighbors=151 is more than n_samples = 150"),
        (wm.KernelNeighbors(3, rank_weights=[1, 2]), "rank_weights has 2 entries, but n_neighbors is 3"),
        (wm.KernelNeighbors(2, rank_weights=[1, 0]), "rank_weights must be None or a list"),
        (wm.KernelPerceptron(max_epochs=0), "max_epochs must be an integer >= 1, not 0"),
        (wm.KernelPerceptron(bias="free"), "bias must be 'none' or 'penalised', not 'free'"),
        (wm.KernelPerceptron(average="yes"), "average must be True or False"),
        (wm.KernelPerceptron(cache_size=-1), "cache_size must be"),
    ],
)
def test_a_bad_parameter_is_named(machine, message):
    with pytest.raises(ValueError, match=message):
        machine.fit(X, y)
    assert not hasattr(machine, "classes_")


@by_class
def test_a_failed_fit_leaves_the_machine_as_it_was(kind):
    machine = kind(kernel="rbf", gamma=2.0).fit(X, y)
    before = machine.predict(X)
    gaps = X.copy()
    gaps[7, 2] = np.nan
    with pytest.raises(ValueError, match="NaN in row 7"):
        machine.fit(gaps, y)
    np.testing.assert_array_equal(machine.predict(X), before)


@pytest.mark.parametrize("kind", [wm.MeanClassifier, wm.KernelPerceptron])
def test_one_class_is_too_few(kind):
    with pytest.raises(ValueError, match="number of classes has to be greater than one"):
        kind().fit(X, np.zeros(150))


def test_labels_that_were_not_there_are_refused_by_score():
    with pytest.raises(ValueError, match="class 7 in row 0"):
        wm.MajorityClassifier().fit(X, y).score(X[:1], [7])


def test_distances_need_to_know_the_length_of_a_point():
    machine = wm.KernelNeighbors(2, kernel="precomputed").fit(X @ X.T, y)
    with pytest.raises(ValueError, match="return_distance=False"):
        machine.kneighbors(X @ X.T)
    assert machine.kneighbors(X @ X.T, return_distance=False).shape == (150, 2)
    with pytest.raises(ValueError, match="n_neighbors must be an integer from 1 to 150, not 151"):
        machine.kneighbors(X @ X.T, 151, return_distance=False)
