"""scikit-learn's own checks for machines that learn all classes at once."""

import numpy as np
import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

MACHINES = [
    wm.WestonWatkins(),
    wm.CrammerSinger(),
    wm.LeeLinWahba(),
    wm.BredensteinerBennett(),
    wm.CrammerSinger(kernel="linear", bias="penalised"),
    wm.WestonWatkins(kernel="precomputed", bias="penalised"),
    wm.ContinuousCode(wm.SVC()),
    wm.ContinuousCode(wm.SVC(kernel="linear"), code="all-pairs", norm=1),
    wm.ContinuousCode(wm.SVC(kernel="linear"), norm=np.inf),
]


# Some checks cut the solver short on purpose, which is announced.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MACHINES)
def test_the_contract_holds(estimator, check):
    check(estimator)
