"""Convergence of every policy (T-MONO to T-DEGENERATE)."""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program, written_out
from widemargin.kernels import Gaussian, Precomputed
from widemargin.problems import epsilon_regression, nu_classification, soft_margin
from widemargin.solvers import SMO, Decomposition, HybridMaximumGain, Status, Stop

seeds = st.integers(0, 10_000)
kinds = st.sampled_from(cases.KINDS)
few = settings(max_examples=30)

# A planning step may lower the objective on purpose.
MONOTONE = sorted(name for name in product.POLICIES if not name.startswith("planning"))


@few
@given(seeds, kinds, st.sampled_from(MONOTONE))
def test_T_MONO_objective_rises_in_every_iteration_and_gains_add_up(seed, kind, policy):
    posed = cases.random_program(seed, kind=kind)
    start = cases.random_feasible(np.random.default_rng(seed), posed)
    solution = product.solve(posed, *product.POLICIES[policy], tol=1e-7, trace=1, start=start)
    gains = [step.gain for step in product.replay(posed, solution, start)]
    assert min(gains, default=1) > 0
    assert sum(gains) == pytest.approx(posed.objective(solution.alpha) - posed.objective(start), abs=1e-11)
    assert sum(gains) <= qp.solve(posed)[1] - posed.objective(start) + 1e-8


@pytest.mark.parametrize("policy", product.POLICIES)
@pytest.mark.parametrize("shrinking", [False, True])
@pytest.mark.parametrize("cache_bytes", [0, 2**20])
def test_T_OPT_every_combination_reaches_the_optimum_of_the_judge(policy, shrinking, cache_bytes):
    for seed in range(2):
        for kind in cases.KINDS:
            posed = cases.random_program(seed, m=14, kind=kind)
            solution = product.solve(
                posed,
                *product.POLICIES[policy],
                tol=1e-8,
                shrinking=shrinking,
                cache_bytes=cache_bytes,
            )
            alpha, objective = qp.solve(posed)
            assert solution.status is Status.OPTIMAL and solution.kkt_violation <= 1e-8
            assert certificate.violation(posed, solution.alpha) <= 1.001e-8
            assert solution.dual_objective == pytest.approx(objective, rel=1e-8, abs=1e-9)
            assert np.allclose(solution.gradient, posed.gradient(alpha), atol=1e-4)
            assert np.allclose(posed.K @ (solution.alpha - alpha), 0, atol=1e-4)


@pytest.mark.parametrize("size", [2, 3, 4, 10, 50])
def test_T_OPT_decomposition_with_larger_working_sets_reaches_the_optimum_of_the_judge(size):
    for seed, kind in enumerate(cases.KINDS):
        posed = cases.random_program(seed, m=14, kind=kind)
        solution = Decomposition(size, precision="double").solve(
            product.problem(posed), product.gram(posed.K), stop=Stop(tol=1e-8, max_iter=100_000)
        )
        assert solution.status is Status.OPTIMAL
        assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], rel=1e-8, abs=1e-9)


def test_twins_do_not_let_working_sets_undo_each_other():
    """A pair moves one way and the pair of its twins moves back, unless both are in one working set."""
    random = np.random.default_rng(0)
    Z, y = random.normal(size=(300, 6)), np.sign(random.normal(size=300))
    gram = Gaussian(1.0).bind(np.concatenate([Z, Z + 1e-3 * random.normal(size=Z.shape)]))
    found = Decomposition(size=32).solve(soft_margin(np.tile(y, 2), 2.0), gram, stop=Stop(1e-6))
    assert found.status is Status.OPTIMAL
    assert found.counters["rounds"] < 500  # and not tens of thousands


@few
@given(seeds, kinds)
def test_T_OPT_optima_of_different_policies_have_the_same_gradient(seed, kind):
    posed = cases.random_program(seed, kind=kind)
    solutions = [product.optimum(posed, working_set=rule) for rule in ("most-violating-pair", "second-order")]
    assert np.allclose(solutions[0].gradient, solutions[1].gradient, atol=1e-7)
    assert np.allclose(posed.K @ (solutions[0].alpha - solutions[1].alpha), 0, atol=1e-7)


@few
@given(seeds, st.sampled_from(["two-rows", "one-row", "recent", "whole-cache"]))
def test_T_HMG_CONV_hybrid_maximum_gain_converges_when_all_curvatures_are_positive(seed, rows):
    posed = cases.random_program(seed, m=12, kind="full rank")
    solution = product.solve(posed, HybridMaximumGain(rows=rows), tol=1e-9)
    assert solution.status is Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-8)


@pytest.mark.parametrize("rows", ["two-rows", "one-row", "recent", "whole-cache"])
def test_T_HMG_CONV_on_regression_it_converges_or_says_that_it_did_not(rows):
    """Pairs of the two halves have no curvature, so the theorem does not apply."""
    for seed in range(5):
        X, _, K = cases.classification(seed, n=25)
        problem = epsilon_regression(np.sin(2 * X[:, 0]), C=5.0, epsilon=0.1)
        posed = written_out(problem, K)
        solution = SMO(HybridMaximumGain(rows=rows), precision="double").solve(
            problem, product.gram(K), stop=Stop(tol=1e-8, max_iter=100_000)
        )
        psi = certificate.violation(posed, solution.alpha)
        assert (solution.status is Status.OPTIMAL) == (psi <= 1.001e-8)
        assert solution.kkt_violation == pytest.approx(psi, abs=1e-10)
        if solution.status is Status.OPTIMAL:
            assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-7)


@pytest.mark.parametrize("policy", product.POLICIES)
def test_T_OPT_with_two_fixed_sums_every_policy_is_optimal_in_both_groups(policy):
    """Related pairs never cross groups: a rule that reuses the last pair must not stay in one for ever."""
    for seed in range(3):
        _, y, K = cases.classification(seed, n=30)
        problem = nu_classification(y, nu=0.3)
        posed = written_out(problem, K)
        working_set, step = product.POLICIES[policy]
        needed = product_iterations(problem, K, "second-order", "newton")
        solution = SMO(working_set, step, precision="double").solve(
            problem, product.gram(K), stop=Stop(tol=1e-7, max_iter=50 * needed)
        )
        assert solution.status is Status.OPTIMAL
        assert certificate.violation(posed, solution.alpha) <= 1.01e-7
        assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-6)


def product_iterations(problem, K, working_set, step):
    return (
        SMO(working_set, step, precision="double")
        .solve(problem, product.gram(K), stop=Stop(tol=1e-7))
        .iterations
    )


@few
@given(seeds, st.sampled_from(MONOTONE))
def test_T_STEPBOUND_steps_are_bounded_by_their_gain_and_tend_to_zero(seed, policy):
    """Lemma 6.9: |a(t) - a(t-1)| <= sqrt(2 g / lam), lam = min Q_B / 2; exact for the clipped Newton step."""
    posed = cases.random_program(seed, kind="full rank")
    solution = product.solve(posed, *product.POLICIES[policy], tol=1e-8, trace=1)
    steps = product.replay(posed, solution)
    lam = min(smo.curvature(posed.Q, (i, j)) for i in range(8) for j in range(8) if i != j) / 2
    slack = 1.0 if policy != "over-relaxed" else np.sqrt(1.1 / (2 - 1.1))  # gain of r times the Newton step
    for step in steps:
        assert np.sqrt(2) * abs(step.length) <= slack * np.sqrt(2 * step.gain / lam) * (1 + 1e-4)
    if len(steps) > 20:
        assert max(abs(step.length) for step in steps[-3:]) < 1e-3


@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("working_set", ["most-violating-pair", "second-order"])
def test_T_RATE_free_steps_reduce_the_distance_to_the_optimum_by_a_fixed_factor(kind, working_set):
    """Theorem 5.8: one factor below 1 for all free steps on a program, early and late."""
    posed = cases.random_program(11, m=6, kind=kind, frozen=False)
    best = product.optimum(posed, tol=1e-14)
    assert best.kkt_violation < 1e-13
    random = np.random.default_rng(0)
    early, late = [0.0], [0.0]
    for _ in range(60):
        start = cases.random_feasible(random, posed)
        solution = product.solve(posed, working_set, start=start, tol=1e-7, trace=1)
        for step in product.replay(posed, solution, start):
            if step.kind == product.FREE:
                before = distance_to_optimum(posed, best, step.alpha)
                after = distance_to_optimum(posed, best, smo.move(posed, step.alpha, step.pair, step.length))
                psi = certificate.violation(posed, step.alpha)
                (early if psi > 1e-3 else late).append(after / before)
    assert max(early + late) < 1 - 1e-3
    assert max(late) < max(1 - 1e-3, 1.01 * max(early))


def distance_to_optimum(posed, best, alpha):
    """f* - f(alpha), expanded around the optimum so that nothing cancels."""
    change = alpha - best.alpha
    return change @ posed.K @ change / 2 - (best.gradient - best.offsets[0]) @ change


@few
@given(seeds, kinds)
def test_T_RATE_newton_gain_is_a_fixed_share_of_what_is_missing(seed, kind):
    """On one program, the second-order pair's Newton gain over f* - f is bounded away from zero."""
    posed = cases.random_program(5, m=6, kind=kind, frozen=False)
    best = product.optimum(posed)
    alpha = cases.random_feasible(np.random.default_rng(seed), posed)
    missing = distance_to_optimum(posed, best, alpha)
    assume(missing > 1e-9)
    assert product.one_step(posed, alpha).newton_gain / missing > 1e-3


@few
@given(seeds, kinds)
def test_T_UNIQUE_strict_complementarity_makes_the_optimum_unique(seed, kind):
    """Lemma 5.4: bounded variables have gradients strictly off the offset, free ones a definite K."""
    posed = cases.random_program(seed, kind=kind)
    solution = product.optimum(posed)
    free = (solution.alpha > posed.lower) & (solution.alpha < posed.upper)
    bounded = ~free & (posed.lower < posed.upper)
    assume(free.any())
    assume(abs(solution.gradient - solution.offsets[0])[bounded].min(initial=1) > 1e-5)
    basis = np.linalg.svd(np.ones((1, free.sum())))[2][1:]
    curvatures = np.linalg.eigvalsh(basis @ posed.K[np.ix_(free, free)] @ basis.T)
    assume(curvatures.min(initial=1) > 1e-5)
    random = np.random.default_rng(seed)
    for rule in ("most-violating-pair", "second-order", "hybrid-maximum-gain"):
        other = product.optimum(posed, working_set=rule, start=cases.random_feasible(random, posed))
        assert np.allclose(other.alpha, solution.alpha, atol=1e-5)


@pytest.mark.parametrize("policy", product.POLICIES)
def test_T_DEGENERATE_duplicates_with_opposite_labels_go_to_their_bounds(policy):
    for seed in range(3):
        X, _, _ = cases.classification(seed, n=6)
        X = np.repeat(X, 2, axis=0)
        y = np.tile([1.0, -1.0], 6)
        K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
        posed = program(K, y, np.minimum(0, 2 * y), np.maximum(0, 2 * y))
        solution = product.solve(posed, *product.POLICIES[policy], max_iter=10_000)
        assert solution.status is Status.OPTIMAL
        assert np.array_equal(solution.alpha, 2 * y)
        assert solution.dual_objective == pytest.approx(24.0)


def test_a_start_that_changes_the_sum_is_refused():
    posed = cases.random_program(0)
    start = np.zeros(8)
    movable = int(np.argmax(posed.upper))
    start[movable] = posed.upper[movable] / 2
    with pytest.raises(ValueError, match="sum"):
        product.solve(posed, start=start)


def test_a_start_of_another_length_is_refused():
    with pytest.raises(ValueError, match="start must have one value for each of the 8 variables"):
        product.solve(cases.random_program(0), start=np.zeros(3))


@pytest.mark.parametrize("inner", [SMO(precision="double"), SMO(tie_break="highest"), SMO(first_pair=(0, 1))])
def test_settings_of_the_inner_solver_that_nobody_would_read_are_refused(inner):
    with pytest.raises(ValueError, match="of the inner solver"):
        Decomposition(size=2, inner=inner).solve(soft_margin([1, -1], 1.0), Precomputed().bind(np.eye(2)))
