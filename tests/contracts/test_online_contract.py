"""scikit-learn's own checks for machines on streams."""

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

MACHINES = [
    wm.LASVM(),
    wm.LASVM(kernel="linear", selection="most-violating-pair", epochs=2),
    wm.LASVM(max_candidates=16, cache_size=0),
]
MET_ONCE = "an example of weight 2 is met once, two equal examples one after the other"


def weights(estimator):
    return {f"check_sample_weight_equivalence_on_{kind}_data": MET_ONCE for kind in ("dense", "sparse")}


@pytest.mark.filterwarnings("ignore:LASVM has max_candidates")
@parametrize_with_checks(MACHINES, expected_failed_checks=weights)
def test_the_contract_holds(estimator, check):
    check(estimator)
