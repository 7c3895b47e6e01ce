"""scikit-learn's own checks for machines at a few centres."""

from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

MACHINES = [
    wm.RLSRegressor(kernel="linear", bias="free", centres=10),
    wm.RLSClassifier(centres=wm.PivotedCentres(10), bias="free"),
    wm.RLSClassifier(centres=wm.GreedyCentres(10), bias="penalised", solver="cg", lam=0.1),
    wm.RLSClassifier(centres=wm.LeverageCentres(10)),
]

REPEATED = "a point that is repeated may be drawn twice for a centre, a point of weight 2 once"
EXPECTED = dict.fromkeys(
    ("check_sample_weight_equivalence_on_dense_data", "check_sample_weight_equivalence_on_sparse_data"),
    REPEATED,
)


@parametrize_with_checks(MACHINES, expected_failed_checks=lambda estimator: EXPECTED)
def test_the_contract_holds(estimator, check):
    check(estimator)
