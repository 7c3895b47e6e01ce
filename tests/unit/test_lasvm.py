"""LASVM as users meet it: streams, classes, files, queries, and what it refuses."""

import pickle
import signal
import time
import warnings
from contextlib import suppress
from itertools import count
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.datasets import make_blobs, make_moons
from sklearn.exceptions import ConvergenceWarning, NotFittedError

import widemargin as wm
from widemargin.io import libsvm_chunks, load_model, save_model, write_libsvm
from widemargin.online import Active, Diverse, Gradient, Random


def moons(n=400, seed=0):
    return make_moons(n, noise=0.2, random_state=seed)


def blobs(n=400, classes=4, seed=0):
    return make_blobs(n, centers=classes, cluster_std=1.5, random_state=seed)


def batches(X, y, size=50):
    for begin in range(0, len(y), size):
        yield X[begin : begin + size], y[begin : begin + size]


def learnt(machine):
    """All that a machine has learnt, to the last bit."""
    states = [learner.__getstate__()["candidates"] for learner in machine._pairs]
    arrays = [array for state in states for _, array in sorted(state.items())]
    kept = [machine._pairs.kept.points, machine._pairs.kept.serial, machine.dual_coef_, machine.intercept_]
    return [array.tobytes() for array in [*arrays, *kept]]


# --- learning ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("selection", ["second-order", wm.MostViolatingPair()])
def test_one_epoch_comes_close_to_the_batch_machine(selection):
    X, y = moons(2000)
    batch = wm.SVC(C=10, gamma=1.0).fit(X, y)
    machine = wm.LASVM(C=10, gamma=1.0, selection=selection, random_state=0).fit(X, y)
    assert 0.95 * batch.dual_objective_ < machine.dual_objective_ < batch.dual_objective_
    assert machine.score(*moons(2000, 1)) > batch.score(*moons(2000, 1)) - 0.03


@pytest.mark.parametrize("form", [np.asarray, sp.csr_matrix, sp.csr_array, lambda X: X.astype(np.float32)])
def test_a_stream_may_be_of_any_form(form):
    X, y = moons()
    machine = wm.LASVM(gamma=1.0).fit_stream((form(part), target) for part, target in batches(X, y))
    assert machine.n_seen_ == 400
    assert machine.score(form(X), y) > 0.9
    machine.finish()
    assert machine.duality_gap_ < 1e-3 * machine.dual_objective_


def test_a_stream_may_come_from_a_file(tmp_path):
    X, y = moons()
    write_libsvm(tmp_path / "moons.libsvm", X, y)
    machine = wm.LASVM(gamma=1.0).fit_stream(libsvm_chunks(tmp_path / "moons.libsvm", rows=64))
    twin = wm.LASVM(gamma=1.0).fit_stream(batches(sp.csr_matrix(X), y.astype(float), 64))
    np.testing.assert_allclose(machine.decision_function(X), twin.decision_function(X), rtol=1e-5, atol=1e-5)


def test_a_stream_of_objects_has_a_kernel_of_its_own():
    words = ["ab", "abab", "ba", "xy", "xyx", "yx"] * 5
    y = ["a" in word for word in words]

    def common(A, B):
        return np.array(
            [[sum(min(a.count(c), b.count(c)) for c in "abxy") for b in B] for a in A], dtype=float
        )

    machine = wm.LASVM(kernel=wm.kernels.Callable(common))
    for begin in range(0, 30, 6):
        machine.partial_fit(words[begin : begin + 6], y[begin : begin + 6])
    assert machine.score(["aa", "yy"], [True, False]) == 1


def test_the_size_of_batches_does_not_matter():
    X, y = moons()
    one, many = wm.LASVM(gamma=1.0), wm.LASVM(gamma=1.0)
    one.partial_fit(X, y)
    for x, label in zip(X, y, strict=True):
        many.partial_fit(x[None], [label], classes=[0, 1])
    assert one.n_seen_ == many.n_seen_
    np.testing.assert_allclose(one.dual_objective_, many.dual_objective_, rtol=0.02)


def test_more_epochs_come_closer():
    X, y = moons(1000)
    values = [
        wm.LASVM(C=100, gamma=1.0, epochs=n, random_state=0).fit(X, y).dual_objective_ for n in (1, 3, 10)
    ]
    assert values == sorted(values)
    assert values[-1] == pytest.approx(wm.SVC(C=100, gamma=1.0).fit(X, y).dual_objective_, rel=0.01)


def test_points_without_weight_play_no_part():
    X, y = moons()
    weight = (np.arange(400) % 2).astype(float)
    machine = wm.LASVM(gamma=1.0).partial_fit(X, y, sample_weight=weight)
    twin = wm.LASVM(gamma=1.0).partial_fit(X[1::2], y[1::2])
    assert (machine.support_ % 2 == 1).all()
    np.testing.assert_array_equal((machine.support_ - 1) // 2, twin.support_)
    np.testing.assert_array_equal(machine.dual_coef_, twin.dual_coef_)


def test_a_batch_without_any_weight_is_passed_over():
    X, y = moons()
    weight = (np.arange(400) % 4 == 0).astype(float)
    machine = wm.LASVM(gamma=1.0).fit_stream(
        zip(np.split(X, 400), np.split(y, 400), np.split(weight, 400), strict=True), classes=[0, 1]
    )
    twin = wm.LASVM(gamma=1.0).fit_stream(batches(X[::4], y[::4], 1), classes=[0, 1])
    assert machine.n_seen_ == 400
    np.testing.assert_array_equal(machine.support_, 4 * twin.support_)
    np.testing.assert_array_equal(machine.dual_coef_, twin.dual_coef_)
    refused("zero for every sample", wm.LASVM(), lambda m: m.partial_fit(X, y, sample_weight=np.zeros(400)))
    refused("1 features", machine, lambda m: m.partial_fit(X[:, :1], y, sample_weight=np.zeros(400)))


def test_weights_are_factors_of_the_price():
    X, y = moons()
    machine = wm.LASVM(C=2.0, gamma=1.0, random_state=0).fit(X, y, sample_weight=np.where(y == 0, 0.1, 1.0))
    zeros = np.abs(machine.dual_coef_[0, : machine.n_support_[0]])
    assert zeros.max() == pytest.approx(0.2)
    assert np.abs(machine.dual_coef_).max() == pytest.approx(2.0)


def test_support_says_where_in_the_stream():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0).fit_stream(batches(X, y))
    np.testing.assert_array_equal(X[machine.support_], machine.support_vectors_)
    np.testing.assert_array_equal(y[machine.support_], np.repeat([0, 1], machine.n_support_))


@pytest.mark.filterwarnings("ignore:LASVM has max_candidates")
def test_memory_is_bounded():
    X, y = moons(3000)
    flipped = np.where(np.random.default_rng(0).random(3000) < 0.2, 1 - y, y)
    machine = wm.LASVM(gamma=1.0, max_candidates=300).fit_stream(batches(X, flipped, 100))
    assert 250 < machine.n_candidates_[0] <= 300
    assert machine._pairs.kept.size == machine.n_candidates_[0]
    assert machine.score(*moons(1000, 1)) > 0.9


def test_a_full_machine_says_so_once():
    X, y = moons(3000)
    machine = wm.LASVM(gamma=1.0, max_candidates=60)
    machine.partial_fit(X[:20], y[:20])
    assert not machine.is_full_
    with pytest.warns(UserWarning, match="LASVM has max_candidates=60 .* raise max_candidates") as said:
        machine.fit_stream(batches(X, y))
    assert machine.is_full_
    assert len(said) == 1
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        machine.partial_fit(X, y)
        assert not wm.LASVM(gamma=1.0, random_state=0).fit(X, y).is_full_
    with pytest.warns(UserWarning, match="max_candidates=60"):
        assert machine.fit(X, y).is_full_


@pytest.mark.filterwarnings("ignore:LASVM has max_candidates")
def test_a_full_machine_comes_to_rest():
    X, y = moons(3000)
    machine = wm.LASVM(gamma=1.0, max_candidates=60).fit_stream(batches(X, y))
    values, before = machine.decision_function(X), machine.dual_objective_
    machine.partial_fit(*moons(3000, 1))
    assert machine.n_candidates_[0] <= 60
    assert machine.kkt_violation_ <= machine.tol
    assert machine.dual_objective_ >= before
    np.testing.assert_allclose(machine.decision_function(X), values, atol=0.1)


# --- several classes --------------------------------------------------------------------------------


def test_several_classes_are_learnt_pair_by_pair():
    X, y = blobs()
    names = np.array(["north", "east", "south", "west"])[y]
    machine = wm.LASVM(gamma=0.1, random_state=0).fit(X, names)
    assert machine.n_candidates_.shape == (6,)
    assert machine.decision_function(X).shape == (400, 4)
    np.testing.assert_array_equal(
        machine.predict(X), machine.classes_[machine.decision_function(X).argmax(1)]
    )
    assert machine.score(X, names) > wm.SVC(gamma=0.1).fit(X, names).score(X, names) - 0.03


def test_threads_do_not_change_anything():
    X, y = blobs()
    one, two = (wm.LASVM(gamma=0.1, random_state=0, n_jobs=jobs).fit(X, y) for jobs in (1, 2))
    assert learnt(one) == learnt(two)


def test_classes_may_come_one_after_the_other():
    X, y = blobs(seed=2)
    order = np.argsort(y, kind="stable")
    machine = wm.LASVM(gamma=0.1).fit_stream(batches(X[order], y[order], 40), classes=[0, 1, 2, 3])
    assert machine.score(X, y) > 0.85


def test_nobody_is_given_a_class_that_was_not_seen():
    X, y = blobs()
    early = y < 2
    machine = wm.LASVM(gamma=0.1).partial_fit(X[early], y[early], classes=[0, 1, 2, 3])
    assert set(machine.predict(X)) <= {0, 1}
    only = wm.LASVM(gamma=0.1).partial_fit(X[y == 2], y[y == 2], classes=[0, 1, 2, 3])
    assert set(only.predict(X)) == {2}


def test_a_class_may_be_added_and_leaves_the_others_as_they_are():
    X, y = blobs(seed=1)
    machine = wm.LASVM(gamma=0.1).partial_fit(X[y < 2], y[y < 2])
    before = machine.decision_function(X)
    machine.partial_fit(X[y >= 2], y[y >= 2], classes=[2, 3])
    assert machine.classes_.tolist() == [0, 1, 2, 3]
    assert machine.score(X, y) > 0.8
    np.testing.assert_allclose(machine._values(X)[:, 0], -before, atol=1e-6)


# --- finishing --------------------------------------------------------------------------------------


def test_finish_after_fit_is_the_batch_solution():
    X, y = blobs()
    machine = wm.LASVM(C=5.0, gamma=0.1, tol=1e-6, random_state=0).fit(X, y).finish()
    batch = wm.SVC(C=5.0, gamma=0.1, tol=1e-6).fit(X, y)
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-8)
    np.testing.assert_allclose(machine.decision_function(X), batch.decision_function(X), atol=1e-4)
    np.testing.assert_array_equal(np.sort(machine.support_), np.sort(batch.support_))


def test_finish_after_a_stream_is_the_batch_solution_of_what_is_kept():
    X, y = moons(2000)
    machine = wm.LASVM(gamma=1.0, tol=1e-6).fit_stream(batches(X, y))
    kept, labels = machine._pairs.kept.points, machine._pairs.kept.labels
    batch = wm.SVC(gamma=1.0, tol=1e-6).fit(kept, labels)
    before = machine.dual_objective_
    machine.finish()
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-8)
    assert machine.dual_objective_ > before
    np.testing.assert_allclose(machine.decision_function(X), batch.decision_function(X), atol=1e-4)


def test_finishing_twice_changes_nothing():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y).finish()
    values = machine.decision_function(X)
    np.testing.assert_allclose(machine.finish().decision_function(X), values, atol=2e-3)


def test_finish_ends_in_time_and_goes_on_when_it_is_called_again():
    X, y = blobs()
    machine = wm.LASVM(C=5.0, gamma=0.1, max_time=0, random_state=0).fit(X, y)
    reached = machine.dual_objective_
    with pytest.warns(ConvergenceWarning, match=r"LASVM stopped at max_time=0 s .*raise max_time"):
        machine.finish()
    assert machine.status_ is wm.Status.MAX_TIME
    assert machine.dual_objective_ >= reached - 1e-4 * abs(reached)
    machine.set_params(max_time=None).finish()
    assert machine.status_ is wm.Status.OPTIMAL
    batch = wm.SVC(C=5.0, gamma=0.1).fit(X, y)
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-4)


def test_finish_forgets_nothing():
    X, y = moons(60)
    machine = wm.LASVM(gamma=1.0)
    for k in range(0, 60, 5):
        machine.partial_fit(X[k : k + 5], y[k : k + 5], classes=[0, 1])
        if k:
            machine.finish()
    batch = wm.SVC(gamma=1.0).fit(X, y)
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-4)


def test_it_learns_on_after_finish():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0).fit_stream(batches(X, y)).finish()
    top = machine.dual_objective_
    machine.partial_fit(*moons(400, 1))
    assert machine.dual_objective_ > top
    assert not hasattr(machine, "duality_gap_")
    assert machine.finish().status_ is wm.Status.OPTIMAL


# --- saving -----------------------------------------------------------------------------------------


def by_pickle(machine, folder):
    return pickle.loads(pickle.dumps(machine))


def by_file(machine, folder):
    save_model(machine, folder / "machine.wm")
    return load_model(folder / "machine.wm")


@pytest.mark.filterwarnings("ignore:LASVM has max_candidates")
@pytest.mark.parametrize("stored", [by_pickle, by_file])
@pytest.mark.parametrize("cache_size", [0, 0.05, 200])
@pytest.mark.parametrize("data", [moons, blobs])
def test_a_stored_machine_goes_on_bit_by_bit(stored, cache_size, data, tmp_path):
    X, y = data(1200)
    machine = wm.LASVM(C=10, gamma=0.7, cache_size=cache_size, max_candidates=60)
    machine.fit_stream(batches(X[:600], y[:600]), classes=np.unique(y))
    twin = stored(machine, tmp_path)
    assert learnt(twin) == learnt(machine)
    for each in (machine, twin):
        each.fit_stream(batches(X[600:], y[600:]))
    assert learnt(twin) == learnt(machine)
    for each in (machine, twin):
        each.finish().partial_fit(X, y)
    assert learnt(twin) == learnt(machine)
    np.testing.assert_array_equal(twin.decision_function(X), machine.decision_function(X))


def test_a_stored_machine_can_still_be_finished():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    twin = pickle.loads(pickle.dumps(machine)).finish()
    assert twin.dual_objective_ == machine.finish().dual_objective_


# --- asking -----------------------------------------------------------------------------------------


def test_active_queries_are_nearest_to_the_boundary():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    pool = moons(300, 1)[0]
    rows = machine.query(pool, 5)
    np.testing.assert_array_equal(
        rows, np.argsort(np.abs(machine.decision_function(pool)), kind="stable")[:5]
    )


def test_active_queries_among_few_tries_are_near_the_boundary():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    pool = moons(2000, 1)[0]
    distance = np.abs(machine.decision_function(pool))
    found = [machine.query(pool, strategy=Active(tries=59), random_state=seed)[0] for seed in range(20)]
    assert np.mean(distance[found] < np.quantile(distance, 0.05)) > 0.8


def test_margins_of_several_classes_vanish_where_two_meet():
    X, y = blobs(classes=3, seed=1)
    machine = wm.LASVM(gamma=0.1, random_state=0).fit(X, y)
    ends = X[machine.predict(X) == 0][0], X[machine.predict(X) == 1][0]
    line = ends[0] + np.linspace(0, 1, 2001)[:, None] * (ends[1] - ends[0])
    change = np.flatnonzero(np.diff(machine.predict(line)))
    assert machine.margins(line)[change].max() < 0.05 < machine.margins(line).max()


def test_gradient_queries_are_most_in_conflict():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    pool, labels = moons(300, 1)
    conflict = 1 - np.where(labels == 1, 1, -1) * machine.decision_function(pool)
    rows = machine.query(pool, 7, strategy=Gradient(), y=labels)
    np.testing.assert_allclose(np.sort(conflict)[::-1][:7], conflict[rows])


def test_gradient_queries_know_several_classes():
    X, y = blobs(classes=3)
    machine = wm.LASVM(gamma=0.1, random_state=0).fit(X, y)
    wrong = (y + 1) % 3
    assert np.mean(machine.losses(X, wrong) > machine.losses(X, y)) > 0.8
    right = machine.losses(X, y) < 1
    np.testing.assert_array_equal(machine.predict(X)[right], y[right])


def test_diverse_queries_are_near_the_boundary_and_apart():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    pool = moons(1000, 1)[0]

    def spread(rows):
        K = wm.Gaussian(1.0).gram(pool[rows])
        return K[np.triu_indices(len(rows), 1)].mean()

    near, apart = machine.query(pool, 10), machine.query(pool, 10, strategy="diverse")
    assert len(set(apart)) == 10
    assert spread(apart) < spread(near)
    assert machine.margins(pool)[apart].max() < np.median(machine.margins(pool))
    np.testing.assert_array_equal(machine.query(pool, 10, strategy=Diverse(weight=1.0)), near)


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_diverse_queries_do_without_points_that_have_no_length():
    X, y = moons(200)
    machine = wm.LASVM(kernel="sigmoid", gamma=1.0, coef0=-1.0).partial_fit(X, y)
    assert (machine.kernel_.diagonal(X) < 0).any()
    assert sorted(machine.query(X, 200, strategy="diverse")) == list(range(200))


def test_random_queries_are_drawn_without_replacement():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    rows = machine.query(X, 400, strategy=Random(), random_state=0)
    assert sorted(rows) == list(range(400))
    assert not np.array_equal(rows, np.arange(400))


@pytest.mark.parametrize("strategy", ["active", "diverse"])
@pytest.mark.parametrize("classes", [[0, 1], [0, 1, 2]])
def test_without_a_boundary_queries_are_random(strategy, classes):
    X, y = moons()
    machine = wm.LASVM(gamma=1.0).partial_fit(X[y == 1], y[y == 1], classes=classes)
    rows = machine.query(X, 5, strategy=strategy, random_state=0)
    np.testing.assert_array_equal(rows, machine.query(X, 5, strategy="random", random_state=0))
    machine.partial_fit(X, y)
    assert machine.query(X, 5, strategy=strategy, random_state=0).tolist() != rows.tolist()


def test_few_tries_are_at_least_as_many_as_rows_are_wanted():
    X, y = moons()
    machine = wm.LASVM(gamma=1.0, random_state=0).fit(X, y)
    assert len(set(machine.query(X, 5, strategy=Active(tries=3), random_state=0))) == 5


def test_bought_labels_teach_more_than_random_ones():
    pool, labels = moons(2000)
    test = moons(2000, 1)

    def accuracy(strategy, seed):
        left = np.random.default_rng(seed).permutation(2000)
        machine = wm.LASVM(C=10, gamma=1.0).partial_fit(pool[left[:10]], labels[left[:10]], classes=[0, 1])
        left = left[10:]
        for _ in range(50):
            row = machine.query(pool[left], strategy=strategy, random_state=seed)[0]
            machine.partial_fit(pool[left[row]][None], labels[left[row]][None])
            left = np.delete(left, row)
        return machine.finish().score(*test)

    active, random = (np.mean([accuracy(s, seed) for seed in range(5)]) for s in ("active", "random"))
    assert active > random


# --- what is refused --------------------------------------------------------------------------------


def refused(sentence, machine, action, error=ValueError):
    """An error that says this, and a machine that has not noticed."""
    before = pickle.dumps(vars(machine))
    with pytest.raises(error, match=sentence):
        action(machine)
    assert pickle.dumps(vars(machine)) == before


@pytest.fixture
def begun():
    return wm.LASVM(gamma=1.0).partial_fit(*moons(100))


def test_a_batch_with_other_columns_is_refused(begun):
    X, y = moons(50)
    refused("X has 3 features, but LASVM is expecting 2", begun, lambda m: m.partial_fit(np.c_[X, y], y))


def test_a_class_that_was_not_declared_is_refused(begun):
    X, y = moons(50)
    refused(
        r"class 7 in row 3, which is none of \[0, 1\]: name it in classes= of this batch",
        begun,
        lambda m: m.partial_fit(X, np.where(np.arange(50) == 3, 7, y)),
    )


def test_a_batch_with_a_single_class_is_welcome_unless_it_is_the_first(begun):
    X, y = moons(50)
    begun.partial_fit(X[y == 1], y[y == 1])
    assert begun.n_seen_ == 125
    fresh = wm.LASVM()
    refused("class 1 only: name all classes", fresh, lambda m: m.partial_fit(X[y == 1], y[y == 1]))
    one = "classes names 1 only: one class is not enough"
    refused(one, fresh, lambda m: m.partial_fit(X[y == 1], y[y == 1], classes=[1]))
    fresh.partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    assert (fresh.predict(X) == 1).all()


def test_classes_are_named_once_and_in_the_type_of_the_labels(begun):
    X, y = moons(50)
    for machine in (wm.LASVM(), begun):
        refused("classes names 1 twice", machine, lambda m: m.partial_fit(X, y, classes=[1, 1, 0]))
        refused(
            "y holds numbers, but classes holds strings: make them of one type",
            machine,
            lambda m: m.partial_fit(X, y, classes=["0", "1"]),
        )
    refused(
        "y holds strings, but the classes so far are numbers: make them of one type",
        begun,
        lambda m: m.partial_fit(X, y.astype(str)),
    )


def test_an_empty_batch_is_skipped_unless_it_is_the_first(begun):
    X, y = moons(50)
    before = pickle.dumps(vars(begun))
    assert begun.partial_fit(X[:0], y[:0]) is begun
    assert begun.partial_fit([], []) is begun
    begun.partial_fit(sp.csr_matrix(X[:0]), y[:0], sample_weight=[])
    assert pickle.dumps(vars(begun)) == before
    refused("minimum of 1 is required", wm.LASVM(), lambda m: m.partial_fit(X[:0], y[:0]))
    refused("Found array with 0 sample", begun, lambda m: m.partial_fit(X[:0], y))
    refused("Found array with 0 sample", begun, lambda m: m.fit(X[:0], y[:0]))


def test_an_empty_batch_of_a_stream_is_skipped():
    X, y = moons(200)
    parts = [(X[:0], y[:0]), *batches(X, y), (X[:0], y[:0])]
    assert wm.LASVM(gamma=1.0).fit_stream(parts).n_seen_ == 200
    assert wm.LASVM(gamma=1.0).fit_stream([parts[1], parts[0], parts[2]]).n_seen_ == 100
    refused("holds no rows", wm.LASVM(), lambda m: m.fit_stream([parts[0], parts[0]]))


@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_a_batch_with_a_gap_is_refused_whole(begun, value):
    X, y = moons(50)
    X[17, 1] = value
    refused("in row 17", begun, lambda m: m.partial_fit(X, y))


@pytest.mark.parametrize("kernel, scale", [("linear", 1e200), ("linear", 1e20), ("poly", 1e70)])
def test_a_batch_whose_kernel_values_overflow_is_refused_whole(kernel, scale):
    X, y = moons(50)
    X[:7] /= scale
    sentence = "X is too large in row 7: its kernel values overflow; scale X"
    refused(sentence, wm.LASVM(kernel=kernel, gamma=1.0), lambda m: m.partial_fit(X * scale, y))
    refused(sentence, wm.LASVM(kernel=kernel, gamma=1.0), lambda m: m.fit(X * scale, y))
    begun = wm.LASVM(kernel=kernel, gamma=1.0).partial_fit(X, y)
    refused(sentence, begun, lambda m: m.partial_fit(X * scale, np.full(50, 2), classes=[2]))
    assert np.isfinite(begun.dual_objective_)


def test_a_stream_names_the_batch_that_is_refused_and_keeps_those_before(begun):
    X, y = moons(300, 1)
    X[120] = np.nan
    with pytest.raises(ValueError, match="batch 2: Input X contains NaN in row 20"):
        begun.fit_stream(batches(X, y))
    assert begun.n_seen_ == 200
    begun.partial_fit(X[150:], y[150:])


@pytest.mark.parametrize("classes", [[], [1], [0, 1, np.nan], 3])
def test_classes_that_are_none_are_refused(classes):
    refused("classes ", wm.LASVM(), lambda m: m.partial_fit(*moons(50), classes=classes))


def test_words_do_not_join_classes_that_are_numbers(begun):
    X, _ = moons(10)
    refused("make them of one type", begun, lambda m: m.partial_fit(X, ["new"] * 10, classes=["new", "old"]))
    refused("requires y", begun, lambda m: m.partial_fit(X, None))


@pytest.mark.parametrize(
    "sentence, stream",
    [
        ("batches holds no rows: give at least one", []),
        (r"batch 0 must be a pair \(X, y\)", [np.zeros((3, 2))]),
        ("batches must be an iterable of pairs .* not None", None),
        ("batches must be an iterable of pairs .* not 'x.csv': read a file with io.csv_chunks", "x.csv"),
        ("with io.csv_chunks", Path("x.csv")),
        (
            r"batches must be an iterable of pairs .* not an array: one array is learnt by fit\(X, y\)",
            moons()[0],
        ),
        (r"learnt by fit\(X, y\)", sp.csr_matrix(moons()[0])),
        ("function .* returns an iterator", lambda: None),
    ],
)
def test_a_strange_stream_is_refused(sentence, stream):
    refused(sentence, wm.LASVM(), lambda m: m.fit_stream(stream))


def test_a_stream_has_no_labels_of_its_own():
    X, y = moons()
    refused(r"one array is learnt by fit\(X, y\)", wm.LASVM(), lambda m: m.fit_stream(X, y))


def test_a_stream_on_a_fitted_machine_may_be_empty(begun):
    assert begun.fit_stream([]).n_seen_ == 100


def test_a_stream_says_where_to_name_a_class_that_comes_later():
    X, y = moons()
    labels = np.where(np.arange(400) > 200, 2, y)
    refused_stream = wm.LASVM(gamma=1.0)
    with pytest.raises(
        ValueError, match=r"batch 4: .*class 2 in row 1, .*name it in fit_stream\(classes=\.\.\.\)"
    ):
        refused_stream.fit_stream(batches(X, labels))


def test_finish_needs_data():
    refused("finish needs data", wm.LASVM(), lambda m: m.finish(), NotFittedError)
    X, y = moons(50)
    one = wm.LASVM().partial_fit(X[y == 1], y[y == 1], classes=[0, 1])
    refused("finish needs examples of two classes; there are those of 1 only", one, lambda m: m.finish())


def test_a_stream_does_not_change_between_dense_and_sparse(begun):
    X, y = moons(50)
    refused("is sparse, but the stream began dense", begun, lambda m: m.partial_fit(sp.csr_matrix(X), y))


@pytest.mark.parametrize(
    "name, value, sentence",
    [
        ("C", np.inf, "C must be a positive finite number"),
        ("epochs", 0, "epochs must be an integer >= 1"),
        ("max_candidates", 3, "max_candidates must be an integer >= 16"),
        ("selection", "greedy", "selection must be 'second-order', 'most-violating-pair'"),
        ("selection", wm.Greedy(), "selection must be"),
        ("cache_size", -1, "cache_size must be"),
        ("max_time", -1, "max_time must be None or a finite number >= 0"),
        ("kernel", "precomputed", "kernel must not be precomputed"),
    ],
)
def test_a_bad_parameter_is_named(name, value, sentence):
    X, y = moons(50)
    for act in (lambda m: m.fit(X, y), lambda m: m.partial_fit(X, y)):
        refused(sentence, wm.LASVM(**{name: value}), act)


@pytest.mark.parametrize(
    "name, value",
    [("C", 10.0), ("kernel", "linear"), ("gamma", 3.0), ("gamma", "scale"), ("degree", 2), ("coef0", 1.0)],
)
def test_what_is_solved_does_not_change_within_a_stream(begun, name, value):
    X, y = moons(50)
    before = getattr(begun, name)
    begun.set_params(**{name: value})
    sentence = f"{name} is {value!r}, but was {before!r} when the stream began: set it back, or begin again"
    refused(sentence, begun, lambda m: m.partial_fit(X, y))
    refused(sentence, begun, lambda m: m.fit_stream([(X, y)]))
    refused(sentence, begun, lambda m: m.finish())
    begun.set_params(**{name: before}).partial_fit(X, y).finish()
    begun.set_params(**{name: value}).fit(X, y).finish()


def test_a_kernel_object_does_not_change_within_a_stream():
    X, y = moons(50)
    machine = wm.LASVM(kernel=0.5 * wm.Gaussian(1.0) + wm.Linear()).partial_fit(X, y)
    name = next(name for name in machine.get_params() if name.endswith("gamma") and "kernel" in name)
    pickle.loads(pickle.dumps(machine)).partial_fit(X, y)
    machine.set_params(**{name: 2.0})
    with pytest.raises(ValueError, match=r"kernel is .* when the stream began"):
        machine.partial_fit(X, y)


def test_how_it_is_solved_may_change_within_a_stream(begun):
    begun.set_params(tol=1e-5, selection="most-violating-pair", max_candidates=50, cache_size=1, epochs=2)
    begun.partial_fit(*moons(50)).finish()
    assert begun.kkt_violation_ <= 1e-5


@pytest.mark.parametrize(
    "sentence, options",
    [
        ("n must be an integer from 1 to the 100 rows", {"n": 101}),
        ("n must be an integer from 1", {"n": 0}),
        ("strategy must be a Query or one of", {"strategy": "clever"}),
        ("strategy='gradient' needs the classes", {"strategy": "gradient"}),
        (
            r"class 7 in row 1, which is none of \[0, 1\]: leave such rows out of the pool",
            {"strategy": "gradient", "y": [0, *[7] * 99]},
        ),
        ("inconsistent numbers of samples", {"strategy": "gradient", "y": [0, 1]}),
        ("weight must lie between 0 and 1", {"strategy": Diverse(weight=2)}),
        ("weight must lie between 0 and 1", {"strategy": Diverse(weight=None)}),
        ("tries must be None or an integer >= 1", {"strategy": Active(tries=0)}),
        ("tries must be None or an integer >= 1", {"strategy": Active(tries=1.5)}),
        ("inconsistent numbers of samples", {"strategy": "gradient", "y": [0, 1]}),
        ("y should be a 1d array", {"strategy": "gradient", "y": np.zeros((100, 2))}),
    ],
)
def test_a_bad_query_is_refused(begun, sentence, options):
    refused(sentence, begun, lambda m: m.query(moons(100)[0], **options))


def test_a_query_needs_a_machine_that_has_learnt_something():
    refused("not fitted", wm.LASVM(), lambda m: m.query([[0.0]]), NotFittedError)


def test_ctrl_c_keeps_what_was_learnt_before_it():
    X, y = moons(300)
    calls = []

    def kernel(A, B):
        calls.append(len(A))
        if len(calls) == 1000:
            signal.raise_signal(signal.SIGINT)
        return wm.Gaussian(1.0).gram(A, B)

    machine = wm.LASVM(kernel=kernel)
    machine.partial_fit(X[:100], y[:100])
    assert len(calls) < 980
    calls[:] = [0] * 980
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X[100:], y[100:])
    assert machine.score(X, y) > 0.8
    machine.partial_fit(X[100:], y[100:]).finish()


def interrupted(*at):
    """A Gaussian kernel that is interrupted at these calls."""
    calls, until = count(1), [0.0]

    def gram(A, B):
        if next(calls) in at:
            until[0] = time.monotonic() + 0.06
            signal.raise_signal(signal.SIGINT)
        while time.monotonic() < until[0]:  # learners listen every 50 ms
            time.sleep(0.01)
        return wm.Gaussian(0.1).gram(A, B)

    return gram


def examples_of_pairs(machine, y):
    return [int(np.isin(y, [pair.positive, pair.negative]).sum()) for pair in machine._pairs]


@pytest.mark.parametrize("n_jobs", [1, 2])
@pytest.mark.parametrize("call", [1, 610, 630, 650])
def test_after_ctrl_c_all_pairs_have_learnt_the_same_rows(monkeypatch, n_jobs, call):
    monkeypatch.setattr("widemargin.online.lesson.MOST", 100)
    X, y = blobs(600)
    machine = wm.LASVM(kernel=interrupted(call), n_jobs=n_jobs)
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X, y, classes=[0, 1, 2, 3])
    n = machine.n_seen_
    assert n < 600
    assert [pair.seen for pair in machine._pairs] == examples_of_pairs(machine, y[:n])
    machine.partial_fit(X[n:], y[n:])
    assert machine.n_seen_ == 600
    assert [pair.seen for pair in machine._pairs] == examples_of_pairs(machine, y)
    assert machine.score(X, y) > wm.SVC(gamma=0.1).fit(X, y).score(X, y) - 0.03


def test_after_ctrl_c_a_machine_of_two_classes_goes_on_with_the_next_row():
    X, y = moons(300)
    weight = np.ones(300)
    weight[::3] = 0
    machine = wm.LASVM(kernel=interrupted(210))
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X, y, sample_weight=weight)
    n = machine.n_seen_
    assert 0 < n < 300
    assert weight[n] == 1 and [pair.seen for pair in machine._pairs] == [np.count_nonzero(weight[:n])]
    machine.partial_fit(X[n:], y[n:], sample_weight=weight[n:])
    assert [pair.seen for pair in machine._pairs] == [200]
    np.testing.assert_array_equal(machine.support_vectors_, X[machine.support_])


def test_a_second_ctrl_c_does_not_wait():
    X, y = blobs(600)
    machine = wm.LASVM(kernel=interrupted(640, 645), n_jobs=1)
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X, y, classes=[0, 1, 2, 3])
    assert sum(pair.seen for pair in machine._pairs) < sum(examples_of_pairs(machine, y[: machine.n_seen_]))
    machine.partial_fit(X[machine.n_seen_ :], y[machine.n_seen_ :]).finish()
    assert machine.n_seen_ == 600


def test_a_class_that_is_added_meets_what_is_kept_before_the_new_rows_also_after_ctrl_c():
    X, y = blobs(600)
    machine = wm.LASVM(kernel=interrupted(), n_jobs=1).partial_fit(X[y < 2], y[y < 2])
    kept = [np.count_nonzero(machine._pairs.kept.labels == name) for name in (0, 1)]
    diagonal = sum(kept) + np.count_nonzero(y == 2)
    machine.kernel_ = wm.kernels.Callable(interrupted(diagonal + 3))
    with pytest.raises(KeyboardInterrupt):
        machine.partial_fit(X[y == 2], y[y == 2], classes=[2])
    n = machine.n_seen_ - np.count_nonzero(y < 2)
    machine.partial_fit(X[y == 2][n:], y[y == 2][n:])
    size = np.count_nonzero(y == 2)
    assert [pair.seen for pair in machine._pairs][1:] == [kept[0] + size, kept[1] + size]


def test_a_large_batch_of_several_classes_is_learnt_in_parts(monkeypatch):
    X, y = blobs(600)
    whole = wm.LASVM(gamma=0.1).partial_fit(X, y)
    monkeypatch.setattr("widemargin.online.lesson.MOST", 100)
    parts = wm.LASVM(gamma=0.1).partial_fit(X, y)
    assert parts.dual_objective_ == pytest.approx(whole.dual_objective_, rel=0.02)
    assert [pair.seen for pair in parts._pairs] == examples_of_pairs(whole, y)


def test_a_kernel_that_fails_leaves_a_machine_that_goes_on():
    X, y = moons(300)
    healthy = [True]

    def kernel(A, B):
        if not healthy[0]:
            raise RuntimeError("out of order")
        return wm.Gaussian(1.0).gram(A, B)

    fresh = clone(machine := wm.LASVM(kernel=kernel))
    machine.partial_fit(X[:100], y[:100])
    healthy[0] = False
    with pytest.raises(RuntimeError, match="out of order"):
        machine.partial_fit(X[100:], y[100:])
    with pytest.raises(RuntimeError, match="out of order"):
        fresh.partial_fit(X, y)
    assert not hasattr(fresh, "classes_")
    healthy[0] = True
    assert machine.n_seen_ < 300
    machine.partial_fit(X[machine.n_seen_ :], y[machine.n_seen_ :])
    assert machine.n_seen_ == 300
    assert machine.score(X, y) > 0.9


def test_a_kernel_that_fails_now_and_then_does_not_confuse_the_rows():
    X, y = moons(300)
    calls = count()

    def kernel(A, B):
        if next(calls) % 29 == 28 and len(B) > 1:
            raise RuntimeError("out of order")
        return wm.Gaussian(1.0).gram(A, B)

    machine = wm.LASVM(kernel=kernel, cache_size=0).partial_fit(X[:10], y[:10])
    while machine.n_seen_ < 300:
        with suppress(RuntimeError):
            machine.partial_fit(X[machine.n_seen_ :], y[machine.n_seen_ :])
    serial = machine._pairs.kept.serial
    assert (np.diff(serial) > 0).all()
    np.testing.assert_array_equal(X[machine.support_], machine.support_vectors_)


def test_epochs_of_a_stream_come_to_the_solution_of_all_of_it():
    X, y = moons(600)
    exact = wm.SVC(C=10.0, gamma=1.0).fit(X, y).dual_objective_
    once, often = (
        wm.LASVM(C=10.0, gamma=1.0, epochs=epochs).fit_stream(lambda: batches(X, y)) for epochs in (1, 12)
    )
    assert once.dual_objective_ < often.dual_objective_ == pytest.approx(exact, rel=1e-4)
    assert often.n_seen_ == 600 and len(np.unique(often.support_)) == len(often.support_)
    assert np.abs(often.dual_coef_).max() <= 10.0
    np.testing.assert_array_equal(X[often.support_], often.support_vectors_)
    assert often.finish().dual_objective_ == pytest.approx(exact, rel=1e-6)


def test_epochs_go_on_from_what_the_machine_knew_before(begun):
    X, y = moons(300, 1)
    seen = begun.n_seen_
    begun.set_params(epochs=3).fit_stream(list(batches(X, y)))
    assert begun.n_seen_ == seen + 300 and len(np.unique(begun.support_)) == len(begun.support_)
    later = begun.support_[begun.support_ >= seen]
    where = {tuple(x) for x in begun.support_vectors_}
    assert later.size > 0 and all(tuple(x) in where for x in X[later - seen])


def test_a_stream_that_cannot_be_read_again_has_one_epoch():
    X, y = moons(300)
    refused("epochs=2 reads the stream again", wm.LASVM(epochs=2), lambda m: m.fit_stream(batches(X, y)))
    lengths = iter([300, 400])
    with pytest.raises(ValueError, match="the stream has more than the 300 rows of its first pass"):
        wm.LASVM(epochs=2).fit_stream(lambda: batches(*moons(next(lengths))))
