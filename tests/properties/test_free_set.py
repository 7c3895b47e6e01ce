"""The free variables' linear system: what any sequence of changes leaves is what a general solver finds."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import free_set as reference
from widemargin.kernels import Constant, Gaussian, Linear
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, FreeSet, Stop

SEEDS = st.integers(0, 10_000)


def points(seed, n=40, d=6):
    return np.random.default_rng(seed).standard_normal((n, d))


def spread_gram(seed, n=40):
    """A well-conditioned kernel matrix, and what binds to it."""
    kernel, X = Gaussian(0.3), points(seed, n)
    return kernel.gram(X), kernel.bind(X)


def assert_solves(free, Q, random, accuracy=1e-9):
    """The twin's solution, as far as the condition of the system lets two solvers agree."""
    groups, count = free.groups, free.groups.max() + 1
    b, sums = random.standard_normal(len(Q)), random.standard_normal(count)
    d, r = free.solve(b, sums)
    expected = np.concatenate(reference.solve(Q, groups, b, sums))
    condition = np.linalg.cond(reference.bordered(Q, groups))
    bound = accuracy * np.abs(expected).max() * max(1, condition / 1e4)
    assert np.abs(np.concatenate([d, r[:count]]) - expected).max() <= bound


@settings(max_examples=60)
@given(SEEDS, st.integers(1, 40), st.booleans())
def test_the_system_is_solved_as_by_a_general_solver(seed, m, with_ridge):
    K, gram = spread_gram(seed)
    random = np.random.default_rng(seed)
    chosen = random.permutation(40)[:m]
    ridge = random.uniform(0, 2, m) if with_ridge else np.zeros(m)
    groups = np.zeros(m, dtype=int)
    groups[m // 3 :] = m > 1  # one group or two
    groups[:1] = 0
    free = FreeSet(gram, chosen, ridge=ridge, groups=groups)
    Q = K[np.ix_(chosen, chosen)] + np.diag(ridge)
    assert_solves(free, Q, random)
    expected = reference.inverse_diagonal(Q, groups)
    assert free.inverse_diagonal() == pytest.approx(expected, rel=1e-7, abs=1e-10)
    assert free.log_determinant() == pytest.approx(reference.log_determinant(Q, groups), rel=1e-8, abs=1e-8)


@settings(max_examples=60)
@given(SEEDS, st.lists(st.tuples(st.booleans(), st.integers(0, 39)), min_size=1, max_size=60))
def test_entering_and_leaving_in_any_order_equals_a_fresh_start(seed, changes):
    K, gram = spread_gram(seed)
    random = np.random.default_rng(seed)
    groups_of = random.integers(2, size=40)
    members = [0, 1, int(np.argmax(groups_of == 1)), int(np.argmax(groups_of == 0))]
    members = list(dict.fromkeys(members))
    free = FreeSet(gram, members, groups=groups_of[members], ridge=0.1)
    for entering, number in changes:
        if entering and number not in free.points:
            free.add(number, ridge=0.1, group=int(groups_of[number]))
            members.append(number)
        elif not entering and len(free) > 0:
            free.remove(number % len(free))
            del members[number % len(members)]
    assert free.points.tolist() == members and free.groups.tolist() == groups_of[members].tolist()
    if len(set(free.groups)) < 2:
        return
    Q = K[np.ix_(members, members)] + 0.1 * np.eye(len(members))
    fresh = FreeSet(gram, members, groups=groups_of[members], ridge=0.1)
    assert_solves(free, Q, random)
    assert free.inverse_diagonal() == pytest.approx(fresh.inverse_diagonal(), rel=1e-8)
    assert free.log_determinant() == pytest.approx(fresh.log_determinant(), abs=1e-9)


@pytest.mark.parametrize("m", [31, 32, 33, 64, 71, 200])
def test_panels_and_tiles_of_any_size_make_the_same_factor(m):
    X = points(m, n=m, d=20)
    Q = Gaussian(0.1).gram(X)
    free = FreeSet(Gaussian(0.1).bind(X), range(m))
    assert_solves(free, Q, np.random.default_rng(m))
    assert free.log_determinant() == pytest.approx(reference.log_determinant(Q, [0] * m), rel=1e-9)


def test_a_large_constant_in_the_kernel_costs_no_digits_that_it_has_not_taken_already():
    X = points(3, n=30)
    b = np.random.default_rng(3).standard_normal(30)
    plain, _ = FreeSet(Gaussian(0.3).bind(X), range(30)).solve(b)
    shifted, _ = FreeSet((Gaussian(0.3) + Constant(1e6)).bind(X), range(30)).solve(b)
    assert shifted == pytest.approx(plain, rel=1e-7, abs=1e-8)


def test_a_variable_without_a_row_makes_a_machine_without_bias():
    K, gram = spread_gram(5, n=12)
    b = np.append(np.random.default_rng(5).standard_normal(12), 0.0)
    d, r = FreeSet(gram, [*range(12), -1]).solve(b)
    assert r == pytest.approx([0.0], abs=1e-10)
    assert d[:12] == pytest.approx(np.linalg.solve(K, b[:12]), rel=1e-9)


@settings(max_examples=30)
@given(SEEDS, st.sampled_from(["duplicates", "linear"]))
def test_singular_systems_are_solved_if_they_have_a_solution(seed, kind):
    random = np.random.default_rng(seed)
    X = points(seed, n=15, d=3)
    X = np.concatenate([X, X[:5]])
    kernel = Linear() if kind == "linear" else Gaussian(0.5)
    K = kernel.gram(X)
    wanted = random.standard_normal(20)
    wanted -= wanted.mean()
    b = K @ wanted + 0.7
    free = FreeSet(kernel.bind(X), random.permutation(20)[:7])
    for point in range(20):
        if point not in free.points:
            free.add(point)
    d, r = free.solve(b[free.points])
    Q = K[np.ix_(free.points, free.points)]
    assert Q @ d + r == pytest.approx(b[free.points], abs=1e-7 * np.abs(K).max() * np.abs(wanted).max())
    assert abs(d.sum()) <= 1e-9 * np.abs(d).sum()


def test_the_span_of_a_repeated_point_is_zero_and_of_others_its_distance():
    X = np.concatenate([points(1, n=9), points(1, n=1)])
    free = FreeSet(Gaussian(0.3).bind(X), range(10))
    span = 1 / free.inverse_diagonal()
    assert span[[0, 9]] == pytest.approx([0, 0], abs=1e-10)
    single = FreeSet(Gaussian(0.3).bind(X), range(9))
    assert 1 / single.inverse_diagonal() == pytest.approx(reference.span(Gaussian(0.3).gram(X[:9])), rel=1e-8)


@settings(max_examples=60)
@given(SEEDS, st.sampled_from([1, 7, 8, 31, 33, 77]), st.sampled_from([0, 1, 16, 35]), st.integers(1, 3))
def test_right_hand_sides_solved_together_have_the_solutions_they_have_alone(seed, m, columns, groups):
    _, gram = spread_gram(seed, 77)
    random = np.random.default_rng(seed)
    free = FreeSet(gram, range(m), ridge=random.uniform(0, 1, m), groups=random.integers(groups, size=m))
    B = random.standard_normal((m, columns)) * 10.0 ** random.integers(-6, 7, columns)
    sums = random.standard_normal((free.groups.max() + 1, columns))
    d, r = free.solve(B, sums)
    assert d.shape == B.shape and r.shape == sums.shape
    for k in range(columns):
        alone, offsets = free.solve(B[:, k], sums[:, k])
        near = 1e-10 * max(np.abs(alone).max(), np.abs(offsets).max())
        assert d[:, k] == pytest.approx(alone, abs=near) and r[:, k] == pytest.approx(offsets, abs=near)


def test_sums_of_many_solutions_may_be_given_for_all_groups_at_once():
    _, gram = spread_gram(2)
    B = np.random.default_rng(2).standard_normal((7, 3))
    d, r = FreeSet(gram, range(7)).solve(B, sums=[[0.0, 1.0, 2.0]])
    assert d.shape == (7, 3) and r.shape == (1, 3)
    assert d.sum(axis=0) == pytest.approx([0, 1, 2], abs=1e-12)


def test_ill_conditioned_systems_leave_residuals_of_rounding_size():
    X = np.random.default_rng(0).uniform(0, 4, (60, 2))
    K = Gaussian(0.5).gram(X)
    b = np.sign(np.sin(9 * X[:, 0]))
    free = FreeSet(Gaussian(0.5).bind(X), range(60), ridge=1e-8)
    d, r = free.solve(b)
    assert np.abs(K @ d + 1e-8 * d + r - b).max() <= 1e-12 * np.abs(d).sum()


def test_a_set_may_start_empty_and_become_empty():
    K, gram = spread_gram(4)
    free = FreeSet(gram, [])
    assert len(free) == 0 and abs(free.log_determinant()) < 1e-14
    for point in (3, 1, 2):
        free.add(point)
    assert_solves(free, K[np.ix_([3, 1, 2], [3, 1, 2])], np.random.default_rng(4))
    for _ in range(3):
        free.remove(0)
    assert free.solve([])[0].size == 0


def test_a_group_may_lose_all_its_variables():
    _, gram = spread_gram(6)
    free = FreeSet(gram, [0, 1, 2, 3], groups=[0, 0, 0, 1])
    free.remove(3)
    d, r = free.solve([1.0, 2.0, 3.0])
    alone, _ = FreeSet(gram, [0, 1, 2]).solve([1.0, 2.0, 3.0])
    assert d == pytest.approx(alone, rel=1e-12) and r[1] == 0


def test_what_does_not_fit_is_said_and_changes_nothing():
    _, gram = spread_gram(0)
    free = FreeSet(gram, [0, 1])
    for wrong, sentence in [
        (lambda: FreeSet(gram, [40]), "points must lie between 0 and 39"),
        (lambda: FreeSet(gram, [0, 1], ridge=[1.0, 2.0, 3.0]), "ridge must"),
        (lambda: FreeSet(gram, [0, 1], ridge=-1.0), "ridge must"),
        (lambda: FreeSet(gram, [0, 1], groups=[0]), "groups must"),
        (lambda: FreeSet(gram, [0, 1], groups=[0, -1]), "groups must"),
        (lambda: FreeSet(Gaussian(1.0).bind(points(0), points(1, n=3)), [0]), "gram must be square"),
        (lambda: free.add(99), "points must"),
        (lambda: free.add(2, group=1), "group must"),
        (lambda: free.remove(2), "position must"),
        (lambda: free.solve([1.0]), "b must"),
        (lambda: free.solve([1.0, np.nan]), "must be finite"),
        (lambda: free.solve([1.0, 2.0], sums=[1.0, 2.0, 3.0]), "sums must"),
    ]:
        with pytest.raises(ValueError, match=sentence):
            wrong()
    assert free.points.tolist() == [0, 1]


def test_the_step_of_a_solution_that_is_optimal_is_zero():
    """And r is its offset: the system is the one that holds at an optimum."""
    _, gram = spread_gram(8)
    y = np.where(points(8)[:, 0] > 0, 1.0, -1.0)
    solution = SMO(finish="newton").solve(soft_margin(y, 10.0), gram, stop=Stop(tol=1e-10))
    inside = np.flatnonzero((np.abs(solution.alpha) > 1e-9) & (np.abs(solution.alpha) < 10 - 1e-9))
    d, r = FreeSet(gram, inside).solve(solution.gradient[inside])
    assert np.abs(d).max() < 1e-7 and r == pytest.approx(solution.offsets, abs=1e-8)
