"""scikit-learn's own checks, without a single expected failure."""

import pytest
from sklearn.linear_model import LogisticRegression, Ridge
from sklearn.naive_bayes import BernoulliNB
from sklearn.utils.estimator_checks import parametrize_with_checks

import widemargin as wm

MACHINES = [
    wm.SVC(),
    wm.NuSVC(),
    wm.SVR(),
    wm.NuSVR(),
    wm.OneClassSVM(),
    wm.EnclosingBall(),
    wm.RLSClassifier(),
    wm.RLSRegressor(),
    wm.RLSRegressor(kernel="linear", bias="free"),
    wm.RLSClassifier(kernel="linear", lam=0.1, solver="cg", bias="penalised"),
    wm.RLSClassifier(kernel="precomputed", lam=0.1, bias="free"),
    wm.SVC(kernel="precomputed"),
    wm.TikhonovEstimator("square"),
    wm.TikhonovEstimator("epsilon_insensitive", bias="free"),
    wm.IvanovEstimator("square"),
    wm.RestrictedSVC(centres=1.0),
    wm.SVC(loss="squared_hinge", multiclass="one-vs-all", fit_intercept=False),
    wm.SVC(multiclass="complete", decoding="hamming"),
    wm.RLSClassifier(multiclass="all-pairs", decoding="loss", lam=0.1),
    wm.OutputCode(wm.SVC()),
    wm.OutputCode(LogisticRegression(), "all-pairs", "wu-lin-weng-1"),
    wm.OutputCode(Ridge(), "sparse-random", "loss"),
    wm.OutputCode(BernoulliNB(), "bch"),
]


# Some checks cut the solver short on purpose or ask for an infeasible nu; both are announced.
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning", "ignore:nu = :UserWarning")
@parametrize_with_checks(MACHINES)
def test_the_contract_holds(estimator, check):
    check(estimator)
