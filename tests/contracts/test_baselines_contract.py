"""scikit-learn's own checks for the baselines."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

BASELINES = [
    wm.MajorityClassifier(),
    wm.MeanClassifier(),
    wm.MeanClassifier("rbf"),
    wm.MeanClassifier("precomputed"),
    wm.KernelNeighbors(),
    wm.KernelNeighbors(1, kernel="laplacian"),
    wm.KernelNeighbors(1, kernel="precomputed"),
    wm.KernelPerceptron(),
    wm.KernelPerceptron("linear", average=True),
    wm.KernelPerceptron("precomputed", bias="none"),
]


# Some checks have data that a perceptron cannot separate, which is announced.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(BASELINES)
def test_the_contract_holds(estimator, check):
    check(estimator)
