"""Codes on the same data: what is compared, with what, and what is refused."""

import numpy as np
import pytest
from sklearn.datasets import load_digits
from sklearn.linear_model import LogisticRegression

import widemargin as wm
from widemargin import codes


@pytest.fixture(scope="module")
def halves():
    X, y = load_digits(n_class=5, return_X_y=True)
    return X[:150] / 16, y[:150], X[150:350] / 16, y[150:350]


def test_each_code_is_tuned_and_compared_with_the_first(halves):
    grid = {"Cs": [0.1, 4], "gammas": [0.01, 0.1]}
    found = wm.compare_codes(wm.SVC(), *halves, codes=["one-vs-all", "complete"], **grid)
    X, y, X_test, y_test = halves
    for name, machine in found.machines.items():
        best = wm.cross_validate_path(wm.SVC(multiclass=name), X, y, **grid)
        assert (machine.C, machine.gamma) == (best.best_C, best.best_gamma)
        assert found.errors[name] == pytest.approx(1 - machine.score(X_test, y_test))
    difference = found.differences["complete"]
    assert difference.difference == pytest.approx(found.errors["complete"] - found.errors["one-vs-all"])
    assert difference.low <= difference.difference <= difference.high
    assert found.tests["complete"].p_value > 0.01
    assert str(found).count("\n") == 2 and "complete" in str(found)


def test_least_squares_with_equidistant_codes_agree_everywhere(halves):
    found = wm.compare_codes(
        wm.RLSClassifier(lam=0.01),
        *halves,
        codes={"OVA": "one-vs-all", "COMP": codes.complete(5)},
    )
    assert found.overlap.matrix[0, 1] == 1 and found.tests["COMP"].p_value == 1


def test_a_decision_graph_keeps_its_decoding(halves):
    found = wm.compare_codes(wm.SVC(), *halves, codes=["all-pairs", "dag"])
    assert isinstance(found.machines["dag"].decoding_, codes.Dag)


@pytest.mark.parametrize(
    ("machine", "options", "sentence"),
    [
        (LogisticRegression(), {}, "machine must have a parameter multiclass"),
        (wm.SVC(), {"codes": ["one-vs-all"]}, "codes has 1 code: give at least two"),
        (wm.SVC(), {"codes": ["one-vs-all", "none"]}, "code must be one of"),
        (wm.SVC(), {"codes": {"a": "one-vs-all", "b": np.eye(3)}}, "code"),
    ],
)
def test_what_cannot_be_compared_is_refused_before_any_work(halves, machine, options, sentence):
    with pytest.raises((TypeError, ValueError), match=sentence):
        wm.compare_codes(machine, *halves, **options)


def test_test_labels_that_were_not_seen_are_refused(halves):
    X, y, X_test, y_test = halves
    with pytest.raises(ValueError, match=r"y_test has the class .* in row 0, which y does not have"):
        wm.compare_codes(wm.SVC(), X, y, X_test, y_test + 10)
