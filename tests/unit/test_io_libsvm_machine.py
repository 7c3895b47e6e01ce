"""Machines move to LIBSVM's model files and back, and decide as LIBSVM does."""

from ctypes import c_double
from itertools import combinations

import numpy as np
import pytest
from libsvm.svm import gen_svm_nodearray, libsvm
from libsvm.svmutil import svm_load_model, svm_predict, svm_problem, svm_save_model, svm_train

import widemargin as wm
from widemargin.io import load_libsvm_model, save_libsvm_model


def points(n_classes, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(60, 4))
    y = np.array([7, -2, 5, 0])[np.argsort(np.argsort(X[:, 0] + 0.5 * rng.normal(size=60))) * n_classes // 60]
    return X, y


def libsvm_decisions(path, X):
    """Labels and decision values by LIBSVM, whose Python function has too small a buffer for nu_svc."""
    model = svm_load_model(str(path))
    k = model.get_nr_class()
    values = (c_double * (k * (k - 1) // 2))()
    rows = [
        (libsvm.svm_predict_values(model, gen_svm_nodearray(row, isKernel=False)[0], values), *values)
        for row in (dict(enumerate(point, start=1)) for point in X.tolist())
    ]
    return np.array(rows)[:, 0], np.array(rows)[:, 1:]


KERNELS = [
    {"kernel": "linear"},
    {"kernel": "poly", "degree": 2, "gamma": 0.3, "coef0": 1.0},
    {"kernel": "rbf", "gamma": 0.3},
    {"kernel": "sigmoid", "gamma": 0.05, "coef0": 0.1},
]


@pytest.mark.parametrize("kernel", KERNELS, ids=lambda kernel: kernel["kernel"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_libsvm_predicts_with_our_classifiers(n_classes, kernel, tmp_path):
    X, y = points(n_classes)
    machine = wm.SVC(**kernel).fit(X, y)
    save_libsvm_model(machine, tmp_path / "model")
    labels, _ = libsvm_decisions(tmp_path / "model", X)
    np.testing.assert_array_equal(labels, machine.predict(X))


@pytest.mark.parametrize("build", [wm.SVR, wm.NuSVR, wm.OneClassSVM])
def test_libsvm_predicts_with_our_other_machines(build, tmp_path):
    X, _ = points(2)
    machine = build(gamma=0.3).fit(X, X[:, 0] + X[:, 1] ** 2)
    save_libsvm_model(machine, tmp_path / "model")
    labels, _ = libsvm_decisions(tmp_path / "model", X)
    np.testing.assert_allclose(labels, machine.predict(X), rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("kind", [0, 1], ids=["c_svc", "nu_svc"])
@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_we_predict_with_classifiers_of_libsvm(n_classes, kind, tmp_path):
    X, y = points(n_classes)
    svm_save_model(str(tmp_path / "model"), svm_train(svm_problem(y, X), f"-s {kind} -n 0.3 -g 0.3 -q"))
    machine = load_libsvm_model(tmp_path / "model")
    labels, values = libsvm_decisions(tmp_path / "model", X)
    votes = np.zeros((len(X), n_classes))
    for value, (i, j) in zip(values.T, combinations(range(n_classes), 2), strict=True):
        votes[np.arange(len(X)), np.where(value > 0, i, j)] += 1
    clear = votes.max(axis=1) == n_classes - 1
    assert clear.sum() > 50
    np.testing.assert_array_equal(machine.predict(X)[clear], labels[clear])
    assert machine.classes_.tolist() == sorted(np.unique(y).tolist())
    if n_classes == 2:
        sign = 1 if y[0] == machine.classes_[1] else -1
        np.testing.assert_allclose(machine.decision_function(X), sign * values[:, 0], atol=1e-9)


@pytest.mark.parametrize("kind", [2, 3, 4], ids=["one_class", "epsilon_svr", "nu_svr"])
def test_we_predict_with_other_machines_of_libsvm(kind, tmp_path):
    X, _ = points(2)
    svm_save_model(str(tmp_path / "model"), svm_train(svm_problem(X[:, 0], X), f"-s {kind} -g 0.3 -q"))
    labels, _ = libsvm_decisions(tmp_path / "model", X)
    np.testing.assert_allclose(load_libsvm_model(tmp_path / "model").predict(X), labels, atol=1e-9)


@pytest.mark.parametrize("n_classes", [2, 3])
def test_probabilities_of_libsvm_are_kept(n_classes, tmp_path):
    X, y = points(n_classes)
    svm_save_model(str(tmp_path / "model"), svm_train(svm_problem(y, X), "-g 0.3 -b 1 -q"))
    model = svm_load_model(str(tmp_path / "model"))
    _, _, theirs = svm_predict([0] * len(X), X, model, "-q -b 1")
    order = np.argsort(model.get_labels())
    ours = load_libsvm_model(tmp_path / "model").predict_proba(X)
    clear = np.sort(ours, axis=1)[:, -1] - np.sort(ours, axis=1)[:, -2] > 0.1
    assert clear.sum() > 25
    np.testing.assert_allclose(ours[clear], np.array(theirs)[:, order][clear], atol=1e-2)


@pytest.mark.parametrize("n_classes", [2, 3, 4])
def test_a_machine_survives_the_way_there_and_back(n_classes, tmp_path):
    X, y = points(n_classes)
    machine = wm.SVC(gamma=0.3, probability=True, random_state=0).fit(X, y)
    save_libsvm_model(machine, tmp_path / "model")
    back = load_libsvm_model(tmp_path / "model")
    np.testing.assert_allclose(back.decision_function(X), machine.decision_function(X), atol=1e-12)
    np.testing.assert_allclose(back.predict_proba(X), machine.predict_proba(X), atol=1e-9)


def test_data_may_have_more_features_than_the_support_vectors_show(tmp_path):
    X, y = points(2)
    save_libsvm_model(wm.SVC(gamma=0.3).fit(X, y), tmp_path / "model")
    wide = np.column_stack([X, np.ones(len(X))])
    assert load_libsvm_model(tmp_path / "model", n_features=5).predict(wide).shape == (60,)


@pytest.mark.parametrize(
    ("machine", "words"),
    [
        (wm.SVC(kernel="laplacian"), "Laplacian kernel"),
        (wm.EnclosingBall(), "EnclosingBall"),
        (wm.SVC(multiclass="one-vs-all"), "one-vs-all"),
        (wm.SVC(multiclass="dag"), "decoded by Dag, only votes of all pairs"),
    ],
)
def test_what_libsvm_cannot_hold_is_refused_before_anything_is_written(machine, words, tmp_path):
    X, y = points(3)
    with pytest.raises(ValueError, match=words):
        save_libsvm_model(machine.fit(X, y), tmp_path / "model")
    assert not (tmp_path / "model").exists()


def test_classes_that_are_no_integers_are_refused(tmp_path):
    X, y = points(2)
    with pytest.raises(ValueError, match="integers for classes"):
        save_libsvm_model(wm.SVC().fit(X, np.where(y == 7, "a", "b")), tmp_path / "model")
