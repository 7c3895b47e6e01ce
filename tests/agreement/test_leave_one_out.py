"""Leave-one-out on real data equals n trainings, in every value and every error."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_diabetes, load_digits, load_iris, load_wine
from sklearn.preprocessing import StandardScaler

from reference import leave_one_out as reference
from widemargin import SVC, SVR, leave_one_out


def two_digits():
    X, y = load_digits(return_X_y=True)
    return X[(y == 3) | (y == 8)], y[(y == 3) | (y == 8)]


def pima_like():
    """The diabetes data with the target cut at its median: noisy, with many bounded support vectors."""
    X, t = load_diabetes(return_X_y=True)
    return X, (t > np.median(t)).astype(int)


SETS = {
    "breast cancer": lambda: load_breast_cancer(return_X_y=True),
    "diabetes": pima_like,
    "digits": two_digits,
    "iris": lambda: load_iris(return_X_y=True),
    "wine": lambda: load_wine(return_X_y=True),
}


def load(name, n=120):
    X, y = SETS[name]()
    rows = np.random.default_rng(0).permutation(len(y))[:n]
    return StandardScaler().fit_transform(X[rows]), y[rows]


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize(
    "parameters",
    [{}, {"loss": "squared_hinge"}, {"fit_intercept": False}],
    ids=["hinge", "squared", "no bias"],
)
def test_values_and_errors_are_those_of_n_trainings(name, parameters):
    X, y = load(name)
    machine = SVC(C=2.0, gamma=0.05, **parameters)
    values, predictions = reference.retrained(machine, X, y)
    result = leave_one_out(machine, X, y)
    np.testing.assert_allclose(result.decision_values, values, atol=1e-6)
    assert result.errors == np.count_nonzero(predictions != y)
    assert result.solved == 0


def test_regression_on_real_data():
    X, t = load_diabetes(return_X_y=True)
    X, t = StandardScaler().fit_transform(X[:100]), t[:100]
    machine = SVR(C=50.0, gamma=0.05, epsilon=10.0)
    values, _ = reference.retrained(machine, X, t)
    np.testing.assert_allclose(leave_one_out(machine, X, t).predictions, values, atol=1e-5)
