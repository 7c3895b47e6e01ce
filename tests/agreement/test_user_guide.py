"""The examples of scikit-learn's user guide on support vector machines, with the import changed."""

import numpy as np
from sklearn.datasets import load_digits, make_classification
from sklearn.gaussian_process.kernels import RBF
from sklearn.model_selection import train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import widemargin as svm


def test_classification():
    X, y = [[0, 0], [1, 1]], [0, 1]
    clf = svm.SVC().fit(X, y)
    np.testing.assert_array_equal(clf.predict([[2.0, 2.0]]), [1])
    np.testing.assert_array_equal(clf.support_vectors_, [[0.0, 0.0], [1.0, 1.0]])
    np.testing.assert_array_equal(clf.support_, [0, 1])
    np.testing.assert_array_equal(clf.n_support_, [1, 1])


def test_multi_class_classification():
    clf = svm.SVC(decision_function_shape="ovo").fit([[0], [1], [2], [3]], [0, 1, 2, 3])
    assert clf.decision_function([[1]]).shape[1] == 6
    clf.decision_function_shape = "ovr"
    assert clf.decision_function([[1]]).shape[1] == 4


def test_unbalanced_problems():
    X, y = make_classification(200, weights=[0.9], random_state=0)
    wclf = svm.SVC(kernel="linear", class_weight={1: 10}).fit(X, y)
    assert wclf.predict(X).mean() > svm.SVC(kernel="linear").fit(X, y).predict(X).mean()
    weight = np.ones(200)
    weight[:10] *= 10
    assert svm.SVC(gamma=1).fit(X, y, sample_weight=weight).score(X, y) > 0.9


def test_regression():
    regr = svm.SVR().fit([[0, 0], [2, 2]], [0.5, 2.5])
    np.testing.assert_allclose(regr.predict([[1, 1]]), [1.5])


def test_outlier_detection():
    rng = np.random.RandomState(42)
    X = 0.3 * rng.randn(100, 2)
    clf = svm.OneClassSVM(nu=0.1, kernel="rbf", gamma=0.1).fit(np.r_[X + 2, X - 2])
    assert (clf.predict(rng.uniform(low=-4, high=4, size=(20, 2))) == -1).mean() > 0.5


def test_scaled_pipeline():
    X, y = make_classification(random_state=0)
    assert make_pipeline(StandardScaler(), svm.SVC()).fit(X, y).score(X, y) > 0.9


def test_kernels_by_name_and_by_function():
    assert svm.SVC(kernel="linear").kernel == "linear"
    X, y = load_digits(return_X_y=True)
    X_train, X_test, y_train, _ = train_test_split(X[:400], y[:400], random_state=0)
    by_function = svm.SVC(kernel=lambda A, B: np.dot(A, B.T)).fit(X_train, y_train)
    gram = svm.SVC(kernel="precomputed").fit(np.dot(X_train, X_train.T), y_train)
    np.testing.assert_array_equal(by_function.predict(X_test), gram.predict(np.dot(X_test, X_train.T)))


def test_kernels_of_gaussian_processes():
    X, y = make_classification(n_samples=100, random_state=0)
    assert svm.SVC(kernel=RBF(2.0)).fit(X, y).score(X, y) > 0.9


def test_nu_classification():
    nu = svm.NuSVC().fit([[-1, -1], [-2, -1], [1, 1], [2, 1]], [1, 1, 2, 2])
    np.testing.assert_array_equal(nu.predict([[-0.8, -1]]), [1])
