"""Class weights of LASVM, and what it says on its way."""

import logging

import numpy as np
import pytest

import widemargin as wm


@pytest.fixture(scope="module")
def rare():
    random = np.random.default_rng(0)
    y = (random.random(400) < 0.1).astype(int)
    return random.normal(size=(400, 2)) + 1.5 * y[:, None], y


def state(machine):
    return machine.dual_coef_, machine.intercept_, machine.support_, machine.n_seen_


def assert_same(one, other):
    for a, b in zip(state(one), state(other), strict=True):
        np.testing.assert_array_equal(a, b)


def test_class_weights_are_factors_of_sample_weights(rare):
    X, y = rare
    by_class = wm.LASVM(gamma=0.5, class_weight={1: 9.0}, random_state=0).fit(X, y)
    by_sample = wm.LASVM(gamma=0.5, random_state=0).fit(X, y, sample_weight=np.where(y == 1, 9.0, 1.0))
    assert_same(by_class, by_sample)


def test_class_weights_hold_in_every_batch_and_pass(rare):
    X, y = rare
    batches = [(X[:200], y[:200]), (X[200:], y[200:])]
    weighted = [(X, y, np.where(y == 1, 9.0, 1.0)) for X, y in batches]
    by_class = wm.LASVM(gamma=0.5, class_weight={1: 9.0}, epochs=2).fit_stream(batches, classes=[0, 1])
    by_sample = wm.LASVM(gamma=0.5, epochs=2).fit_stream(weighted, classes=[0, 1])
    assert_same(by_class, by_sample)


@pytest.mark.parametrize("class_weight", ["balanced", {0: 0.5, 1: 4.0}])
def test_finish_reaches_the_weighted_batch_solution(rare, class_weight):
    machine = wm.LASVM(gamma=0.5, class_weight=class_weight, tol=1e-6).fit(*rare).finish()
    batch = wm.SVC(gamma=0.5, class_weight=class_weight, tol=1e-6).fit(*rare)
    assert machine.dual_objective_ == pytest.approx(batch.dual_objective_, rel=1e-6)
    assert machine.dual_objective_ != pytest.approx(wm.SVC(gamma=0.5).fit(*rare).dual_objective_, rel=0.1)


def test_a_stream_cannot_be_balanced(rare):
    with pytest.raises(ValueError, match=r"'balanced' needs all data at once.*give a dict"):
        wm.LASVM(class_weight="balanced").partial_fit(*rare)


@pytest.mark.parametrize("class_weight", [{0: 1.0, 7: 2.0}, {1: -1.0}, {1: 3.0}])
def test_weights_that_are_wrong_or_new_leave_the_machine_as_it_was(rare, class_weight):
    machine = wm.LASVM(gamma=0.5).partial_fit(*rare)
    before = state(machine)
    with pytest.raises(ValueError, match="class_weight"):
        machine.set_params(class_weight=class_weight).partial_fit(*rare)
    for a, b in zip(before, state(machine), strict=True):
        np.testing.assert_array_equal(a, b)


def test_verbose_says_how_far_it_is(rare, caplog):
    X, y = (np.concatenate([part] * 25) for part in rare)
    with caplog.at_level(logging.INFO, logger="widemargin"):
        wm.LASVM(gamma=0.5, verbose=True).partial_fit(X, y).partial_fit(*rare)
    rows = [record.args[0] for record in caplog.records if "rows learnt" in record.msg]
    assert rows == [8192, 10_000, 10_400]


def test_parts_do_not_change_what_is_learnt(rare, monkeypatch):
    whole = wm.LASVM(gamma=0.5, random_state=0).fit(*rare)
    monkeypatch.setattr("widemargin.online.lesson.MOST", 7)
    parts = wm.LASVM(gamma=0.5, random_state=0).fit(*rare)
    np.testing.assert_array_equal(parts.support_, whole.support_)
    np.testing.assert_allclose(parts.dual_coef_, whole.dual_coef_, rtol=0, atol=1e-6)  # but for rounding


def test_weights_may_name_classes_to_come(rare):
    X, y = rare
    machine = wm.LASVM(gamma=0.5, class_weight={1: 3.0, 2: 5.0}).partial_fit(X, y)
    assert_same(machine, wm.LASVM(gamma=0.5, class_weight={1: 3.0}).partial_fit(X, y))
    machine.partial_fit(X[:50] + 5, np.full(50, 2), classes=[2])
    assert machine.classes_.tolist() == [0, 1, 2]


def test_weights_that_are_changed_in_place_are_noticed(rare):
    weights = {1: 3.0}
    machine = wm.LASVM(gamma=0.5, class_weight=weights).partial_fit(*rare)
    weights[1] = 50.0
    with pytest.raises(ValueError, match="class_weight is"):
        machine.partial_fit(*rare)
