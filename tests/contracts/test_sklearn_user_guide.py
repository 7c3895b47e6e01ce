"""The examples of scikit-learn's user guide on support vector machines, with the import changed.

Each test is one of its examples, written as a function of the module that provides the machines; it must give
the same answers with `sklearn.svm` and with `widemargin`.
"""

import warnings

import numpy as np
import pytest
import sklearn.svm
from sklearn.datasets import load_digits, load_iris, make_blobs, make_classification
from sklearn.feature_selection import SelectPercentile, f_classif
from sklearn.inspection import DecisionBoundaryDisplay
from sklearn.model_selection import GridSearchCV, StratifiedShuffleSplit, cross_val_score, train_test_split
from sklearn.pipeline import Pipeline, make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin

# Two solutions within tol=1e-3 of optimal have decision values that differ by about as much.
CLOSE = {"rtol": 1e-2, "atol": 1e-2}


def both(example):
    """The example's results with scikit-learn's machines and with ours."""
    return example(sklearn.svm), example(widemargin)


def assert_same(example):
    """The example returns a dict: names that end with `_exact` must be equal, all others close."""
    theirs, ours = both(example)
    assert theirs.keys() == ours.keys()
    for name, value in theirs.items():
        if name.endswith("_exact"):
            np.testing.assert_array_equal(ours[name], value, err_msg=name)
        else:
            np.testing.assert_allclose(ours[name], value, err_msg=name, **CLOSE)


def test_classification():
    def example(svm):
        clf = svm.SVC()
        clf.fit([[0, 0], [1, 1]], [0, 1])
        return {
            "predicted_exact": clf.predict([[2.0, 2.0]]),
            "support_vectors_exact": clf.support_vectors_,
            "support_exact": clf.support_,
            "n_support_exact": clf.n_support_,
        }

    assert_same(example)


@pytest.mark.parametrize("shape, columns", [("ovo", 6), ("ovr", 4)])
def test_multi_class_classification(shape, columns):
    def example(svm):
        clf = svm.SVC(decision_function_shape="ovo")
        clf.fit([[0], [1], [2], [3]], [0, 1, 2, 3])
        clf.decision_function_shape = shape
        dec = clf.decision_function([[1], [1.2]])
        assert dec.shape == (2, columns)
        return {"dec": dec[1], "dual": clf.dual_coef_, "b": clf.intercept_, "support_exact": clf.support_}

    assert_same(example)


@pytest.mark.parametrize("kernel", ["linear", "rbf", "poly"])
def test_the_layout_of_dual_coefficients_of_several_classes(kernel):
    X, y = load_iris(return_X_y=True)

    def example(svm):
        clf = svm.SVC(kernel=kernel, C=1.0, gamma=0.7, tol=1e-6).fit(X[:, :2], y)
        assert clf.dual_coef_.shape == (2, len(clf.support_))
        return {
            "predicted_exact": clf.predict(X[:, :2]),
            "n_support_exact": clf.n_support_,
            "b": clf.intercept_,
        }

    assert_same(example)


def test_kernels_on_iris_with_scaling():
    X, y = load_iris(return_X_y=True)

    def example(svm):
        scores = {}
        for kernel in ("linear", "poly", "rbf", "sigmoid"):
            clf = make_pipeline(StandardScaler(), svm.SVC(kernel=kernel, gamma="auto"))
            scores[kernel] = cross_val_score(clf, X, y, cv=5)
        return scores

    assert_same(example)


def test_pipeline_with_scaling():
    X, y = np.array([[-1, -1], [-2, -1], [1, 1], [2, 1]]), np.array([1, 1, 2, 2])

    def example(svm):
        clf = make_pipeline(StandardScaler(), svm.SVC(gamma="auto")).fit(X, y)
        return {"predicted_exact": clf.predict([[-0.8, -1]]), "score": clf.score(X, y)}

    assert_same(example)


def test_linear_separating_hyperplane():
    X, y = make_blobs(n_samples=40, centers=2, random_state=6)

    def example(svm):
        clf = svm.SVC(kernel="linear", C=1000).fit(X, y)
        return {"coef": clf.coef_, "intercept": clf.intercept_, "support_exact": clf.support_}

    assert_same(example)


@pytest.mark.parametrize("penalty", [1, 0.05])
def test_margins_of_different_width(penalty):
    rng = np.random.RandomState(0)
    X, y = np.r_[rng.randn(20, 2) - [2, 2], rng.randn(20, 2) + [2, 2]], [0] * 20 + [1] * 20

    def example(svm):
        clf = svm.SVC(kernel="linear", C=penalty, tol=1e-6).fit(X, y)
        return {"margin": 1 / np.sqrt(np.sum(clf.coef_**2)), "support_exact": clf.support_}

    assert_same(example)


def test_unbalanced_classes():
    X, y = make_blobs(
        n_samples=[1000, 100],
        centers=[[0.0, 0.0], [2.0, 2.0]],
        cluster_std=[1.5, 0.5],
        random_state=0,
        shuffle=False,
    )

    def example(svm):
        plain = svm.SVC(kernel="linear", C=1.0).fit(X, y)
        weighted = svm.SVC(kernel="linear", class_weight={1: 10}).fit(X, y)
        balanced = svm.SVC(class_weight="balanced").fit(X, y)
        return {
            "plain": plain.coef_,
            "weighted": weighted.coef_,
            "weights": weighted.class_weight_,
            "balanced": balanced.decision_function(X),
        }

    assert_same(example)


def test_weighted_samples():
    rng = np.random.RandomState(0)
    X = np.r_[rng.randn(10, 2) + [1, 1], rng.randn(10, 2)]
    y = [1] * 10 + [-1] * 10
    weight = abs(rng.randn(len(X)))
    weight[15:] *= 5
    weight[9] *= 15

    def example(svm):
        plain = svm.SVC(gamma=1).fit(X, y)
        weighted = svm.SVC(gamma=1).fit(X, y, sample_weight=weight)
        return {"plain": plain.decision_function(X), "weighted": weighted.decision_function(X)}

    assert_same(example)


def test_exclusive_or_with_a_nu_classifier():
    X = np.random.RandomState(0).randn(300, 2)
    y = np.logical_xor(X[:, 0] > 0, X[:, 1] > 0)
    points = np.stack(np.meshgrid(np.linspace(-3, 3, 20), np.linspace(-3, 3, 20)), axis=-1).reshape(-1, 2)

    def example(svm):
        clf = svm.NuSVC(gamma="auto", tol=1e-5).fit(X, y)
        return {"values": clf.decision_function(points), "predicted_exact": clf.predict(X)}

    assert_same(example)


def test_breaking_ties():
    X, y = make_blobs(random_state=27)

    def example(svm):
        results = {}
        for break_ties in (False, True):
            clf = svm.SVC(kernel="linear", C=1, break_ties=break_ties, decision_function_shape="ovr").fit(
                X, y
            )
            results[f"{break_ties}_exact"] = clf.predict(X)
        return results

    assert_same(example)


def test_breaking_ties_needs_ovr_scores():
    X, y = make_blobs(random_state=27)

    def complaint(svm):
        clf = svm.SVC(break_ties=True, decision_function_shape="ovo").fit(X, y)
        with pytest.raises(ValueError, match="break_ties must be False") as raised:
            clf.predict(X)
        return str(raised.value)

    theirs, ours = both(complaint)
    assert theirs == ours


def test_regression():
    def example(svm):
        regr = svm.SVR()
        regr.fit([[0, 0], [2, 2]], [0.5, 2.5])
        return {"predicted": regr.predict([[1, 1]])}

    assert_same(example)


def test_regression_with_three_kernels():
    X = np.sort(5 * np.random.RandomState(0).rand(40, 1), axis=0)
    y = np.sin(X).ravel()
    y[::5] += 3 * (0.5 - np.random.RandomState(1).rand(8))

    def example(svm):
        machines = {
            "rbf": svm.SVR(kernel="rbf", C=100, gamma=0.1, epsilon=0.1),
            "linear": svm.SVR(kernel="linear", C=100, gamma="auto"),
            # With the guide's gamma="auto" kernel values reach 17,576 and the two differ: scikit-learn's rows
            # in single precision leave it with a duality gap of 3 %.
            "poly": svm.SVR(kernel="poly", C=100, gamma=0.04, degree=3, epsilon=0.1, coef0=1),
            "nu": svm.NuSVR(C=100, gamma=0.1, nu=0.3),
        }
        return {name: machine.fit(X, y).predict(X) for name, machine in machines.items()}

    assert_same(example)


def test_novelty_detection():
    rng = np.random.RandomState(0)
    X = 0.3 * rng.randn(100, 2)
    X_train, X_test = np.r_[X + 2, X - 2], np.r_[0.3 * rng.randn(20, 2) + 2, 0.3 * rng.randn(20, 2) - 2]
    X_outliers = rng.uniform(low=-4, high=4, size=(20, 2))

    def example(svm):
        clf = svm.OneClassSVM(nu=0.1, kernel="rbf", gamma=0.1, tol=1e-6).fit(X_train)
        return {
            "test": clf.decision_function(X_test),
            "outliers_exact": clf.predict(X_outliers),
            "scores": clf.score_samples(X_test),
            "offset": clf.offset_,
        }

    assert_same(example)


def test_a_function_as_kernel():
    X, y = load_iris(return_X_y=True)
    X = X[:, :2]

    def my_kernel(X, Y):
        """k(x, y) = x' diag(2, 1) y."""
        return X @ np.array([[2.0, 0], [0, 1.0]]) @ Y.T

    def example(svm):
        clf = svm.SVC(kernel=my_kernel, decision_function_shape="ovo", tol=1e-6).fit(X, y)
        return {"predicted_exact": clf.predict(X), "values": clf.decision_function(X)}

    assert_same(example)


def test_a_precomputed_kernel_matrix():
    X, y = make_classification(n_samples=10, random_state=0)
    X_train, X_test, y_train, _ = train_test_split(X, y, random_state=0)

    def example(svm):
        clf = svm.SVC(kernel="precomputed")
        clf.fit(X_train @ X_train.T, y_train)
        return {"predicted_exact": clf.predict(X_test @ X_train.T), "dual": clf.dual_coef_}

    assert_same(example)


def test_parameters_of_the_rbf_kernel():
    X, y = load_iris(return_X_y=True)
    X = StandardScaler().fit_transform(X)

    def example(svm):
        grid = {"C": np.logspace(-2, 4, 4), "gamma": np.logspace(-3, 1, 3)}
        cv = StratifiedShuffleSplit(n_splits=3, test_size=0.2, random_state=42)
        search = GridSearchCV(svm.SVC(), param_grid=grid, cv=cv).fit(X, y)
        return {
            "best_exact": list(search.best_params_.values()),
            "scores": search.cv_results_["mean_test_score"],
        }

    assert_same(example)


def test_selection_of_features_before_the_machine():
    X, y = load_iris(return_X_y=True)
    X = np.hstack((X, 2 * np.random.RandomState(0).random((X.shape[0], 36))))

    def example(svm):
        clf = Pipeline(
            [("anova", SelectPercentile(f_classif)), ("scaler", StandardScaler()), ("svc", svm.SVC())]
        )
        return {
            str(share): cross_val_score(clf.set_params(anova__percentile=share), X, y)
            for share in (10, 40, 100)
        }

    assert_same(example)


def test_handwritten_digits():
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, _ = train_test_split(X, y, test_size=0.5, shuffle=False)

    def example(svm):
        clf = svm.SVC(gamma=0.001, tol=1e-5).fit(X_train, y_train)
        return {"predicted_exact": clf.predict(X_test), "support_exact": clf.support_}

    assert_same(example)


def test_sparse_data():
    X, y = load_digits(return_X_y=True)
    sparse = pytest.importorskip("scipy.sparse").csr_matrix(X[:500])

    def example(svm):
        clf = svm.SVC(kernel="linear", tol=1e-6).fit(sparse, y[:500])  # so that the support is settled
        return {
            "values": clf.set_params(decision_function_shape="ovo").decision_function(sparse),
            "coef": clf.coef_.toarray(),
            "support_exact": clf.support_,
        }

    assert_same(example)


def test_probabilities():
    X, y = load_iris(return_X_y=True)

    def example(svm):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # scikit-learn deprecates the parameter
            clf = svm.SVC(probability=True, random_state=0).fit(X, y)
            return clf.predict_proba(X), clf.predict_log_proba(X), clf.probA_.shape, clf.probB_.shape

    (theirs, _, *shapes), (ours, log_ours, *our_shapes) = both(example)
    assert shapes == our_shapes
    np.testing.assert_allclose(ours.sum(axis=1), 1)
    np.testing.assert_allclose(log_ours, np.log(ours))
    np.testing.assert_allclose(ours, theirs, atol=0.2)  # sigmoids of other folds
    assert np.abs(ours - theirs).mean() < 0.02


def test_display_of_a_decision_boundary():
    matplotlib = pytest.importorskip("matplotlib")
    matplotlib.use("agg")
    X, y = load_iris(return_X_y=True)

    def example(svm):
        clf = svm.SVC(kernel="rbf", gamma=0.7, tol=1e-6).fit(X[:, :2], y)
        shown = DecisionBoundaryDisplay.from_estimator(
            clf, X[:, :2], grid_resolution=20, response_method="predict"
        )
        return {"classes_exact": shown.response}

    assert_same(example)
