"""scikit-learn's checks of estimators around a machine."""

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

import widemargin as wm

MACHINES = [
    wm.ChunkBagging(wm.SVC(), n_chunks=3, random_state=0),
    wm.ChunkBagging(wm.RLSRegressor(), n_chunks=3, random_state=0),
    wm.Pruned(wm.SVC()),
    wm.Pruned(wm.RLSRegressor()),
    wm.RestrictedSVC(random_state=0),
]
COUNTS = "it draws or drops a share of the points there are, whatever their weights"


def counted(estimator):
    return {f"check_sample_weight_equivalence_on_{kind}_data": COUNTS for kind in ("dense", "sparse")}


@parametrize_with_checks(MACHINES, expected_failed_checks=counted)
def test_the_contract_holds(estimator, check):
    check(estimator)


@pytest.mark.parametrize("machine", [wm.RestrictedSVC(centres=1.0), wm.ChunkBagging(wm.SVC(), n_chunks=1)])
def test_nothing_but_the_draw_is_in_the_way_of_weights(machine):
    check_sample_weight_equivalence_on_dense_data(type(machine).__name__, machine)
    check_sample_weight_equivalence_on_sparse_data(type(machine).__name__, machine)
