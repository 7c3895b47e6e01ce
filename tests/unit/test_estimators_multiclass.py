"""Several classes: codes, votes, scores and probabilities."""

import numpy as np
import pytest
from sklearn.datasets import load_breast_cancer, load_digits, load_iris, load_wine
from sklearn.exceptions import NotFittedError
from sklearn.metrics import log_loss
from sklearn.preprocessing import scale

import widemargin as wm
from widemargin.codes import Votes, all_pairs
from widemargin.codes.pairs import compress_pairs, expand_pairs

WINE_X, WINE_Y = load_wine(return_X_y=True)
WINE_X = scale(WINE_X)
DIGITS_X, DIGITS_Y = (data[:300] for data in load_digits(return_X_y=True))
CANCER_X, CANCER_Y = load_breast_cancer(return_X_y=True)
CANCER_X = scale(CANCER_X)


def test_compressing_and_expanding_coefficients_of_pairs_are_inverse():
    rng = np.random.default_rng(0)
    labels = rng.integers(0, 4, 30)
    takes_part = all_pairs(4).matrix[labels] != 0
    coefficients = rng.normal(size=(30, 6)) * takes_part
    dual = compress_pairs(coefficients.T, labels, 4)
    assert dual.shape == (3, 30)
    np.testing.assert_array_equal(expand_pairs(dual, labels, 4).toarray(), coefficients)


def test_scores_refine_votes():
    values = np.random.default_rng(0).normal(size=(500, 6))
    votes, scores = (Votes(break_ties).scores(values, all_pairs(4).matrix) for break_ties in (False, True))
    np.testing.assert_array_equal(votes.sum(axis=1), 6)
    assert np.abs(votes - scores).max() < 1 / 3
    assert ((votes.max(axis=1) - votes[np.arange(500), scores.argmax(axis=1)]) == 0).all()


def test_every_pair_is_the_machine_of_its_two_classes():
    machine = wm.SVC(gamma=0.05, tol=1e-6, decision_function_shape="ovo").fit(WINE_X, WINE_Y)
    values = machine.decision_function(WINE_X)
    for column, (i, j) in enumerate([(0, 1), (0, 2), (1, 2)]):
        members = np.isin(WINE_Y, [i, j])
        alone = wm.SVC(gamma=0.05, tol=1e-6).fit(WINE_X[members], WINE_Y[members] == i)
        np.testing.assert_allclose(values[:, column], alone.decision_function(WINE_X), atol=1e-4)


def test_one_vs_all_is_a_machine_per_class():
    machine = wm.SVC(gamma=0.05, tol=1e-6, multiclass="one-vs-all").fit(WINE_X, WINE_Y)
    values = machine.decision_function(WINE_X)
    assert values.shape == (len(WINE_X), 3) and machine.dual_coef_.shape == (3, len(machine.support_))
    for k in range(3):
        alone = wm.SVC(gamma=0.05, tol=1e-6).fit(WINE_X, k == WINE_Y)
        np.testing.assert_allclose(values[:, k], alone.decision_function(WINE_X), atol=1e-4)
    np.testing.assert_array_equal(machine.predict(WINE_X), values.argmax(axis=1))


def test_a_fitted_machine_remembers_its_code():
    machine = wm.SVC(warm_start=True).fit(WINE_X, WINE_Y)
    before = machine.predict(WINE_X)
    np.testing.assert_array_equal(machine.set_params(multiclass="one-vs-all").predict(WINE_X), before)
    cold = wm.SVC(multiclass="one-vs-all").fit(WINE_X, WINE_Y)
    np.testing.assert_allclose(
        machine.fit(WINE_X, WINE_Y).decision_function(WINE_X), cold.decision_function(WINE_X), atol=1e-2
    )


@pytest.mark.parametrize(
    "machine", [wm.SVC(kernel="linear"), wm.SVC(kernel="linear", multiclass="one-vs-all")]
)
def test_linear_machines_have_weights(machine):
    machine.set_params(decision_function_shape="ovo").fit(WINE_X, WINE_Y)
    assert machine.coef_.shape == (3, 13)
    np.testing.assert_allclose(
        WINE_X @ machine.coef_.T + machine.intercept_, machine.decision_function(WINE_X)
    )
    with pytest.raises(ValueError, match="read-only"):
        machine.coef_[0] = 1.0


def test_other_machines_have_no_weights():
    machine = wm.SVC()
    assert not hasattr(machine.fit(WINE_X, WINE_Y), "coef_")
    assert not hasattr(wm.SVC(kernel="linear"), "coef_")


def test_two_classes_have_one_column_for_the_second():
    machine = wm.SVC().fit(CANCER_X, np.where(CANCER_Y == 1, "benign", "malignant"))
    values = machine.decision_function(CANCER_X)
    assert values.shape == (len(CANCER_X),)
    np.testing.assert_array_equal(machine.predict(CANCER_X) == "malignant", values >= 0)


@pytest.mark.parametrize("Machine", [wm.SVC, wm.NuSVC])
@pytest.mark.parametrize(
    "parameters",
    [
        {},
        {"decision_function_shape": "ovo"},
        {"break_ties": True},
        {"multiclass": "one-vs-all"},
        {"random_state": 3},
    ],
)
@pytest.mark.parametrize(
    ("X", "y"),
    [(WINE_X, WINE_Y), (DIGITS_X, DIGITS_Y), (CANCER_X, CANCER_Y)],
    ids=["wine", "digits", "cancer"],
)
def test_the_most_probable_class_is_the_predicted_one(Machine, parameters, X, y):
    machine = Machine(probability=True, **parameters)
    machine.set_params(**({"nu": 0.1} if Machine is wm.NuSVC else {"C": 0.1})).fit(X, y)
    P = machine.predict_proba(X)
    np.testing.assert_array_equal(machine.classes_[P.argmax(axis=1)], machine.predict(X))
    np.testing.assert_allclose(P.sum(axis=1), 1.0)
    np.testing.assert_allclose(machine.predict_log_proba(X), np.log(P))


def test_probabilities_are_better_than_frequencies():
    machine = wm.SVC(probability=True).fit(CANCER_X[::2], CANCER_Y[::2])
    assert log_loss(CANCER_Y[1::2], machine.predict_proba(CANCER_X[1::2])) < 0.15


def test_probabilities_are_repeatable():
    for seed in (None, 7):
        fits = [wm.SVC(probability=True, random_state=seed).fit(WINE_X, WINE_Y) for _ in range(2)]
        np.testing.assert_array_equal(fits[0].predict_proba(WINE_X), fits[1].predict_proba(WINE_X))


def test_probabilities_do_not_change_the_machine():
    with_them, without = (wm.SVC(probability=p).fit(WINE_X, WINE_Y) for p in (True, False))
    np.testing.assert_allclose(with_them.dual_coef_, without.dual_coef_, atol=1e-9)
    assert with_them.probA_.shape == with_them.probB_.shape == (3,)
    assert without.probA_.shape == (0,)


def test_probabilities_must_be_asked_for():
    machine = wm.SVC().fit(WINE_X, WINE_Y)
    assert not hasattr(machine, "predict_proba")
    with pytest.raises(NotFittedError, match="probability=False"):
        machine.set_params(probability=True).predict_proba(WINE_X)


def test_a_class_of_one_sample_cannot_be_calibrated():
    names = np.array(["x", "y", "rare"])[WINE_Y[:131]]
    with pytest.raises(ValueError, match="Class 'rare' has only one sample"):
        wm.SVC(probability=True).fit(WINE_X[:131], names)


def test_weighted_samples_count_in_probabilities():
    X, y = load_iris(return_X_y=True)
    plain = wm.SVC(probability=True, gamma=0.1).fit(X, y)
    weighted = wm.SVC(probability=True, gamma=0.1).fit(X, y, sample_weight=np.where(y == 2, 5.0, 1.0))
    border = (plain.predict_proba(X).max(axis=1) < 0.8) & (y != 0)
    assert weighted.predict_proba(X[border])[:, 2].mean() > plain.predict_proba(X[border])[:, 2].mean()


def test_pairs_share_one_kernel_matrix():
    asked = []

    def kernel(A, B):
        asked.append(B.shape[0])
        return A @ B.T

    wm.SVC(kernel=kernel).fit(WINE_X, WINE_Y)
    assert max(asked) <= len(WINE_X)
