"""scikit-learn's own checks for linear machines."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

MACHINES = [
    wm.LinearSVC(),
    wm.LinearSVC(loss="hinge", bias="penalised"),
    wm.LinearSVR(),
    wm.LinearSVR(loss="squared_epsilon_insensitive", bias="penalised"),
]


# Some checks cut the solver short on purpose, which is announced.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MACHINES)
def test_the_contract_holds(estimator, check):
    check(estimator)
