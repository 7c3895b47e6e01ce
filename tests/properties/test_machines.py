"""Every machine from the one quadratic program (T-DUALITY to T-PERM)."""

from itertools import combinations

import numpy as np
import pytest

from reference import cases, certificate, product, qp
from reference.program import written_out
from widemargin.kernels import Linear
from widemargin.problems import (
    enclosing_ball,
    epsilon_regression,
    hard_margin,
    least_squares,
    nu_classification,
    nu_regression,
    one_class,
    soft_margin,
    squared_soft_margin,
    without_bias,
)
from widemargin.solvers import SMO, Status, Stop


def solve(problem, K, tol=1e-9, **options):
    solution = SMO(precision="double", **options).solve(
        problem, product.gram(K), stop=Stop(tol=tol, max_iter=500_000)
    )
    assert solution.status is Status.OPTIMAL
    return solution


def noisy(seed=0, n=24):
    _, y, K = cases.classification(seed, n=n)
    return y, K


def separable(seed=0, n=24):
    """Two classes a clear gap apart, linear kernel: X, y, K."""
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 2))
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X[:, 0] = y * (0.3 + abs(X[:, 0]))
    return X, y, X @ X.T


def targets(seed=0, n=20):
    X, _, K = cases.classification(seed, n=n)
    return np.sin(2 * X[:, 0]) + 0.2 * X[:, 1], K


def all_machines():
    y, K = noisy()
    _, s, linear = separable()
    t, R = targets()
    return {
        "hard margin": (hard_margin(s), linear),
        "soft margin": (soft_margin(y, 2.0), K),
        "soft margin, weights": (soft_margin(y, np.linspace(0.1, 3, 24)), K),
        "squared soft margin": (squared_soft_margin(y, 2.0), K),
        "least squares": (least_squares(y, 2.0), K),
        "epsilon regression": (epsilon_regression(t, 2.0, 0.1), R),
        "nu classification": (nu_classification(y, 0.4), K),
        "nu classification, weights": (nu_classification(y, 0.3, np.linspace(0.5, 2, 24)), K),
        "nu regression": (nu_regression(t, 2.0, 0.3), R),
        "one class": (one_class(24, 0.3), K),
        "enclosing ball": (enclosing_ball(np.diag(K)), K),
        "soft ball": (enclosing_ball(np.diag(K), C=0.1), K),
        "hard margin, no bias": (without_bias(hard_margin(s)), linear),
        "soft margin, no bias": (without_bias(soft_margin(y, 2.0)), K),
        "squared soft margin, no bias": (without_bias(squared_soft_margin(y, 2.0)), K),
        "least squares, no bias": (without_bias(least_squares(y, 2.0)), K),
        "epsilon regression, no bias": (without_bias(epsilon_regression(t, 2.0, 0.1)), R),
    }


MACHINES = all_machines()
BOUNDED = [name for name in MACHINES if "hard" not in name and "no bias" not in name]


@pytest.mark.parametrize("name", MACHINES)
def test_T_DUALITY_gap_is_never_negative_and_vanishes_with_the_tolerance(name):
    problem, K = MACHINES[name]
    posed = written_out(problem, K)
    best = qp.solve(posed)[1]
    gaps = []
    for tol in (1e-1, 1e-3, 1e-5, 1e-9):
        solution = solve(problem, K, tol)
        assert solution.duality_gap >= 0
        assert solution.primal_objective >= solution.dual_objective
        assert solution.dual_objective <= best + 1e-7 <= solution.primal_objective + 2e-7
        gaps.append(solution.duality_gap)
    assert gaps[-1] < 1e-6 and gaps[-1] <= gaps[0] + 1e-12


@pytest.mark.parametrize("name", BOUNDED)
def test_T_DUALITY_certificate_of_the_product_is_that_of_the_twin_at_any_stage(name):
    problem, K = MACHINES[name]
    posed = written_out(problem, K)
    for max_iter in (0, 1, 3, 10, 10_000):
        solution = SMO(precision="double").solve(problem, product.gram(K), stop=Stop(1e-9, max_iter))
        assert solution.exact
        assert solution.dual_objective == pytest.approx(posed.objective(solution.alpha), abs=1e-10)
        expected = certificate.gap(posed, solution.alpha, solution.offsets)
        assert solution.duality_gap == pytest.approx(expected, rel=1e-8, abs=1e-9)
        assert solution.kkt_violation == pytest.approx(
            certificate.violation(posed, solution.alpha), abs=1e-10
        )


@pytest.mark.parametrize("name", MACHINES)
@pytest.mark.parametrize("policy", ["most violating pair", "hybrid", "over-relaxed", "planning"])
def test_every_machine_is_solved_by_every_kind_of_policy(name, policy):
    problem, K = MACHINES[name]
    working_set, step = product.POLICIES[policy]
    solution = solve(problem, K, 1e-6, working_set=working_set, step=step)
    assert solution.dual_objective == pytest.approx(qp.solve(written_out(problem, K))[1], rel=1e-5, abs=1e-5)


def hinge(margin):
    return np.maximum(0, 1 - margin)


def test_T_DUALITY_primal_objectives_are_those_of_the_textbooks():
    """The certificate's primal value against each machine's primal problem, written out."""
    y, K = noisy(3)
    t, R = targets(3)

    def half_norm(matrix, a):
        return a @ matrix @ a / 2

    solution = solve(soft_margin(y, 2.0), K, 1e-2)
    F = K @ solution.alpha + solution.offsets[0]
    assert solution.primal_objective == pytest.approx(half_norm(K, solution.alpha) + 2 * hinge(y * F).sum())

    solution = solve(squared_soft_margin(y, 2.0), K, 1e-2)
    F = K @ solution.alpha + solution.offsets[0]
    assert solution.primal_objective == pytest.approx(
        half_norm(K, solution.alpha) + (hinge(y * F) ** 2).sum()
    )

    solution = solve(least_squares(y, 2.0), K, 1e-2)
    F = K @ solution.alpha + solution.offsets[0]
    assert solution.primal_objective == pytest.approx(half_norm(K, solution.alpha) + ((y - F) ** 2).sum())

    problem = epsilon_regression(t, 2.0, 0.1)
    solution = solve(problem, R, 1e-2)
    a = problem.by_point(solution.alpha, len(t))
    loss = np.maximum(0, abs(t - R @ a - solution.offsets[0]) - 0.1).sum()
    assert solution.primal_objective == pytest.approx(half_norm(R, a) + 2 * loss)

    problem = nu_classification(y, 0.4)
    solution = solve(problem, K, 1e-2)
    a = problem.by_point(solution.alpha, len(y))
    plus, minus = solution.offsets
    b, rho = (plus + minus) / 2, (minus - plus) / 2
    slack = np.maximum(0, rho - y * (K @ a + b)).sum()
    assert solution.primal_objective == pytest.approx(half_norm(K, a) - 0.4 * rho * len(y) + slack)

    problem = nu_regression(t, 2.0, 0.3)
    solution = solve(problem, R, 1e-2)
    a = problem.by_point(solution.alpha, len(t))
    plus, minus = solution.offsets
    b, epsilon = (plus + minus) / 2, (plus - minus) / 2
    slack = (np.maximum(0, t - R @ a - b - epsilon) + np.maximum(0, R @ a + b - t - epsilon)).sum()
    expected = half_norm(R, a) + 2 * (0.3 * epsilon * len(t) + slack)
    assert solution.primal_objective == pytest.approx(expected)

    solution = solve(one_class(len(y), 0.3), K, 1e-2)
    rho = -solution.offsets[0]
    slack = np.maximum(0, rho - K @ solution.alpha).sum()
    assert solution.primal_objective == pytest.approx(
        half_norm(K, solution.alpha) - 0.3 * rho * len(y) + slack
    )

    solution = solve(enclosing_ball(np.diag(K), C=0.1), K, 1e-2)
    a = solution.alpha
    radius2 = 2 * solution.offsets[0] + a @ K @ a
    distance2 = np.diag(K) - 2 * K @ a + a @ K @ a
    expected = (radius2 + 0.1 * np.maximum(0, distance2 - radius2).sum()) / 2
    assert solution.primal_objective == pytest.approx(expected)


def test_T_HARD_soft_margin_equals_hard_margin_once_C_exceeds_the_largest_coefficient():
    for seed in range(4):
        _, y, K = separable(seed)
        hard = solve(hard_margin(y), K)
        largest = abs(hard.alpha).max()
        soft = solve(soft_margin(y, 1.01 * largest), K)
        assert np.allclose(K @ soft.alpha, K @ hard.alpha, atol=1e-7)
        assert soft.dual_objective == pytest.approx(hard.dual_objective, rel=1e-8)
        small = solve(soft_margin(y, largest / 2), K)
        assert small.dual_objective < hard.dual_objective * (1 - 1e-6)


def test_T_HARD_squared_soft_margin_tends_to_hard_margin_like_one_over_C():
    _, y, K = separable(1)
    hard = solve(hard_margin(y), K)
    distances = [
        np.linalg.norm(K @ (solve(squared_soft_margin(y, C), K).alpha - hard.alpha)) for C in (1e3, 1e4, 1e5)
    ]
    assert distances[0] / distances[1] == pytest.approx(10, rel=0.2)
    assert distances[1] / distances[2] == pytest.approx(10, rel=0.2)


def test_T_HARD_inseparable_data_are_reported_and_not_looped_on():
    X, y = np.array([0.0, 1.0, 2.0]), np.array([1.0, -1.0, 1.0])
    solution = SMO().solve(hard_margin(y), product.gram(np.outer(X, X)), stop=Stop(max_iter=100_000))
    assert solution.status is Status.UNBOUNDED
    _, y, K = separable(2)
    y[:2] = -y[:2]
    solution = SMO().solve(hard_margin(y), product.gram(K), stop=Stop(max_iter=100_000))
    assert solution.status is Status.UNBOUNDED


def test_T_2NORM_slack_is_the_coefficient_over_C():
    y, K = noisy(1)
    for C in (0.1, 1.0, 10.0):
        solution = solve(squared_soft_margin(y, C), K)
        F = K @ solution.alpha + solution.offsets[0]
        assert hinge(y * F) == pytest.approx(abs(solution.alpha) / C, abs=1e-8)


def test_T_2NORM_is_unique_and_correct_with_duplicated_inputs():
    y, K = noisy(2, n=12)
    twice = np.ix_(np.arange(24) % 12, np.arange(24) % 12)
    problem = squared_soft_margin(np.concatenate([y, y]), 1.0)
    random = np.random.default_rng(0)
    posed = written_out(problem, K[twice])
    expected = qp.solve(posed)[0]
    finite = written_out(soft_margin(np.concatenate([y, y]), 5.0), K[twice])
    for _ in range(3):
        start = cases.random_feasible(random, finite)
        solution = SMO(precision="double").solve(
            problem, product.gram(K[twice]), start=start, stop=Stop(1e-10)
        )
        assert solution.alpha == pytest.approx(expected, abs=1e-6)
        assert solution.alpha[:12] == pytest.approx(solution.alpha[12:], abs=1e-9)
        F = K[twice] @ solution.alpha + solution.offsets[0]
        assert hinge(problem.linear * F) == pytest.approx(abs(solution.alpha), abs=1e-8)


def test_T_MARGIN_free_support_vectors_lie_on_the_margin_and_the_rest_beyond():
    y, K = noisy(4)
    solution = solve(soft_margin(y, 2.0), K, 1e-6)
    margin = y * (K @ solution.alpha + solution.offsets[0])
    size = abs(solution.alpha)
    free, none, bounded = (size > 0) & (size < 2), size == 0, size == 2
    assert free.any() and none.any() and bounded.any()
    assert margin[free] == pytest.approx(1, abs=2e-6)
    assert margin[none].min() >= 1 - 2e-6 and margin[bounded].max() <= 1 + 2e-6


def test_T_MARGIN_geometric_margin_is_one_over_the_norm():
    """Compared with the distance between the hulls of the two classes, which is twice the margin."""
    X, y, K = separable(5, n=8)
    solution = solve(hard_margin(y), K)
    w = X.T @ solution.alpha
    margins = y * (X @ w + solution.offsets[0]) / np.linalg.norm(w)
    assert margins.min() == pytest.approx(1 / np.linalg.norm(w), rel=1e-7)
    hulls = nu_classification(y, 2 / len(y))  # each class's coefficients sum to one
    nearest = solve(hulls, K)
    points = X.T @ hulls.by_point(nearest.alpha, len(y))
    assert np.linalg.norm(points) == pytest.approx(2 / np.linalg.norm(w), rel=1e-6)


def test_T_SVR_stacked_and_reduced_objective_agree_and_the_halves_exclude_each_other():
    t, K = targets(1)
    for C, epsilon in ((1.0, 0.1), (10.0, 0.01), (0.3, 0.5)):
        problem = epsilon_regression(t, C, epsilon)
        solution = solve(problem, K)
        plus, minus = solution.alpha[:20], -solution.alpha[20:]
        a = plus - minus
        assert np.minimum(plus, minus).max() == 0
        reduced = t @ a - epsilon * abs(a).sum() - a @ K @ a / 2
        assert solution.dual_objective == pytest.approx(reduced, rel=1e-10)
        free = (solution.alpha > problem.lower) & (solution.alpha < problem.upper)
        assert solution.gradient[free] == pytest.approx(solution.offsets[0], abs=2e-9)


def test_T_LS_smo_solves_the_linear_system():
    y, K = noisy(5)
    for C in (0.1, 1.0, 100.0):
        system = np.block([[K + np.eye(24) / C, np.ones((24, 1))], [np.ones((1, 24)), np.zeros((1, 1))]])
        expected = np.linalg.solve(system, np.append(y, 0))
        solution = solve(least_squares(y, C), K, 1e-10)
        assert solution.alpha == pytest.approx(expected[:-1], abs=1e-7)
        assert solution.offsets[0] == pytest.approx(expected[-1], abs=1e-8)
        unbiased = solve(without_bias(least_squares(y, C)), K, 1e-10)
        expected = np.linalg.solve(K + np.eye(24) / C, y)
        assert unbiased.alpha[:24] == pytest.approx(expected, abs=1e-7)


@pytest.mark.parametrize("nu", [0.05, 0.2, 0.5, 0.9, 1.0])
def test_T_OC_outliers_are_at_most_nu_and_support_vectors_at_least_nu(nu):
    _, K = noisy(6, n=60)
    solution = solve(one_class(60, nu), K)
    outside = K @ solution.alpha + solution.offsets[0] < -1e-7
    assert outside.mean() <= nu + 1e-12 <= (solution.alpha > 0).mean() + 2e-12


def test_T_SPHERE_all_points_lie_inside_and_support_vectors_on_the_surface():
    _, K = noisy(7, n=40)
    solution = solve(enclosing_ball(np.diag(K)), K)
    a = solution.alpha
    distance2 = np.diag(K) - 2 * K @ a + a @ K @ a
    radius2 = 2 * solution.offsets[0] + a @ K @ a
    assert radius2 == pytest.approx(np.diag(K) @ a - a @ K @ a, abs=1e-7)
    assert distance2.max() <= radius2 + 1e-7
    assert distance2[a > 0] == pytest.approx(radius2, abs=1e-7)


def smallest_circle(X):
    """The smallest circle through two or three of the points that contains all (exact, for few points)."""
    best = np.inf
    for size in (2, 3):
        for corner in combinations(range(len(X)), size):
            P = X[list(corner)]
            A = 2 * (P[1:] - P[0])
            b = (P[1:] ** 2).sum(axis=1) - (P[0] ** 2).sum()
            centre = P[0] + np.linalg.lstsq(A, b - A @ P[0], rcond=None)[0]
            radius = np.linalg.norm(P[0] - centre)
            if np.linalg.norm(X - centre, axis=1).max() <= radius * (1 + 1e-12):
                best = min(best, radius)
    return best


def test_T_SPHERE_linear_kernel_agrees_with_exact_geometry():
    for seed in range(5):
        X = np.random.default_rng(seed).standard_normal((10, 2))
        K = X @ X.T
        solution = solve(enclosing_ball(np.diag(K)), K)
        radius2 = 2 * solution.offsets[0] + solution.alpha @ K @ solution.alpha
        assert np.sqrt(radius2) == pytest.approx(smallest_circle(X), rel=1e-7)


def test_T_SPHERE_constant_diagonal_makes_ball_and_one_class_the_same():
    _, K = noisy(8, n=30)
    ball = solve(enclosing_ball(np.diag(K)), K)
    one = solve(one_class(30, 1 / 30), K)  # coefficients sum to one, none bounded below one
    assert ball.alpha == pytest.approx(one.alpha, abs=1e-6)


def test_T_ALLBOUND_tiny_C_puts_the_offset_in_the_middle_of_its_interval():
    _, K = noisy(9, n=20)
    y = np.tile([1.0, -1.0], 10)
    solution = solve(soft_margin(y, 1e-4), K)
    assert np.array_equal(solution.alpha, 1e-4 * y)
    low, high = solution.offset_intervals[0]
    posed = written_out(soft_margin(y, 1e-4), K)
    assert [low, high] == pytest.approx(certificate.offset_intervals(posed, solution.alpha)[0])
    assert low < high and solution.offsets[0] == pytest.approx((low + high) / 2)


def test_T_PERM_permuting_the_data_keeps_optimum_and_predictions():
    y, K = noisy(10, n=40)
    solution = solve(soft_margin(y, 3.0), K, 1e-6)
    F = K @ solution.alpha + solution.offsets[0]
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(40)
        other = solve(soft_margin(y[order], 3.0), K[np.ix_(order, order)], 1e-6)
        assert other.dual_objective == pytest.approx(solution.dual_objective, rel=1e-8)
        there = K[np.ix_(order, order)] @ other.alpha + other.offsets[0]
        assert there == pytest.approx(F[order], abs=1e-5)
        for tie_break in ("highest", "random"):
            tied = solve(soft_margin(y, 3.0), K, 1e-6, tie_break=tie_break, seed=seed)
            assert tied.dual_objective == pytest.approx(solution.dual_objective, rel=1e-8)


def test_T_HARD_a_narrow_margin_is_not_mistaken_for_none():
    """Multipliers of 1e5 whose kernel sums cancel: single precision alone would see no curvature at all."""
    X = np.random.default_rng(0).normal(size=(400, 3))
    problem = hard_margin(np.where(X[:, 0] > 0, 1.0, -1.0))
    solution = SMO().solve(problem, Linear().bind(X), stop=Stop(tol=1e-5))
    assert solution.status is Status.OPTIMAL
    assert solution.duality_gap <= 1e-5 * solution.dual_objective
