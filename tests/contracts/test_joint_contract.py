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
    wm.WestonWatkins(bias="free"),
    wm.ContinuousCode(wm.SVC()),
    wm.ContinuousCode(wm.SVC(kernel="linear"), code="all-pairs", norm=1),
    wm.ContinuousCode(wm.SVC(kernel="linear"), norm=np.inf),
]


def several_solutions(estimator):
    """Of a linear program: weights give the objective of repetitions (see the unit tests), not their code."""
    if not isinstance(estimator, wm.ContinuousCode) or estimator.norm == 2:
        return {}
    names = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
    return dict.fromkeys(names, "a linear program may have several solutions")


# Some checks cut the solver short on purpose, which is announced.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
@parametrize_with_checks(MACHINES, expected_failed_checks=several_solutions)
def test_the_contract_holds(estimator, check):
    check(estimator)
