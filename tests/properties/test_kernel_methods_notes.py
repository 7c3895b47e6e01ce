"""The checkable identities of the lecture notes on kernel methods: machines 10 to 20, solvers 21 to 26."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program, written_out
from widemargin.kernels import Gaussian
from widemargin.problems import hard_margin, soft_margin, squared_soft_margin, without_bias
from widemargin.solvers import SMO, Status, Stop

seeds = st.integers(0, 10_000)
few = settings(max_examples=30)


def solve(problem, K, tol=1e-9, **options):
    solution = SMO(precision="double", **options).solve(
        problem, product.gram(K), stop=Stop(tol=tol, max_iter=500_000)
    )
    assert solution.status is Status.OPTIMAL
    return solution


def blobs(seed, n=16):
    """A separable sample with its linear Gram."""
    random = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2, 1.0, -1.0)
    X = 0.5 * random.standard_normal((n, 2)) + 2 * y[:, None]
    return X, y, X @ X.T


def trained(seed, C, n=30):
    """A 1-norm machine: labels, Gram, unsigned alpha, decision values, slacks, squared norm of w."""
    _, y, K = cases.classification(seed, n=n)
    solution = solve(soft_margin(y, C), K)
    F = K @ solution.alpha + solution.offsets[0]
    slack = np.maximum(0, 1 - y * F)
    return y, K, y * solution.alpha, F, slack, solution.alpha @ K @ solution.alpha


def test_10_hard_margin_identities():
    for seed in range(5):
        X, y, K = blobs(seed)
        solution = solve(hard_margin(y), K)
        alpha, w = y * solution.alpha, X.T @ solution.alpha
        margin = y * (X @ w + solution.offsets[0])
        assert margin.min() == pytest.approx(1, abs=1e-7)
        assert w @ w == pytest.approx(alpha.sum(), rel=1e-7)
        b = -(max((X @ w)[y < 0]) + min((X @ w)[y > 0])) / 2
        assert solution.offsets[0] == pytest.approx(b, abs=1e-7)
        assert margin[alpha > 0] == pytest.approx(1, abs=1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_11_squared_machine_is_the_hard_machine_on_K_plus_ridge(C):
    for seed in range(3):
        _, y, K = cases.classification(seed)
        n = len(y)
        squared = solve(squared_soft_margin(y, C), K)
        hard = solve(hard_margin(y), K + np.eye(n) / C)
        assert squared.alpha == pytest.approx(hard.alpha, abs=1e-7)
        alpha, F = y * squared.alpha, K @ squared.alpha + squared.offsets[0]
        assert np.maximum(0, 1 - y * F) == pytest.approx(alpha / C, abs=1e-7)
        norm2 = squared.alpha @ K @ squared.alpha
        assert norm2 == pytest.approx(alpha.sum() - alpha @ alpha / C, rel=1e-7)
        primal = norm2 / 2 + C / 2 * (np.maximum(0, 1 - y * F) ** 2).sum()
        assert primal == pytest.approx(squared.dual_objective, rel=1e-7)


@pytest.mark.parametrize("C", [0.1, 1.0, 30.0])
def test_12_one_norm_machine_identities(C):
    for seed in range(3):
        y, _, alpha, F, slack, norm2 = trained(seed, C)
        assert norm2 == pytest.approx(alpha.sum() - C * slack.sum(), rel=1e-6)
        assert alpha[slack > 1e-6] == pytest.approx(C)
        free = (alpha > 0) & (alpha < C)
        assert (y * F)[free] == pytest.approx(1, abs=1e-7)
        primal, dual = norm2 / 2 + C * slack.sum(), alpha.sum() - norm2 / 2
        assert 0 <= primal - dual + 1e-9 < 1e-6


def test_13_soft_machines_tend_to_the_hard_one_on_separable_data():
    _, y, K = blobs(3)
    hard = solve(hard_margin(y), K)
    largest = abs(hard.alpha).max()
    for C in (1.001 * largest, 10 * largest):
        assert K @ solve(soft_margin(y, C), K).alpha == pytest.approx(K @ hard.alpha, abs=1e-6)
    distances = [
        abs(K @ (solve(squared_soft_margin(y, C), K).alpha - hard.alpha)).max() for C in (1, 10, 100, 1000)
    ]
    assert distances == sorted(distances, reverse=True) and distances[-1] < 0.02 * distances[0]


@few
@given(seeds)
def test_14_duality_gap_formula_holds_for_every_feasible_point_and_offset(seed):
    random = np.random.default_rng(seed)
    C = 2.0
    _, y, K = cases.classification(seed, n=12)
    posed = program(K, y, np.minimum(0, C * y), np.maximum(0, C * y))
    a, r = cases.random_feasible(random, posed), random.standard_normal()
    alpha, g = y * a, y * posed.gradient(a)
    slack = np.maximum(0, g - y * r)
    formula = (C * slack - alpha * g).sum()
    primal = a @ K @ a / 2 + C * slack.sum()
    assert formula == pytest.approx(primal - posed.objective(a), abs=1e-10)
    assert formula >= -1e-12
    assert certificate.gap(posed, a, r) == pytest.approx(formula, abs=1e-10)
    reported = product.solve(posed, start=a, max_iter=0)
    assert reported.duality_gap == pytest.approx(certificate.gap(posed, a, reported.offsets), abs=1e-10)


@few
@given(seeds)
def test_15_weak_duality_and_saddle_point(seed):
    """D(alpha) <= P(w, b) for any pair of feasible points, with equality at the solution only."""
    random = np.random.default_rng(seed)
    C = 1.5
    _, y, K = cases.classification(seed, n=12)
    posed = program(K, y, np.minimum(0, C * y), np.maximum(0, C * y))
    best = product.optimum(posed)

    def primal(beta, b):
        return beta @ K @ beta / 2 + C * np.maximum(0, 1 - y * (K @ beta + b)).sum()

    beta, b, a = random.standard_normal(12), random.standard_normal(), cases.random_feasible(random, posed)
    assert posed.objective(a) <= primal(beta, b)
    assert posed.objective(a) <= best.dual_objective + 1e-9
    assert primal(beta, b) >= best.dual_objective - 1e-9
    assert primal(best.alpha, best.offsets[0]) == pytest.approx(best.dual_objective, abs=1e-8)


def test_16_scaling_the_kernel_and_swapping_the_labels():
    _, y, K = cases.classification(4)
    one = solve(soft_margin(y, 3.0), K)
    for s in (0.01, 7.0):
        scaled = solve(soft_margin(y, 3.0 / s), s * K)
        assert scaled.alpha == pytest.approx(one.alpha / s, rel=1e-5, abs=1e-7 / s)
        assert s * K @ scaled.alpha == pytest.approx(K @ one.alpha, abs=1e-6)
    swapped = solve(soft_margin(-y, 3.0), K)
    assert swapped.alpha == pytest.approx(-one.alpha, abs=1e-7)
    assert swapped.offsets[0] == pytest.approx(-one.offsets[0], abs=1e-7)


def regularised_minimum(K, y, n, theta):
    """min (1/n) sum hinge(y_i f(x_i)) + theta |f|^2 for expansions on all points; the first n are samples."""
    m = len(K)
    P = np.zeros((m + 1 + n, m + 1 + n))
    P[:m, :m] = 2 * theta * K
    q = np.concatenate([np.zeros(m + 1), np.full(n, 1 / n)])
    margins = -np.hstack([y[:, None] * K[:n], y[:, None], np.eye(n)])  # y f + slack >= 1
    slacks = -np.eye(m + 1 + n)[m + 1 :]  # slack >= 0
    limits = np.concatenate([-np.ones(n), np.zeros(n)])
    x, value = qp.minimise(P, q, np.vstack([margins, slacks]), limits, n_equal=0)
    return value, K[:n] @ x[:m] + x[m]


@pytest.mark.parametrize("C", [0.3, 2.0])
def test_17_and_18_regularised_risk_is_minimised_and_more_expansion_points_do_not_help(C):
    """theta = 1/(2 n C); the representer theorem says that the training points suffice."""
    n = 8
    X, y, _ = cases.classification(1, n=n)
    X = np.concatenate([X, np.random.default_rng(1).standard_normal((4, 2))])
    K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
    theta = 1 / (2 * n * C)
    solution = solve(soft_margin(y, C), K[:n, :n])
    F = K[:n, :n] @ solution.alpha + solution.offsets[0]
    norm2 = solution.alpha @ K[:n, :n] @ solution.alpha
    value = np.maximum(0, 1 - y * F).mean() + theta * norm2
    least, values = regularised_minimum(K[:n, :n], y, n, theta)
    assert value == pytest.approx(least, abs=1e-7)
    assert pytest.approx(values, abs=1e-3) == F
    extended, _ = regularised_minimum(K, y, n, theta)
    assert extended >= value - 1e-7


@pytest.mark.parametrize("C", [0.05, 1.0, 50.0])
def test_19_number_of_support_vectors_is_bounded_below(C):
    for seed in range(4):
        y, _, alpha, F, slack, norm2 = trained(seed, C)
        support = (alpha > 0).sum()
        assert support >= norm2 / C + slack.sum() - 1e-6
        assert support >= (y * F <= 0).sum()


def coordinate_ascent(K, y, C, sweeps=1000):
    """The machine without bias: one variable at a time, step g_i/K_ii clipped to the box."""
    lower, upper = np.minimum(0, C * y), np.maximum(0, C * y)
    a, G = np.zeros(len(y)), y.astype(float)
    for _ in range(sweeps):
        for i in range(len(y)):
            change = np.clip(a[i] + G[i] / K[i, i], lower[i], upper[i]) - a[i]
            a[i] += change
            G = G - change * K[i]
    return a


@pytest.mark.parametrize("C", [0.3, 5.0])
def test_20_machine_without_bias_has_no_equality_constraint(C):
    for seed in range(3):
        _, y, K = cases.classification(seed, n=15)
        problem = without_bias(soft_margin(y, C))
        solution = solve(problem, K)
        a = solution.alpha[:15]
        expected = coordinate_ascent(K, y, C)
        assert a == pytest.approx(expected, abs=1e-6)
        assert abs(a.sum()) > 1e-3
        assert solution.offsets[0] == 0
        assert solution.dual_objective == pytest.approx(qp.solve(written_out(problem, K))[1], abs=1e-7)


def test_21_smo_from_zero_never_descends_and_keeps_the_constraints():
    _, y, K = cases.classification(21, n=50)
    C = 10.0
    posed = program(K, y, np.minimum(0, C * y), np.maximum(0, C * y))
    for working_set in ("most-violating-pair", "second-order", "hybrid-maximum-gain"):
        solution = product.solve(posed, working_set, tol=1e-5, trace=1)
        assert (np.diff(solution.trace["objective"]) > -1e-12).all()
        for step in product.replay(posed, solution):
            assert abs(step.alpha.sum()) < 1e-11
            assert (posed.lower <= step.alpha).all() and (step.alpha <= posed.upper).all()
        assert np.allclose(solution.gradient, posed.gradient(solution.alpha), rtol=1e-8, atol=1e-10)


def test_22_all_rules_reach_the_same_value_and_second_order_needs_fewer_iterations_in_the_median():
    ratios = []
    for seed in range(15):
        _, y, K = cases.classification(seed, n=60)
        runs = {
            rule: solve(soft_margin(y, 30.0), K, 1e-4, working_set=rule)
            for rule in ("most-violating-pair", "second-order", "greedy")
        }
        values = [run.dual_objective for run in runs.values()]
        assert values == pytest.approx([values[0]] * 3, rel=1e-5)
        ratios.append(runs["second-order"].iterations / runs["most-violating-pair"].iterations)
    assert np.median(ratios) < 1


@few
@given(seeds)
def test_23_first_order_expansion_misses_exactly_half_the_curvature(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed)
    alpha = cases.random_feasible(random, posed)
    G = posed.gradient(alpha)
    i, j = random.choice(8, 2, replace=False)
    u, kappa = smo.direction(8, (i, j)), posed.K[i, i] + posed.K[j, j] - 2 * posed.K[i, j]
    for step in (1.0, 0.1, 1e-3):
        rest = posed.objective(alpha + step * u) - posed.objective(alpha) - step * (G[i] - G[j])
        assert rest == pytest.approx(-(step**2) * kappa / 2, abs=1e-11)


@few
@given(seeds)
def test_24_criterion_and_case_by_case_conditions_accept_the_same_points(seed):
    """max over I_up <= min over I_down  iff  some r has: g above y r only at C, below it only at 0."""
    random = np.random.default_rng(seed)
    C = 1.0
    _, y, K = cases.classification(seed, n=10)
    posed = program(K, y, np.minimum(0, C * y), np.maximum(0, C * y))
    for a in (cases.random_feasible(random, posed), product.optimum(posed).alpha):
        G, tol = posed.gradient(a), 1e-7
        criterion = certificate.violation(posed, a) <= tol
        candidates = np.concatenate([G, (G[:, None] + G[None]).ravel() / 2])
        by_case = any(cases_hold(y * G - y * r, y * a, C, tol / 2 + 1e-12) for r in candidates)
        assert criterion == by_case


def cases_hold(excess, alpha, C, tol):
    return (alpha[excess > tol] == C).all() and (alpha[excess < -tol] == 0).all()


@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize("rows", [2, 10, 80])
def test_25_shrinking_and_cache_size_change_neither_objective_nor_predictions(shrinking, rows):
    X, y, K = cases.classification(25, n=80)
    problem, gram = soft_margin(y, 20.0), Gaussian(gamma=1.0).bind(X)
    reference = solve(problem, K, 1e-9)
    solution = SMO().solve(problem, gram, stop=Stop(tol=1e-6), shrinking=shrinking, cache_bytes=rows * 4 * 80)
    assert solution.status is Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(reference.dual_objective, rel=1e-8)
    assert K @ solution.alpha == pytest.approx(K @ reference.alpha, abs=1e-4)


DEGENERATE = {
    "all points equal": np.ones((12, 2)),
    "one constant feature": np.column_stack([np.ones(12), np.arange(12.0)]),
    "every point three times": np.repeat(np.arange(4.0)[:, None], 3, axis=0),
    "all zero": np.zeros((12, 2)),
}


@pytest.mark.parametrize("policy", product.POLICIES)
@pytest.mark.parametrize("name", DEGENERATE)
def test_26_degenerate_data_terminate(name, policy):
    X, y = DEGENERATE[name], np.tile([1.0, -1.0, -1.0, 1.0], 3)
    working_set, step = product.POLICIES[policy]
    for K in (X @ X.T, np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))):
        problem = soft_margin(y, 2.0)
        solution = SMO(working_set, step, precision="double").solve(
            problem, product.gram(K), stop=Stop(tol=1e-6, max_iter=100_000)
        )
        assert solution.status is Status.OPTIMAL
        assert solution.dual_objective == pytest.approx(qp.solve(written_out(problem, K))[1], abs=1e-4)
