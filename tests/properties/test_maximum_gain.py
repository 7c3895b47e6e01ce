"""The statements of the maximum-gain paper, in its own numbering (lemmas 2, 8, 9 and properties 1 to 18)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program, written_out
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, HybridMaximumGain, MaximumGain, Status, Stop

seeds = st.integers(0, 10_000)
kinds = st.sampled_from(cases.KINDS)
few = settings(max_examples=30)


def svm(seed, n=30, C=5.0, gamma=1.0):
    _, y, K = cases.classification(seed, n=n, gamma=gamma)
    return program(K, y, np.minimum(0, C * y), np.maximum(0, C * y))


def textbook_form(posed, y, pair, alpha):
    """The step and gain in unsigned variables a_i = y_i alpha_i, straight from section 2 of the paper."""
    b1, b2 = pair
    s, unsigned = y[b1] * y[b2], y * alpha
    Q = posed.K * np.outer(y, y)
    G = 1 - Q @ unsigned
    C = np.maximum(posed.upper, -posed.lower)
    nu = Q[b1, b1] + Q[b2, b2] - 2 * s * Q[b1, b2]
    mu_max = (G[b1] - s * G[b2]) / nu
    low, high = -unsigned[b1], C[b1] - unsigned[b1]
    other = (unsigned[b2] - C[b2], unsigned[b2]) if s > 0 else (-unsigned[b2], C[b2] - unsigned[b2])
    mu = np.clip(mu_max, max(low, other[0]), min(high, other[1]))
    return mu, nu / 2 * mu * (2 * mu_max - mu)


@few
@given(seeds)
def test_1_gain_formula_equals_the_difference_of_objectives(seed):
    random = np.random.default_rng(seed)
    posed = svm(seed, n=8)
    y = posed.linear
    alpha = cases.random_feasible(random, posed)
    G = posed.gradient(alpha)
    for pair in [(0, 1), (2, 5), (7, 3)]:
        mu, gain = textbook_form(posed, y, pair, alpha)
        moved = alpha + y[pair[0]] * mu * smo.direction(8, pair)
        assert posed.objective(moved) - posed.objective(alpha) == pytest.approx(gain, rel=1e-9, abs=1e-12)
        assert smo.gain(posed, alpha, G, pair) == pytest.approx(gain, rel=1e-9, abs=1e-12)
        assert gain >= 0


@pytest.mark.parametrize("policy", product.POLICIES)
def test_2_clipped_steps_never_leave_the_box_and_keep_the_sum(policy):
    posed = svm(3)
    solution = product.solve(posed, *product.POLICIES[policy], trace=1, tol=1e-6)
    for step in product.replay(posed, solution):
        low, high = smo.interval(posed, step.alpha, step.pair)
        assert low - 1e-12 <= step.length <= high + 1e-12
    assert (posed.lower <= solution.alpha).all() and (solution.alpha <= posed.upper).all()
    assert abs(solution.alpha.sum()) <= 1e-12 * 5 * len(posed.linear)


@few
@given(seeds, st.sampled_from(["most-violating-pair", "second-order", "greedy", "hybrid-maximum-gain"]))
def test_3_after_an_unclipped_step_both_gradients_are_equal(seed, working_set):
    posed = svm(seed, n=15)
    for step in product.replay(posed, product.solve(posed, working_set, tol=1e-4, trace=1)):
        G = posed.gradient(smo.move(posed, step.alpha, step.pair, step.length))
        i, j = step.pair
        if step.kind == product.FREE:
            assert G[i] == pytest.approx(G[j], abs=1e-9)
        else:
            assert G[i] >= G[j] - 1e-9


def test_4_selected_pairs_are_the_brute_force_maxima():
    """Greedy over all pairs; maximum gain over the pairs that meet the previous one."""
    posed = svm(4, n=20)
    for working_set in ("greedy", "maximum-gain"):
        previous = None
        for step in product.replay(posed, product.solve(posed, working_set, tol=1e-4, trace=1)):
            kept = range(20) if working_set == "greedy" else previous
            if kept is not None:
                candidates = smo.related(posed, step.alpha, step.gradient, kept)
                best = max(smo.gain(posed, step.alpha, step.gradient, pair) for pair in candidates)
                assert step.gain == pytest.approx(best, rel=1e-7)
            previous = step.pair


def enumerate_gradients():
    """All gradients in {-4..4}^4, one row each."""
    return np.stack(np.meshgrid(*[np.arange(-4, 5)] * 4, indexing="ij"), axis=-1).reshape(-1, 4)


def stuck_cases(alphas):
    """How many (alpha, labels, gradient) have a violating pair but none that meets variables 0 and 1.

    alpha counts in halves of C: 0 and 2 are bounds. Labels run over all signs; the gradient is that of the
    unsigned variables, so the signed one is y times it.
    """
    g = enumerate_gradients()
    related = [(0, 1), (0, 2), (0, 3), (1, 2), (1, 3)]
    total = stuck = 0
    for alpha in alphas:
        for y in np.stack(np.meshgrid(*[[-1, 1]] * 4, indexing="ij"), axis=-1).reshape(-1, 4):
            rises = np.where(y > 0, alpha < 2, alpha > 0)
            falls = np.where(y > 0, alpha > 0, alpha < 2)
            signed = g * y

            def violates(i, j, signed=signed, rises=rises, falls=falls):
                up = (signed[:, i] > signed[:, j]) & rises[i] & falls[j]
                return up | ((signed[:, j] > signed[:, i]) & rises[j] & falls[i])

            meets = np.any([violates(*pair) for pair in related], axis=0)
            stuck += int((violates(2, 3) & ~meets).sum())
            total += len(g)
    return total, stuck


def test_lemma_8_a_free_previous_variable_always_has_a_related_pair_with_gain():
    alphas = [np.array([1, a, b, c]) for a in range(3) for b in range(3) for c in range(3)]
    assert stuck_cases(alphas) == (2_834_352, 0)


def test_lemma_8_fails_exactly_where_both_previous_variables_sit_at_bounds():
    alphas = [np.array([a, b, c, d]) for a in (0, 2) for b in (0, 2) for c in range(3) for d in range(3)]
    assert stuck_cases(alphas) == (3_779_136, 222_720)


@few
@given(seeds, st.sampled_from(["most-violating-pair", "second-order", "greedy", "hybrid-maximum-gain"]))
def test_lemma_9_gain_bounds_the_length_of_the_step(seed, working_set):
    """g >= sigma/2 |change|^2, sigma the smallest eigenvalue of the 2 x 2 principal minors."""
    posed = svm(seed, n=12)
    minors = [
        np.linalg.eigvalsh(posed.K[np.ix_(b, b)])[0] for b in ([i, j] for i in range(12) for j in range(i))
    ]
    sigma = min(minors)
    for step in product.replay(posed, product.solve(posed, working_set, tol=1e-5, trace=1)):
        assert step.gain >= sigma / 2 * 2 * step.length**2 * (1 - 1e-6)


@pytest.mark.parametrize(
    "policy", ["most violating pair", "second order", "greedy", "hybrid", "hybrid, one row"]
)
def test_8_objective_rises_gains_add_up_and_tend_to_zero(policy):
    posed = svm(8, n=40)
    solution = product.solve(posed, *product.POLICIES[policy], tol=1e-8, trace=1)
    gains = np.array([step.gain for step in product.replay(posed, solution)])
    assert (gains > 0).all()
    assert gains.sum() == pytest.approx(solution.dual_objective, rel=1e-10)
    assert gains[-5:].max() < 1e-9 * gains.max()


@pytest.mark.parametrize("seed, C, gamma", [(0, 1.0, 1.0), (1, 50.0, 0.3), (2, 0.1, 3.0), (3, 1000.0, 1.0)])
def test_9_all_rules_agree_with_the_judge_in_objective_and_predictions(seed, C, gamma):
    posed = svm(seed, n=40, C=C, gamma=gamma)
    alpha, objective = qp.solve(posed)
    for working_set in ("most-violating-pair", "second-order", "hybrid-maximum-gain"):
        solution = product.solve(posed, working_set, tol=1e-6, max_iter=1_000_000)
        assert solution.dual_objective == pytest.approx(objective, rel=1e-6)
        assert np.allclose(posed.K @ solution.alpha, posed.K @ alpha, atol=1e-3)


def test_10_hybrid_runs_with_a_cache_of_the_smallest_size():
    _, y, K = cases.classification(10, n=60)
    problem = soft_margin(y, 5.0)
    solution = SMO(HybridMaximumGain()).solve(problem, product.gram(K), stop=Stop(tol=1e-3), cache_bytes=0)
    assert solution.status is Status.OPTIMAL
    assert certificate.violation(written_out(problem, K), solution.alpha) <= 1.001e-3


def test_11_eta_hardly_matters():
    posed = svm(11, n=60, C=10.0)
    runs = [product.solve(posed, HybridMaximumGain(eta=eta), tol=1e-4) for eta in (0.0, 1e-12, 1e-8, 1e-6)]
    iterations = [run.iterations for run in runs]
    assert max(iterations) <= 1.05 * min(iterations) + 2
    assert [run.dual_objective for run in runs] == pytest.approx([runs[0].dual_objective] * 4, rel=1e-6)


@pytest.mark.parametrize("rows", ["two-rows", "one-row", "recent", "whole-cache"])
def test_13_with_a_box_smaller_than_the_tolerance_kkt_stopping_is_still_accurate(rows):
    posed = svm(13, n=30, C=1e-4)
    solution = product.solve(posed, HybridMaximumGain(rows=rows), tol=1e-3)
    assert solution.status is Status.OPTIMAL
    assert certificate.violation(posed, solution.alpha) <= 1e-3
    assert solution.iterations > 5


def test_13_the_authors_stopping_rule_is_looser_than_the_kkt_conditions():
    """It stops when the Newton step is shorter than the tolerance; scaling K makes all steps short."""
    posed = svm(13, n=30, C=1e-5)
    posed = program(1e5 * posed.K, posed.linear, posed.lower, posed.upper)
    early = product.solve(posed, MaximumGain(), tol=1e-3, stopping="step")
    assert early.iterations <= 2 and early.kkt_violation > 1e-2
    late = product.solve(posed, HybridMaximumGain(), tol=1e-3)
    assert late.iterations > early.iterations and late.kkt_violation <= 1e-3


def test_15_lemma_2_pairwise_and_all_direction_forms_of_optimality_agree():
    for seed in range(15):
        random = np.random.default_rng(seed)
        posed = svm(seed, n=10)
        points = [cases.random_feasible(random, posed) for _ in range(3)]
        points.append(product.optimum(posed).alpha)
        for point in points:
            # The best direction over the whole polytope is a linear program, solved by filling.
            G = posed.gradient(point)
            best = best_linear_value(posed, G) - G @ point
            psi = certificate.violation(posed, point)
            assert (best > 1e-7) == (psi > 1e-8)


def best_linear_value(posed, G):
    """max G'a over the feasible set: from the lower bounds, spend the sum on the largest gradients first."""
    a, left = posed.lower.copy(), posed.start.sum() - posed.lower.sum()
    for n in np.argsort(-G):
        a[n] += min(left, posed.upper[n] - posed.lower[n])
        left -= a[n] - posed.lower[n]
    return G @ a


@pytest.mark.parametrize("same_label", [True, False])
@pytest.mark.parametrize("policy", product.POLICIES)
def test_16_duplicated_samples_terminate_at_the_optimum_of_the_judge(policy, same_label):
    for seed in range(2):
        X, y, _ = cases.classification(seed, n=10)
        X, y = np.concatenate([X, X]), np.concatenate([y, y if same_label else -y])
        K = np.exp(-((X[:, None] - X[None]) ** 2).sum(axis=2))
        posed = program(K, y, np.minimum(0, 3 * y), np.maximum(0, 3 * y))
        solution = product.solve(posed, *product.POLICIES[policy], tol=1e-7, max_iter=100_000)
        assert solution.status is Status.OPTIMAL
        assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-6)


@few
@given(seeds, kinds, st.sampled_from(sorted(product.POLICIES)))
def test_17_general_linear_terms_sums_and_bounds_agree_with_the_judge(seed, kind, policy):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, kind=kind)
    start = random.uniform(posed.lower, posed.upper)  # any sum
    ridge = random.uniform(0, 0.5, 8) * random.integers(2, size=8)
    posed = program(posed.K, posed.linear, posed.lower, posed.upper, start, ridge)
    solution = product.solve(posed, *product.POLICIES[policy], tol=1e-8)
    assert solution.status is Status.OPTIMAL
    assert solution.alpha.sum() == pytest.approx(start.sum(), abs=1e-12)
    assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-8)


@pytest.mark.parametrize("policy", ["most violating pair", "second order", "greedy", "hybrid", "planning"])
def test_18_permuting_the_samples_permutes_the_solution(policy):
    """With the first pair fixed the whole path is the same: afterwards there are no ties."""
    posed = svm(18, n=25)
    order = np.random.default_rng(0).permutation(25)
    place = np.argsort(order)
    permuted = program(
        posed.K[np.ix_(order, order)], posed.linear[order], posed.lower[order], posed.upper[order]
    )
    first = (int(np.argmax(posed.linear)), int(np.argmin(posed.linear)))
    there = tuple(int(place[v]) for v in first)
    one = product.solve(posed, *product.POLICIES[policy], first_pair=first, max_iter=12)
    other = product.solve(permuted, *product.POLICIES[policy], first_pair=there, max_iter=12)
    assert one.iterations == other.iterations
    assert np.allclose(other.alpha, one.alpha[order], atol=1e-9)
    end, permuted_end = product.optimum(posed), product.optimum(permuted)
    assert np.allclose(permuted_end.alpha, end.alpha[order], atol=1e-7)
