"""Working-set selection (T-VALID to T-HMG-RULE)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program
from widemargin.datasets import mg_counter_example
from widemargin.kernels import Gaussian
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, HybridMaximumGain, MaximumGain, Status, Stop

seeds = st.integers(0, 10_000)
kinds = st.sampled_from(cases.KINDS)
few = settings(max_examples=30)


def point_and_psi(seed, kind="full rank", m=8):
    """A random program with a random feasible point that is not optimal, its gradient and violation."""
    posed = cases.random_program(seed, m=m, kind=kind)
    alpha = cases.random_feasible(np.random.default_rng(seed), posed)
    psi = certificate.violation(posed, alpha)
    assume(psi > 1e-6)
    return posed, alpha, posed.gradient(alpha), psi


def all_pairs(m):
    return [(i, j) for i in range(m) for j in range(m) if i != j]


@few
@given(seeds, kinds, st.sampled_from(sorted(product.POLICIES)))
def test_T_VALID_selected_pairs_violate_at_every_point_that_is_not_optimal(seed, kind, policy):
    posed, alpha, G, _ = point_and_psi(seed, kind)
    step = product.one_step(posed, alpha, *product.POLICIES[policy])
    assert smo.violates(posed, alpha, G, step.pair)


@few
@given(seeds, kinds, st.sampled_from(sorted(product.POLICIES)))
def test_T_VALID_every_pair_of_a_run_violates_until_the_end(seed, kind, policy):
    posed = cases.random_program(seed, kind=kind)
    for step in product.replay(posed, product.solve(posed, *product.POLICIES[policy], tol=1e-7, trace=1)):
        assert smo.violates(posed, step.alpha, step.gradient, step.pair)


@few
@given(seeds, kinds)
def test_selections_of_the_product_equal_those_of_the_twin(seed, kind):
    """At a given point: the most violating pair, the second-order pair, and the largest gain of all."""
    posed, alpha, G, _ = point_and_psi(seed, kind)
    memory = smo.Memory()
    first = product.one_step(posed, alpha, "most-violating-pair")
    assert first.slope == pytest.approx(smo.slope(G, smo.most_violating_pair(posed, alpha, G, memory)))
    second = product.one_step(posed, alpha, "second-order")
    assert G[second.pair[0]] == max(G[certificate.up(posed, alpha)])
    expected = smo.newton_gain(posed, alpha, G, smo.second_order(posed, alpha, G, memory))
    assert smo.newton_gain(posed, alpha, G, second.pair) == pytest.approx(expected, rel=1e-9)
    greedy = product.one_step(posed, alpha, "greedy")
    expected = smo.gain(posed, alpha, G, smo.greedy(posed, alpha, G, memory))
    assert smo.gain(posed, alpha, G, greedy.pair) == pytest.approx(expected, rel=1e-9)


@few
@given(seeds, kinds)
def test_second_order_takes_a_largest_gradient_and_its_best_partner_in_every_iteration(seed, kind):
    """By value, not by index: after a free step two gradients are equal and rounding decides between them."""
    posed = cases.random_program(seed, m=10, kind=kind)
    for step in product.replay(posed, product.solve(posed, tol=1e-6, trace=1)):
        i, G = step.pair[0], step.gradient
        assert G[i] == pytest.approx(max(G[certificate.up(posed, step.alpha)]), abs=1e-12)
        partners = [(i, j) for j in range(10) if smo.violates(posed, step.alpha, G, (i, j))]
        best = max(smo.newton_gain(posed, step.alpha, G, pair) for pair in partners)
        assert step.newton_gain == pytest.approx(best, rel=1e-6)


@few
@given(seeds, kinds)
def test_T_SIGMA_guaranteed_gain_of_most_violating_pair_and_second_order(seed, kind):
    """Lemma 5.2, with the stronger constant for second order."""
    posed, alpha, _, psi = point_and_psi(seed, kind)
    curvatures = [smo.curvature(posed.Q, pair) for pair in all_pairs(8)]
    smax, smin = max(curvatures), min(q for q in curvatures if q > 0)
    first = product.one_step(posed, alpha, "most-violating-pair")
    second = product.one_step(posed, alpha, "second-order")
    assert first.newton_gain >= psi**2 / (2 * smax) * (1 - 1e-9)
    assert second.newton_gain >= psi**2 / (2 * smax) * (1 - 1e-9)
    if second.curvature > 0:
        assert second.slope >= np.sqrt(smin / smax) * psi * (1 - 1e-9)


@few
@given(seeds, kinds)
def test_T_WITNESS_gains_vanish_after_solving_a_pair_and_some_gain_is_positive_unless_optimal(seed, kind):
    """(C2) and (C3) of definition 6.1; (C1), continuity, is T-CONT."""
    posed, alpha, G, _ = point_and_psi(seed, kind, m=6)
    gains = {pair: smo.gain(posed, alpha, G, pair) for pair in all_pairs(6)}
    assert max(gains.values()) > 0
    for pair in all_pairs(6):
        solved = smo.move(posed, alpha, pair, smo.smo_step(posed, alpha, G, pair))
        assert smo.gain(posed, solved, posed.gradient(solved), pair) == pytest.approx(0, abs=1e-12)
    optimal = product.optimum(posed).alpha
    G = posed.gradient(optimal)
    assert max(smo.gain(posed, optimal, G, pair) for pair in all_pairs(6)) < 1e-10


@few
@given(seeds, kinds)
def test_T_WITNESS_greedy_selection_converges(seed, kind):
    posed = cases.random_program(seed, kind=kind)
    solution = product.solve(posed, "greedy", tol=1e-10)
    assert solution.status is Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], abs=1e-8)


@few
@given(seeds, kinds)
def test_T_HALF_free_variable_has_pair_with_half_the_violation(seed, kind):
    """Lemma 6.6."""
    posed, alpha, G, psi = point_and_psi(seed, kind)
    free = np.flatnonzero((posed.lower < alpha) & (alpha < posed.upper))
    assume(len(free))
    for i in free:
        slopes = [
            smo.slope(G, pair)
            for other in range(8)
            for pair in ((i, other), (other, i))
            if smo.violates(posed, alpha, G, pair)
        ]
        assert max(slopes, default=0) >= psi / 2 * (1 - 1e-12)


@few
@given(seeds, kinds)
def test_T_RELATED_after_a_step_that_leaves_a_variable_free_a_related_pair_violates(seed, kind):
    """Corollary 6.7: maximum gain goes on with a related pair while a variable of the last one is free."""
    posed = cases.random_program(seed, kind=kind)
    solution = product.solve(posed, MaximumGain(), tol=1e-7, trace=1)
    steps = product.replay(posed, solution)
    for before, after in pairwise(steps):
        assert set(before.pair) & set(after.pair)
    if solution.status is Status.STALLED:
        last = steps[-1].pair
        assert all(solution.alpha[n] in (posed.lower[n], posed.upper[n]) for n in last)
        assert not smo.related(posed, solution.alpha, solution.gradient, last)
    else:
        assert solution.status is Status.OPTIMAL


@few
@given(seeds, kinds, st.sampled_from(["two-rows", "recent"]))
def test_maximum_gain_pair_has_the_largest_gain_of_all_related_pairs(seed, kind, rows):
    posed = cases.random_program(seed, m=10, kind=kind)
    steps = product.replay(posed, product.solve(posed, MaximumGain(rows, recent=3), tol=1e-6, trace=1))
    memory = smo.Memory()
    for step in steps:
        if memory.pairs:
            kept = smo.kept_indices(memory, rows, 3)
            candidates = smo.related(posed, step.alpha, step.gradient, kept)
            best = max(smo.gain(posed, step.alpha, step.gradient, pair) for pair in candidates)
            assert smo.gain(posed, step.alpha, step.gradient, step.pair) == pytest.approx(best, rel=1e-6)
        memory.pairs.append(step.pair)


def test_one_row_variant_uses_every_variable_exactly_twice_in_a_row():
    posed = cases.random_program(3, m=12)
    steps = product.replay(posed, product.solve(posed, MaximumGain("one-row"), tol=1e-6, trace=1))
    pairs = [set(step.pair) for step in steps]
    assert len(pairs) > 3
    for before, now, after in zip(pairs, pairs[1:], pairs[2:], strict=False):
        assert len(before & now) == 1 and len(now & after) == 1
        assert not before & now & after


def counter_example():
    return program(*mg_counter_example())


def test_T_MG_STUCK_maximum_gain_stops_after_one_step():
    solution = product.solve(counter_example(), "maximum-gain", first_pair=(2, 0), trace=1)
    assert solution.status is Status.STALLED and solution.iterations == 1
    assert solution.alpha == pytest.approx([-0.1, 0, 0.1, 0], abs=1e-15)
    assert solution.dual_objective == pytest.approx(0.17, abs=1e-14)
    assert solution.kkt_violation == pytest.approx(2 * (1 - np.sqrt(3) / 5), abs=1e-12)  # 1.3072
    s = np.sqrt(3)
    assert solution.gradient == pytest.approx([-0.7, -1 + s / 5, 0.7, 1 - s / 5], abs=1e-14)


def test_T_MG_STUCK_also_from_every_start_on_the_edge():
    m = (1 - np.sqrt(3) / 5) / 7
    posed = counter_example()
    for c in np.linspace(0, m, 5)[:-1]:
        alpha = np.array([-0.1, -c, 0.1, c])
        assert not smo.related(posed, alpha, posed.gradient(alpha), (2, 0))
        assert smo.violates(posed, alpha, posed.gradient(alpha), (3, 1))


@pytest.mark.parametrize(
    "policy", ["most violating pair", "second order", "greedy", "hybrid", "hybrid, second order"]
)
def test_T_MG_STUCK_the_valid_policies_need_exactly_two_steps(policy):
    solution = product.solve(counter_example(), *product.POLICIES[policy], first_pair=(2, 0))
    assert solution.status is Status.OPTIMAL and solution.iterations == 2
    assert solution.dual_objective == pytest.approx(0.2310256681389, abs=1e-12)
    assert solution.alpha == pytest.approx([-0.1, -0.0933699769, 0.1, 0.0933699769], abs=1e-9)


def test_first_gains_of_the_counter_example_are_the_published_ones():
    posed = counter_example()
    gains = {
        frozenset(pair): smo.gain(posed, posed.start, posed.linear, pair)
        for pair in all_pairs(4)
        if smo.violates(posed, posed.start, posed.linear, pair)
    }
    expected = {(0, 2): 0.17, (0, 3): 0.152679, (1, 2): 0.152679, (1, 3): 0.13}
    assert gains == {frozenset(pair): pytest.approx(value, abs=1e-6) for pair, value in expected.items()}


def rows_per_iteration(X, y, working_set, cache_bytes=0, C=10.0):
    """Kernel rows computed in each iteration of a run with the smallest cache."""
    solution = SMO(working_set, trace=1, precision="single").solve(
        soft_margin(y, C),
        Gaussian(gamma=1.0).bind(X),
        stop=Stop(tol=1e-2),
        shrinking=False,
        cache_bytes=cache_bytes,
    )
    assert solution.status is Status.OPTIMAL
    return np.diff(solution.trace["kernel_evaluations"], prepend=0) / len(y), solution


def test_T_MG_CACHE_maximum_gain_computes_at_most_one_row_an_iteration():
    X, y, _ = cases.classification(1, n=80)
    rows, solution = rows_per_iteration(X, y, HybridMaximumGain())
    fallbacks = solution.counters["fallback_selections"]
    assert (rows > 1).sum() <= fallbacks < 0.2 * len(rows)
    assert rows.max() <= 2


@pytest.mark.parametrize("working_set", ["most-violating-pair", "second-order"])
def test_T_MG_CACHE_the_other_rules_compute_at_most_two(working_set):
    X, y, _ = cases.classification(1, n=80)
    rows, _ = rows_per_iteration(X, y, working_set)
    assert rows.max() <= 2 and (rows == 2).any()


def cornered_after_first_step(gap_0, gap_1, eta):
    """Four variables; the forced pair (0, 1) ends with these distances to the bounds it moves towards."""
    step, K = 1.0, np.eye(4)
    linear = np.array([2 * step, 0.0, 3.0, -3.0])  # curvature 2, so the free step is 1
    upper = np.array([step + gap_0, 1.0, 5.0, 5.0])
    lower = np.array([-1.0, -(step + gap_1), -5.0, -5.0])
    posed = program(K, linear, lower, upper)
    after = smo.move(posed, np.zeros(4), (0, 1), min(step, step + min(gap_0, gap_1)))
    solution = product.solve(posed, HybridMaximumGain(eta=eta), first_pair=(0, 1), max_iter=2)
    return solution.counters["fallback_selections"], smo.cornered(posed, after, (0, 1), eta)


@pytest.mark.parametrize("eta", [1e-8, 0.1])
@pytest.mark.parametrize("gap_0", [0.0, 0.5, 0.99, 1.01, 3.0])
@pytest.mark.parametrize("gap_1", [0.0, 0.5, 0.99, 1.01, 3.0])
def test_T_HMG_RULE_falls_back_exactly_when_both_variables_are_within_eta_of_a_bound(eta, gap_0, gap_1):
    """The gaps are in units of eta times the box width (2 + gap)."""
    widths = [factor * eta * 2 / (1 - factor * eta) for factor in (gap_0, gap_1)]
    fallbacks, expected = cornered_after_first_step(*widths, eta)
    assert fallbacks == int(expected) == int(gap_0 < 1 and gap_1 < 1)


def test_T_HMG_RULE_a_variable_without_bounds_counts_as_inside():
    posed = program(np.eye(3), [2.0, 0.0, 1.0], [0, -np.inf, -np.inf], [1, np.inf, np.inf])
    solution = product.solve(posed, HybridMaximumGain(), first_pair=(0, 1), max_iter=2)
    assert solution.alpha[0] == 1 and solution.counters["fallback_selections"] == 0


def test_the_forced_first_pair_and_the_tie_breaks_are_obeyed():
    y = np.array([1.0, 1, 1, -1, -1, -1])
    posed = program(np.eye(6), y, np.minimum(0, y), np.maximum(0, y))
    for options, expected in (
        ({}, (0, 3)),
        ({"tie_break": "highest"}, (2, 5)),
        ({"first_pair": (1, 4)}, (1, 4)),
        ({"first_pair": (4, 1)}, (1, 4)),
        ({"first_pair": (0, 4), "tie_break": "highest"}, (0, 4)),
    ):
        step = product.one_step(posed, np.zeros(6), **options)
        assert step.pair == expected
    drawn = {product.one_step(posed, np.zeros(6), tie_break="random", seed=seed).pair for seed in range(40)}
    assert len(drawn) > 4
    again = [product.one_step(posed, np.zeros(6), tie_break="random", seed=7).pair for _ in range(3)]
    assert len(set(again)) == 1
