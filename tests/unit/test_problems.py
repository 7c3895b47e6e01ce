"""Every builder against its dual, written out in NumPy."""

import numpy as np
import pytest

from widemargin import problems
from widemargin.problems import Problem

y = np.array([+1.0, -1.0, -1.0, +1.0, -1.0])
t = np.array([0.5, -2.0, 3.0, 1.0])


def sums(problem, a=None):
    a = problem.start if a is None else a
    return [a[group].sum() for group in problem.groups]


def test_the_hard_margin_has_signed_half_lines_and_labels_as_linear_term():
    problem = problems.hard_margin(y)
    np.testing.assert_array_equal(problem.linear, y)
    np.testing.assert_array_equal(problem.lower, [0, -np.inf, -np.inf, 0, -np.inf])
    np.testing.assert_array_equal(problem.upper, [np.inf, 0, 0, np.inf, 0])
    assert sums(problem) == [0.0]


def test_the_soft_margin_takes_one_C_or_one_per_sample():
    np.testing.assert_array_equal(problems.soft_margin(y, 2.0).upper, [2, 0, 0, 2, 0])
    np.testing.assert_array_equal(problems.soft_margin(y, [1, 2, 3, 4, 5]).lower, [0, -2, -3, 0, -5])


def test_the_squared_soft_margin_adds_one_over_C_to_the_diagonal():
    problem = problems.squared_soft_margin(y, [1, 2, 4, 5, 8])
    np.testing.assert_allclose(problem.ridge, [1, 0.5, 0.25, 0.2, 0.125])
    np.testing.assert_array_equal(problem.upper, problems.hard_margin(y).upper)


def test_the_least_squares_machine_solves_its_linear_system():
    rng = np.random.default_rng(0)
    K = np.cov(rng.normal(size=(4, 9)))
    problem = problems.least_squares(t, C=3.0)
    H = np.block([[K + np.diag(problem.ridge), np.ones((4, 1))], [np.ones((1, 4)), np.zeros((1, 1))]])
    *a, b = np.linalg.solve(H, np.append(problem.linear, 0.0))
    np.testing.assert_allclose(t - K @ a - b, np.array(a) / 3.0)
    assert np.isinf(problem.lower).all() and np.isinf(problem.upper).all()


def test_epsilon_regression_doubles_the_variables_on_shared_points():
    problem = problems.epsilon_regression(t, 2.0, 0.25)
    np.testing.assert_array_equal(problem.linear, np.r_[t - 0.25, t + 0.25])
    np.testing.assert_array_equal(problem.lower, np.r_[np.zeros(4), np.full(4, -2.0)])
    np.testing.assert_array_equal(problem.upper, np.r_[np.full(4, 2.0), np.zeros(4)])
    np.testing.assert_array_equal(problem.by_point(np.arange(8.0), 4), [4, 6, 8, 10])


@pytest.mark.parametrize("weight", [1.0, np.array([1.0, 2.0, 0.5, 3.0, 1.0])])
def test_nu_classification_fixes_half_of_nu_in_each_class(weight):
    problem = problems.nu_classification(y, 0.4, weight)
    half = 0.2 * np.broadcast_to(weight, y.size).sum()
    np.testing.assert_allclose(sums(problem), [half, -half])
    np.testing.assert_array_equal(problem.points, [0, 3, 1, 2, 4])
    np.testing.assert_array_equal(y[problem.points[: problem.group_sizes[0]]], [1, 1])


def test_nu_is_feasible_up_to_twice_the_share_of_the_lighter_class():
    problems.nu_classification(y, 0.8)
    with pytest.raises(ValueError, match=r"nu = 0.81 is infeasible.*\(0, 0.8\]"):
        problems.nu_classification(y, 0.81)
    with pytest.raises(ValueError, match="infeasible"):
        problems.nu_classification(np.ones(3), 0.1)


def test_nu_regression_fixes_half_of_nu_C_n_in_each_half():
    problem = problems.nu_regression(t, [1.0, 2.0, 3.0, 4.0], 0.5)
    np.testing.assert_allclose(sums(problem), [2.5, -2.5])
    np.testing.assert_array_equal(problem.linear, np.r_[t, t])
    np.testing.assert_allclose(problem.by_point(problem.start, 4), np.zeros(4))


def test_one_class_starts_with_the_first_points_at_their_bound():
    np.testing.assert_allclose(problems.one_class(5, 0.5).start, [1, 1, 0.5, 0, 0])
    weighted = problems.one_class(3, 0.5, [1.0, 4.0, 1.0])
    np.testing.assert_allclose(weighted.start, [1, 2, 0])
    np.testing.assert_allclose(weighted.upper, [1, 4, 1])


def test_the_enclosing_ball_has_half_the_diagonal_and_unit_mass():
    problem = problems.enclosing_ball([2.0, 4.0, 6.0], 0.4)
    np.testing.assert_allclose(problem.linear, [1, 2, 3])
    np.testing.assert_allclose(problem.start, [0.4, 0.4, 0.2])
    with pytest.raises(ValueError, match="C is too small"):
        problems.enclosing_ball([2.0, 4.0, 6.0], 0.3)


def test_a_grounded_variable_absorbs_the_sum_of_a_machine_without_bias():
    problem = problems.without_bias(problems.soft_margin(y, 1.0))
    assert problem.points[-1] == -1 and np.isinf(problem.lower[-1]) and problem.linear[-1] == 0
    np.testing.assert_array_equal(problem.by_point(np.arange(6.0), 5), np.arange(5.0))
    with pytest.raises(ValueError, match="single fixed sum"):
        problems.without_bias(problems.nu_classification(y, 0.4))


def test_a_problem_moves_to_other_rows_of_a_larger_gram():
    problem = problems.without_bias(problems.soft_margin([1, -1], 1.0)).on([7, 3])
    np.testing.assert_array_equal(problem.points, [7, 3, -1])
    np.testing.assert_array_equal(problem.by_point([0.5, -0.5, 9.0], 8), [0, 0, 0, -0.5, 0, 0, 0, 0.5])


@pytest.mark.parametrize(
    "problem",
    [
        problems.nu_classification(y, 0.7),
        problems.soft_margin(y, 0.5),
        problems.hard_margin(y),
        problems.without_bias(problems.soft_margin(y, 0.5)),
        problems.enclosing_ball(np.ones(5), 0.3),
        problems.epsilon_regression(t, 2.0, 0.1),
    ],
)
def test_a_warm_start_is_brought_back_to_bounds_and_sums(problem):
    rng = np.random.default_rng(1)
    for scale in (0.1, 1.0, 10.0):
        a = problem.feasible_near(rng.normal(size=problem.size) * scale)
        assert ((a >= problem.lower) & (a <= problem.upper)).all()
        np.testing.assert_allclose(sums(problem, a), sums(problem), atol=1e-12)
        np.testing.assert_allclose(problem.feasible_near(a), a, atol=1e-12)


def test_a_sparse_warm_start_stays_sparse():
    problem = problems.soft_margin(np.tile([1, -1], 50), 0.5)
    far = np.zeros(100)
    far[[0, 1, 2, 3]] = [0.7, -0.2, 0.2, -0.7]
    np.testing.assert_array_equal(np.flatnonzero(problem.feasible_near(far)), [0, 1, 2, 3])
    far[0] = 0.0
    near = problem.feasible_near(far)
    assert near.sum() == pytest.approx(0.0) and 0 < np.count_nonzero(near) <= 3


def test_a_warm_start_of_another_size_is_refused():
    with pytest.raises(ValueError, match="a warm start of 3 variables does not fit a problem of 5"):
        problems.soft_margin(y, 1.0).feasible_near(np.zeros(3))


def test_bounded_variables_follow_their_bound_unless_they_are_few():
    y = np.array([1.0, -1.0] * 5)
    before, after = problems.soft_margin(y, 1.0), problems.soft_margin(y, 3.0)
    few = np.where(np.arange(10) < 2, y, 0.5 * y)
    np.testing.assert_array_equal(after.start_after(before, few), few)
    many = np.where(np.arange(10) < 8, y, 0.5 * y)
    np.testing.assert_array_equal(
        after.start_after(before, many), np.where(np.arange(10) < 8, 3 * y, 0.5 * y)
    )


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: problems.soft_margin([1, 0], 1.0), r"y must be -1 or \+1, but y\[1\] is 0"),
        (lambda: problems.soft_margin([1, np.nan], 1.0), r"y\[1\] is nan"),
        (lambda: problems.soft_margin(y, 0.0), r"C must be positive, but C\[0\] is 0"),
        (lambda: problems.soft_margin(y, [1, 1, 1, np.nan, 1]), r"C\[3\] is nan"),
        (lambda: problems.soft_margin(y, [1.0, 2.0]), "one for each of the 5 samples"),
        (lambda: problems.epsilon_regression([1.0, np.inf], 1.0, 0.1), r"t\[1\] is inf"),
        (lambda: problems.epsilon_regression(t, 1.0, -0.1), "epsilon must be"),
        (lambda: problems.nu_regression(t, 1.0, 1.1), "nu = 1.1 is infeasible"),
        (lambda: problems.one_class(3, 0.0), "nu = 0.0 is infeasible"),
        (
            lambda: Problem(linear=[1.0], lower=[0.0], upper=[1.0], start=[2.0]),
            "start must lie within the bounds",
        ),
        (lambda: Problem(linear=[1.0], lower=[2.0], upper=[1.0], start=[1.0]), "lower must not exceed upper"),
        (lambda: Problem(linear=[np.nan], lower=[0.0], upper=[1.0], start=[1.0]), "linear must be finite"),
        (
            lambda: Problem(linear=[1.0], lower=[0.0, 1.0], upper=[1.0], start=[1.0]),
            r"lower has shape \(2,\)",
        ),
        (lambda: Problem([1.0], [0.0], [1.0], [1.0], group_sizes=(2,)), "group_sizes"),
        (lambda: Problem([1.0], [0.0], [1.0], [1.0], points=[-2]), "points must be"),
        (lambda: Problem([], [], [], []), "at least one variable"),
    ],
)
def test_bad_input_is_named_in_one_sentence(build, message):
    with pytest.raises(ValueError, match=message):
        build()
