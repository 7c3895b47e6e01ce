"""Machines among scikit-learn's tools."""

import pickle

import numpy as np
import pandas as pd
import pytest
import scipy.sparse as sp
from sklearn.base import clone
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_diabetes, load_iris
from sklearn.model_selection import GridSearchCV, cross_val_score
from sklearn.multiclass import OneVsRestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as wm

X, y = load_iris(return_X_y=True)
MACHINES = [
    wm.SVC(probability=True),
    wm.NuSVC(nu=0.2),
    wm.SVR(),
    wm.NuSVR(),
    wm.OneClassSVM(),
    wm.EnclosingBall(),
    wm.SVC(kernel=wm.Gaussian(0.5) + wm.Linear(), solver=wm.SMO(step="planning-ahead")),
]


@pytest.mark.parametrize("machine", MACHINES)
@pytest.mark.parametrize(
    "data", [X, X.astype(np.float32), sp.csr_matrix(X)], ids=["float64", "float32", "csr"]
)
def test_pickles_predict_the_same(machine, data):
    machine.fit(data, y)
    copy = pickle.loads(pickle.dumps(machine))
    np.testing.assert_array_equal(copy.predict(data), machine.predict(data))
    assert copy.status_ is machine.status_


@pytest.mark.parametrize("machine", MACHINES)
def test_clones_are_unfitted_twins(machine):
    machine.fit(X, y)
    twin = clone(machine)
    assert not hasattr(twin, "support_")
    np.testing.assert_array_equal(twin.fit(X, y).predict(X), machine.predict(X))


@pytest.mark.parametrize("machine", MACHINES)
def test_data_frames_keep_their_names(machine):
    frame = pd.DataFrame(X, columns=list("abcd"))
    machine.fit(frame, pd.Series(y))
    np.testing.assert_array_equal(machine.feature_names_in_, list("abcd"))
    np.testing.assert_array_equal(machine.predict(frame), clone(machine).fit(X, y).predict(X))
    with pytest.raises(ValueError, match="feature names"):
        machine.predict(frame[["b", "a", "c", "d"]])


def test_grid_search_over_parameters_and_kernels():
    grid = {
        "svc__C": [0.1, 10],
        "svc__kernel": ["linear", wm.Gaussian(0.1), wm.Gaussian(0.5) + wm.Linear()],
    }
    search = GridSearchCV(make_pipeline(StandardScaler(), wm.SVC()), grid, cv=3).fit(X, y)
    assert search.best_score_ > 0.94


def test_grid_search_inside_a_kernel_and_a_solver():
    machine = wm.SVC(kernel=wm.Gaussian() + wm.Linear(), solver=wm.SMO())
    grid = {"kernel__left__gamma": [0.01, 1.0], "solver__step": ["newton", "planning-ahead"]}
    assert GridSearchCV(machine, grid, cv=3).fit(X, y).best_score_ > 0.94


def test_cross_validation_splits_precomputed_matrices_both_ways():
    scores = cross_val_score(wm.SVC(kernel="precomputed"), wm.Gaussian(0.3).gram(X), y, cv=3)
    np.testing.assert_allclose(scores, cross_val_score(wm.SVC(gamma=0.3), X, y, cv=3))


def test_parallel_search_with_processes():
    search = GridSearchCV(wm.SVC(), {"C": [0.1, 1.0]}, cv=2, n_jobs=2).fit(X, y)
    assert search.best_score_ > 0.9


def test_meta_estimators_of_scikit_learn_accept_the_machines():
    assert OneVsRestClassifier(wm.SVC()).fit(X, y).score(X, y) > 0.9
    assert CalibratedClassifierCV(wm.SVC(), ensemble=False).fit(X, y).predict_proba(X).shape == (150, 3)


def test_string_labels_and_boolean_labels():
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    assert wm.SVC().fit(X, names).score(X, names) > 0.9
    assert wm.SVC().fit(X, y == 0).predict(X).dtype == bool


def test_regression_scores():
    data, targets = load_diabetes(return_X_y=True)
    assert wm.SVR(C=100).fit(data, targets).score(data, targets) > 0.4


def test_predictions_before_fit_are_refused():
    from sklearn.exceptions import NotFittedError

    for machine in MACHINES:
        with pytest.raises(NotFittedError):
            clone(machine).predict(X)


def test_nothing_is_written_to_the_data():
    data = X.copy()
    data.flags.writeable = False
    sparse = sp.csr_matrix(X)
    before = sparse.copy()
    wm.SVC().fit(data, y).predict(data)
    wm.SVC().fit(sparse, y).predict(sparse)
    assert (sparse != before).nnz == 0
