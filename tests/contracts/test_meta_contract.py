"""scikit-learn's checks of estimators that draw or drop points, for whom a weight is not a repetition."""

import pytest
from sklearn.utils.estimator_checks import (
    check_sample_weight_equivalence_on_dense_data,
    check_sample_weight_equivalence_on_sparse_data,
    parametrize_with_checks,
)

import widemargin as wm
from widemargin.selection.objectives import GCV, CrossValidation
from widemargin.selection.optimizers import Grid, IRpropPlus

MACHINES = [
    wm.ChunkBagging(wm.SVC(), n_chunks=3, random_state=0),
    wm.ChunkBagging(wm.RLSRegressor(), n_chunks=3, random_state=0),
    wm.Pruned(wm.SVC()),
    wm.Pruned(wm.RLSRegressor(lam=1e-3), share=0.3),
    wm.RestrictedSVC(),
    wm.AutoSVC(),
    wm.AutoSVR(),
    wm.ModelSearch(wm.SVC(), CrossValidation(cv=2), Grid(points=2), random_state=0),
    wm.ModelSearch(wm.RLSRegressor(lam=1e-3), GCV(), IRpropPlus(), max_evaluations=3),
]
COUNTS = "it draws or drops a share of the points there are, whatever their weights"


def counted(estimator):
    return {f"check_sample_weight_equivalence_on_{kind}_data": COUNTS for kind in ("dense", "sparse")}


@parametrize_with_checks(MACHINES, expected_failed_checks=counted)
def test_the_contract_holds(estimator, check):
    check(estimator)


CHECKS = [check_sample_weight_equivalence_on_dense_data, check_sample_weight_equivalence_on_sparse_data]


@pytest.mark.parametrize("check", CHECKS)
def test_a_single_chunk_takes_weights_for_repetitions(check):
    check("ChunkBagging", wm.ChunkBagging(wm.SVC(), n_chunks=1))
