"""Classifiers beside each other: known answers, symmetries, and sentences for bad input."""

import numpy as np
import pytest
from scipy import stats
from sklearn.datasets import load_digits
from sklearn.metrics import precision_score, recall_score

import widemargin as wm
from widemargin import codes
from widemargin.comparison import (
    agreement,
    bootstrap_difference,
    class_report,
    correlated_errors,
    mcnemar,
)


@pytest.fixture(scope="module")
def answers():
    """Labels, and two classifiers that are wrong on some of them."""
    random = np.random.default_rng(0)
    y = random.integers(0, 4, 400)
    a, b = y.copy(), y.copy()
    a[:60] = (a[:60] + 1) % 4
    b[40:80] = (b[40:80] + 2) % 4
    return y, a, b


# --- agreement --------------------------------------------------------------------------------------


def test_agreement_is_the_share_of_equal_answers(answers):
    y, a, b = answers
    overlap = agreement({"truth": y, "a": a, "b": b})
    np.testing.assert_allclose(overlap.matrix, [[1, 0.85, 0.9], [0.85, 1, 0.8], [0.9, 0.8, 1]])
    assert overlap.unanimous == 0.8
    assert overlap.names == ["truth", "a", "b"]


def test_classifiers_without_names_are_numbered(answers):
    assert agreement(list(answers)).names == ["0", "1", "2"]


def test_fewer_than_two_classifiers_do_not_agree():
    with pytest.raises(ValueError, match="1 classifier: give at least two"):
        agreement({"a": [0, 1]})


def test_predictions_for_other_points_are_refused():
    with pytest.raises(ValueError, match=r"predictions\['b'\] has 3 labels, but predictions\['a'\] has 2"):
        agreement({"a": [0, 1], "b": [0, 1, 1]})


def test_words_are_not_compared_with_numbers():
    with pytest.raises(ValueError, match="b has words, but y has numbers: name the classes alike"):
        mcnemar([0, 1], [0, 1], ["0", "1"])


# --- tests ------------------------------------------------------------------------------------------


def test_mcnemar_counts_the_points_on_which_one_is_wrong(answers):
    test = mcnemar(*answers)
    assert (test.only_first, test.only_second) == (40, 20)
    assert test.p_value == pytest.approx(stats.binomtest(20, 60).pvalue)
    assert test.chi_square == pytest.approx(19**2 / 60)
    assert test.chi_square_p_value == pytest.approx(stats.chi2.sf(19**2 / 60, 1))


def test_mcnemar_does_not_depend_on_the_order_of_the_classifiers(answers):
    y, a, b = answers
    assert mcnemar(y, a, b).p_value == mcnemar(y, b, a).p_value


@pytest.mark.parametrize("wrong", [0, 3])
def test_equal_classifiers_do_not_differ(wrong):
    y, a, b = np.zeros(10), np.zeros(10), np.zeros(10)
    a[:wrong], b[wrong : 2 * wrong] = 1, 1
    test = mcnemar(y, a, b)
    assert test.p_value == 1 and test.chi_square == 0


def test_the_bootstrap_interval_is_that_of_resampled_points(answers):
    y, a, b = answers
    interval = bootstrap_difference(y, a, b, level=0.9, random_state=1)
    random = np.random.default_rng(2)
    steps = (a != y).astype(float) - (b != y)
    resampled = [steps[random.integers(0, 400, 400)].mean() for _ in range(4000)]
    assert interval.difference == pytest.approx(0.05)
    np.testing.assert_allclose(
        [interval.low, interval.high], np.quantile(resampled, [0.05, 0.95]), atol=0.006
    )


def test_the_bootstrap_interval_of_a_classifier_and_itself_is_a_point(answers):
    y, a, _ = answers
    interval = bootstrap_difference(y, a, a)
    assert interval.low == interval.difference == interval.high == 0


@pytest.mark.parametrize(("name", "value"), [("level", 1.0), ("level", 0.0), ("draws", 0)])
def test_impossible_bootstraps_are_refused(answers, name, value):
    with pytest.raises(ValueError, match=name):
        bootstrap_difference(*answers, **{name: value})


@pytest.mark.parametrize("compare", [mcnemar, bootstrap_difference])
def test_comparisons_want_labels_of_the_same_points(compare):
    with pytest.raises(ValueError, match="b has 1 labels, but y has 2"):
        compare([0, 1], [0, 1], [0])
    with pytest.raises(ValueError, match="y is empty"):
        compare([], [], [])
    with pytest.raises(ValueError, match=r"a has shape \(2, 1\)"):
        compare([0, 1], [[0], [1]], [0, 1])


# --- classes ----------------------------------------------------------------------------------------


def test_the_report_has_precision_recall_and_support_of_each_class(answers):
    y, a, _ = answers
    report = class_report(y, a)
    np.testing.assert_allclose(report.precision, precision_score(y, a, average=None))
    np.testing.assert_allclose(report.recall, recall_score(y, a, average=None))
    assert report.support.tolist() == np.bincount(y).tolist()
    assert report.error == pytest.approx(0.15)
    assert report.balanced_error == pytest.approx(1 - recall_score(y, a, average="macro"))
    assert report.confusion.sum() == 400 and report.confusion.trace() == 340
    i, j, times = report.worst_confusion
    assert (i + 1) % 4 == j and times == report.confusion[i, j]


def test_a_class_that_does_not_occur_has_a_row_of_zeros_and_no_say_in_the_balanced_error():
    report = class_report([0, 0, 1], [0, 1, 1], classes=[0, 1, 2])
    assert report.confusion[2].tolist() == [0, 0, 0] and report.support[2] == 0
    assert report.balanced_error == 0.25


def test_a_label_that_is_none_of_the_classes_is_named():
    with pytest.raises(ValueError, match="predictions has the class 7 in row 1, which is not in classes"):
        class_report([0, 1], [0, 7], classes=[0, 1])


def test_balanced_weights_find_more_of_a_rare_class():
    random = np.random.default_rng(0)
    X = np.concatenate([random.normal(size=(400, 2)), random.normal(size=(20, 2)) + [1.5, 0]])
    y = np.repeat([0, 1], [400, 20])
    recalls = [
        class_report(y, wm.SVC(class_weight=weight).fit(X, y).predict(X)).recall[1]
        for weight in (None, "balanced")
    ]
    assert recalls[1] > recalls[0] + 0.3


# --- correlated errors ------------------------------------------------------------------------------


def test_the_share_of_erring_machines_counts_those_that_separate_the_two_classes():
    M = [[1, 1, 0, 1], [-1, 1, 1, -1], [0, -1, -1, 1]]
    values = [[-1, 9, 9, 2], [1, 1, 1, 1], [0, 9, 9, 9], [1, -2, 3, 1]]
    errors = correlated_errors(["a", "a", "a", "c"], ["b", "a", "b", "a"], M, values, classes=["a", "b", "c"])
    assert errors.points.tolist() == [0, 2, 3]
    assert errors.shares.tolist() == [0.5, 0.5, 0.0]
    assert errors.at_least(0.5) == pytest.approx(2 / 3)
    levels, shares = errors.profile()
    assert levels.tolist() == [0.0, 0.5] and shares.tolist() == pytest.approx([1, 2 / 3])


def test_points_whose_classes_no_column_separates_are_counted_and_left_out():
    M = [[1, 0], [0, 1], [-1, -1]]
    errors = correlated_errors([0, 2], [1, 1], M, [[1, 1], [1, 1]], classes=[0, 1, 2])
    assert errors.unseparated == 1 and errors.points.tolist() == [1] and errors.shares.tolist() == [1.0]


def test_all_pairs_errs_with_itself_by_the_machine_of_the_pair():
    X, y = load_digits(return_X_y=True)
    machine = wm.SVC(C=10, decision_function_shape="ovo").fit(X[:300], y[:300])
    values, answers = machine.decision_function(X[300:900]), machine.predict(X[300:900])
    errors = correlated_errors(y[300:900], answers, machine.code_, values, classes=machine.classes_)
    assert errors.points.tolist() == np.flatnonzero(answers != y[300:900]).tolist()
    assert set(errors.shares.tolist()) <= {0.0, 1.0} and errors.at_least(1.0) > 0.8


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"values": np.zeros((3, 2))}, r"values has shape \(3, 2\), not \(3, 3\)"),
        ({"code": codes.one_vs_all(4)}, "code has 4 rows, but there are 3 classes"),
        ({"classes": [0, 1, 5]}, "y has the class 2 in row 2, which is not in classes"),
        ({"classes": [0, 1, 1]}, "classes must be a list of different names"),
        ({"predictions": [0, 1]}, "predictions has 2 labels, but y has 3"),
    ],
)
def test_what_does_not_fit_a_code_is_refused(change, sentence):
    given = {
        "y": [0, 1, 2],
        "predictions": [0, 1, 1],
        "code": codes.one_vs_all(3),
        "values": np.zeros((3, 3)),
    }
    with pytest.raises(ValueError, match=sentence):
        correlated_errors(**given | change)
