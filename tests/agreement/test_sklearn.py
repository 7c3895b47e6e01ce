"""The machines of scikit-learn by name: same attributes, same predictions, only the import changed."""

import inspect
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import sklearn.svm
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import scale

import widemargin as wm

PAIRS = [
    (getattr(wm, name), getattr(sklearn.svm, name))
    for name in ("SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM")
]
KERNELS = ["linear", "poly", "rbf", "sigmoid"]


def classification(name):
    load = {"iris": load_iris, "wine": load_wine, "cancer": load_breast_cancer, "digits": load_digits}[name]
    X, y = load(return_X_y=True)
    _, first = np.unique(X, axis=0, return_index=True)  # repeated points would share coefficients in any way
    X, y = X[np.sort(first)], y[np.sort(first)]
    return (scale(X), y) if name != "digits" else (X[:400] / 16, y[:400])


def regression():
    X, y = load_diabetes(return_X_y=True)
    return scale(X), y / y.std()


def both(ours, theirs, X, y=None, weight=None, **parameters):
    """Our machine and theirs, trained alike and to high accuracy."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        return [machine(tol=1e-6, **parameters).fit(X, y, sample_weight=weight) for machine in (ours, theirs)]


def dense(array):
    return array.toarray() if sp.issparse(array) else np.asarray(array)


def assert_same(ours, theirs, X, unique=True, atol=1e-3):
    """Equal attributes, and decision values that agree to the tolerance of the fits.

    Where `unique` is False several sets of coefficients describe the solution (as with more points than
    dimensions of feature space).
    """
    public = {name for name in vars(theirs) if name.endswith("_") and not name.startswith("_")}
    assert public <= {name for name in dir(ours) if hasattr(ours, name)}
    for name in public | {"n_support_"}:
        mine, their = getattr(ours, name), getattr(theirs, name)
        assert np.shape(mine) == np.shape(their) or not unique, name
        assert sp.issparse(mine) == sp.issparse(their), name
        if hasattr(their, "dtype") and name != "support_vectors_":
            assert mine.dtype == their.dtype, name
    if unique:
        np.testing.assert_array_equal(ours.support_, theirs.support_)
        np.testing.assert_array_equal(ours.n_support_, theirs.n_support_)
        np.testing.assert_allclose(dense(ours.support_vectors_), dense(theirs.support_vectors_))
        np.testing.assert_allclose(dense(ours.dual_coef_), dense(theirs.dual_coef_), atol=atol, rtol=1e-3)
    np.testing.assert_allclose(ours.intercept_, theirs.intercept_, atol=atol, rtol=1e-3)
    if hasattr(theirs, "coef_"):
        assert ours.coef_.shape == theirs.coef_.shape and sp.issparse(ours.coef_) == sp.issparse(theirs.coef_)
        np.testing.assert_allclose(dense(ours.coef_), dense(theirs.coef_), atol=atol, rtol=1e-3)
    decide = "decision_function" if hasattr(theirs, "decision_function") else "predict"
    values = getattr(theirs, decide)(X)
    np.testing.assert_allclose(getattr(ours, decide)(X), values, atol=atol, rtol=1e-3)
    if decide == "decision_function":
        sure = np.abs(values).reshape(len(values), -1).min(axis=1) > 1e-2
        np.testing.assert_array_equal(ours.predict(X)[sure], theirs.predict(X)[sure])


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_every_parameter_has_the_same_name_place_and_default(ours, theirs):
    mine, their = inspect.signature(ours).parameters, inspect.signature(theirs).parameters
    assert set(their) <= set(mine)
    for name in set(their) - {"probability", "cache_size"}:  # ours is "auto", theirs 200
        assert mine[name].default == their[name].default, name


@pytest.mark.parametrize(("ours", "theirs"), PAIRS)
def test_every_public_method_is_there(ours, theirs):
    public = {name for name in dir(theirs) if not name.startswith("_")} - {"probA_", "probB_"}
    assert public - {"unused_param", "n_support_"} <= set(dir(ours))


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("name", ["iris", "cancer"])
def test_SVC_agrees_for_every_kernel(name, kernel):
    X, y = classification(name)
    ours, theirs = both(wm.SVC, sklearn.svm.SVC, X, y, kernel=kernel, gamma=0.1, coef0=0.5)
    # tanh is no kernel: its problem may have several solutions.
    assert_same(ours, theirs, X, unique=kernel == "rbf") if kernel != "sigmoid" else ours.predict(X)


@pytest.mark.parametrize("name", ["iris", "wine", "digits"])
@pytest.mark.parametrize("shape", ["ovr", "ovo"])
def test_several_classes_agree_in_both_shapes(name, shape):
    X, y = classification(name)
    assert_same(*both(wm.SVC, sklearn.svm.SVC, X, y, decision_function_shape=shape), X)


@pytest.mark.parametrize("kernel", KERNELS[:3])
def test_NuSVC_agrees(kernel):
    X, y = classification("iris")
    ours, theirs = both(wm.NuSVC, sklearn.svm.NuSVC, X, y, nu=0.3, kernel=kernel)
    # Where the classes are far apart the margin is small in the scale of the solver, and errors grow by it.
    assert_same(ours, theirs, X, unique=kernel == "rbf", atol=1e-2)


@pytest.mark.parametrize("kernel", KERNELS[:3])
@pytest.mark.parametrize("machine", ["SVR", "NuSVR"])
def test_regression_agrees(machine, kernel):
    X, y = regression()
    ours, theirs = both(getattr(wm, machine), getattr(sklearn.svm, machine), X, y, kernel=kernel)
    assert_same(ours, theirs, X, unique=kernel == "rbf")


@pytest.mark.parametrize("kernel", KERNELS[:3])
def test_OneClassSVM_agrees(kernel):
    X, _ = classification("wine")
    ours, theirs = both(wm.OneClassSVM, sklearn.svm.OneClassSVM, X, nu=0.2, kernel=kernel, coef0=1.0)
    assert_same(ours, theirs, X, unique=kernel == "rbf")
    np.testing.assert_allclose(ours.offset_, theirs.offset_, rtol=1e-4, atol=1e-5)
    np.testing.assert_allclose(ours.score_samples(X), theirs.score_samples(X), rtol=1e-3, atol=1e-5)


@pytest.mark.parametrize("machine", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_sparse_data_agree_and_stay_sparse(machine):
    X, y = classification("digits")
    X, y = sp.csr_matrix(X), (y if "SVC" in machine else np.sqrt(y))
    parameters = {"nu": 0.2} if "Nu" in machine or "One" in machine else {}
    ours, theirs = both(getattr(wm, machine), getattr(sklearn.svm, machine), X, y, **parameters)
    assert_same(ours, theirs, X)
    assert sp.issparse(ours.support_vectors_)


@pytest.mark.parametrize("machine", ["SVC", "NuSVC", "SVR", "NuSVR", "OneClassSVM"])
def test_sample_weights_agree(machine):
    rng = np.random.default_rng(0)
    X, y = classification("iris")
    weight = rng.uniform(0.5, 2.0, len(X))
    weight[::10] = 0.0
    parameters = {"nu": 0.2} if "Nu" in machine or "One" in machine else {}
    # gamma="scale" would look at the weights here and not there.
    ours, theirs = both(
        getattr(wm, machine), getattr(sklearn.svm, machine), X, y, weight, gamma=0.2, **parameters
    )
    theirs.support_ = np.flatnonzero(weight)[theirs.support_].astype(
        np.int32
    )  # theirs counts positive weights
    assert_same(ours, theirs, X)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 1.0, 1: 5.0, 2: 0.5}])
def test_class_weights_agree(class_weight):
    X, y = classification("wine")
    ours, theirs = both(wm.SVC, sklearn.svm.SVC, X, y, class_weight=class_weight)
    np.testing.assert_allclose(ours.class_weight_, theirs.class_weight_)
    assert_same(ours, theirs, X)


def test_precomputed_matrices_agree():
    X, y = classification("wine")
    assert_same(*both(wm.SVC, sklearn.svm.SVC, X @ X.T, y, kernel="precomputed"), X @ X.T, unique=False)


def test_callable_kernels_agree():
    X, y = classification("iris")
    ours, theirs = both(wm.SVC, sklearn.svm.SVC, X, y, kernel=lambda A, B: (A @ B.T + 1) ** 2)
    np.testing.assert_allclose(ours.decision_function(X), theirs.decision_function(X), atol=1e-3)


def test_broken_ties_agree():
    X, y = classification("digits")
    assert_same(*both(wm.SVC, sklearn.svm.SVC, X, y, break_ties=True, C=0.01), X)


def test_string_labels_agree():
    X, y = classification("iris")
    names = np.array(["setosa", "versicolor", "virginica"])[y]
    ours, theirs = both(wm.SVC, sklearn.svm.SVC, X, names)
    np.testing.assert_array_equal(ours.classes_, theirs.classes_)
    np.testing.assert_array_equal(ours.predict(X), theirs.predict(X))


@pytest.mark.parametrize("name", ["cancer", "wine"])
def test_probabilities_are_close(name):
    X, y = classification(name)
    ours, theirs = both(wm.SVC, sklearn.svm.SVC, X, y, probability=True, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)
        slopes, offsets = theirs.probA_, theirs.probB_
    # The folds differ, so the sigmoids do a little.
    np.testing.assert_allclose(ours.probA_, slopes, rtol=0.25)
    np.testing.assert_allclose(ours.probB_, offsets, atol=0.35)
    assert np.abs(ours.predict_proba(X) - theirs.predict_proba(X)).mean() < 0.02
