"""What the papers state about LASVM."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widemargin as wm
from widemargin.datasets import chess_board

RULES = ("second-order", "most-violating-pair")


def noisy(seed, n):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    return X, np.where(X[:, 0] + 0.5 * random.normal(size=n) > 0, 1, -1)


def dual_value(machine, y):
    """From nothing but the coefficients."""
    a, points = machine.dual_coef_[0], machine.support_vectors_
    return y[machine.support_] @ a - 0.5 * a @ machine.kernel_.gram(points) @ a


@settings(max_examples=20, deadline=None)
@given(seed=st.integers(0, 1000), C=st.floats(0.01, 100), rule=st.sampled_from(RULES))
def test_coefficients_stay_feasible_and_the_dual_never_falls(seed, C, rule):
    X, y = noisy(seed, 120)
    machine, last = wm.LASVM(C=C, gamma=0.5, selection=rule), 0.0
    for k in range(0, 120, 10):
        machine.partial_fit(X[k : k + 10], y[k : k + 10], classes=[-1, 1])
        a = machine.dual_coef_[0]
        assert abs(a.sum()) < 1e-9 * C
        assert (a * y[machine.support_] > 0).all() and (np.abs(a) <= C).all()
        assert machine.dual_objective_ >= last - 1e-9 * C
        assert machine.dual_objective_ == pytest.approx(dual_value(machine, y), rel=1e-4, abs=1e-6 * C)
        last = machine.dual_objective_


@pytest.mark.filterwarnings("ignore:LASVM has max_candidates")
@settings(max_examples=10, deadline=None)
@given(seed=st.integers(0, 1000), rule=st.sampled_from(RULES))
def test_a_bounded_machine_stays_feasible(seed, rule):
    X, y = noisy(seed, 300)
    machine = wm.LASVM(gamma=0.5, selection=rule, max_candidates=16).partial_fit(X, y)
    a = machine.dual_coef_[0]
    assert machine.n_candidates_[0] <= 16
    assert abs(a.sum()) < 1e-9
    assert (a * y[machine.support_] > 0).all() and (np.abs(a) <= 1).all()


@pytest.mark.parametrize("rule", RULES)
def test_finishing_leaves_no_violation(rule):
    X, y = noisy(0, 400)
    machine = wm.LASVM(C=10, gamma=0.5, selection=rule, tol=1e-5, random_state=0).fit(X, y)
    assert machine.kkt_violation_ > 1e-2
    assert machine.finish().kkt_violation_ <= 1e-5


@pytest.mark.parametrize("rule", RULES)
def test_many_epochs_reach_the_batch_solution(rule):
    X, y = noisy(1, 150)
    best = wm.SVC(C=1.0, gamma=0.5, tol=1e-6).fit(X, y).dual_objective_
    machine = wm.LASVM(C=1.0, gamma=0.5, selection=rule, epochs=100, tol=1e-4, random_state=0).fit(X, y)
    assert machine.dual_objective_ == pytest.approx(best, rel=1e-4)


def test_second_order_has_a_higher_dual_and_fewer_candidates_on_the_chess_board():
    board = chess_board(3000, seed=0)
    second, first = (
        wm.LASVM(C=1000, gamma=2.0, selection=r, random_state=0).fit(board.X, board.y) for r in RULES
    )
    assert second.dual_objective_ > 1.5 * first.dual_objective_
    assert second.n_candidates_[0] < 0.7 * first.n_candidates_[0]


def test_an_epoch_computes_a_fraction_of_the_kernel_matrix():
    board = chess_board(3000, seed=0)
    machine = wm.LASVM(C=1000, gamma=2.0, random_state=0).fit(board.X, board.y)
    assert machine.kernel_evaluations_ < 0.15 * 3000**2
