"""Planning-ahead SMO (T-PA-FORMULA to T-PA-CONV)."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program
from widemargin.datasets import three_variable_problem
from widemargin.solvers import PlanningAhead, PlanningSelection, Status

seeds = st.integers(0, 10_000)
kinds = st.sampled_from(cases.KINDS)
few = settings(max_examples=30)
ETA = 0.9


def planned_run(seed, m=10, kind="full rank", **options):
    """A program on which planning is frequent: wide boxes, and the replayed steps of a run on it."""
    posed = cases.random_program(seed, m=m, kind=kind, frozen=False)
    posed = program(posed.K + 0.01 * np.eye(m), posed.linear, 5 * posed.lower, 5 * posed.upper)
    solution = product.solve(posed, "second-order", PlanningAhead(**options), tol=1e-6, trace=1)
    assert solution.status is Status.OPTIMAL
    return posed, solution, product.replay(posed, solution)


@few
@given(seeds)
def test_T_PA_FORMULA_two_step_gain_equals_brute_force_and_has_its_maximum_at_the_planned_step(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, m=6)
    alpha = random.standard_normal(6)
    G = posed.gradient(alpha)
    first, second = (0, 1), (1, 3)
    v1, v2 = smo.direction(6, first), smo.direction(6, second)
    w1, w2 = v1 @ G, v2 @ G
    q11, q22, q12 = v1 @ posed.Q @ v1, v2 @ posed.Q @ v2, v1 @ posed.Q @ v2

    def brute_force(mu):
        """The objective after mu on the first pair and the best step on the second."""
        moved = alpha + mu * v1
        best = v2 @ posed.gradient(moved) / q22
        return posed.objective(moved + best * v2) - posed.objective(alpha)

    for mu in (-1.0, 0.0, 0.4, w1 / q11, 3.0):
        expected = brute_force(mu)
        assert smo.two_step_gain(mu, w1, w2, q11, q22, q12) == pytest.approx(expected, rel=1e-8, abs=1e-8)
    newton = w1 / q11  # (7.1): the greedy first step followed by the best second one
    greedy = w1**2 / (2 * q11) + (w2 - q12 * newton) ** 2 / (2 * q22)
    assert smo.two_step_gain(newton, w1, w2, q11, q22, q12) == pytest.approx(greedy, rel=1e-9)
    planned = (q22 * w1 - q12 * w2) / (q11 * q22 - q12**2)
    top = smo.two_step_gain(planned, w1, w2, q11, q22, q12)
    for mu in planned + np.array([-1, -1e-3, 1e-3, 1]):
        assert smo.two_step_gain(mu, w1, w2, q11, q22, q12) <= top + 1e-12


@few
@given(seeds, kinds, st.sampled_from([1, 2, 3]))
def test_T_PA_FORMULA_planning_steps_of_the_product_are_those_of_the_twin(seed, kind, recent):
    posed, _, steps = planned_run(seed, kind=kind, recent=recent)
    pairs = [step.pair for step in steps]
    for t, step in enumerate(steps):
        if step.kind != product.PLANNED:
            continue
        plans = [
            smo.plan(posed, step.alpha, step.gradient, step.pair, earlier)
            for earlier in pairs[max(0, t - recent) : t]
        ]
        best = max(plan.gain for plan in plans if plan)
        best_steps = [plan.first for plan in plans if plan and plan.gain >= best * (1 - 1e-6)]
        assert any(step.length == pytest.approx(length, rel=1e-5) for length in best_steps)


@few
@given(seeds, kinds)
def test_T_PA_LOWER_a_double_step_gains_a_fixed_share_of_the_newton_gain(seed, kind):
    """Lemma 7.3: f(t+1) - f(t-1) >= (1 - eta^2) times the Newton gain of the planning step."""
    _, _, steps = planned_run(seed, kind=kind)
    for planning, following in pairwise(steps):
        if planning.kind == product.PLANNED:
            double = planning.gain + following.gain
            assert double >= (1 - ETA**2) * planning.newton_gain * (1 - 1e-6)
            assert double > 0


@few
@given(seeds, kinds, st.sampled_from([1, 3]))
def test_algorithm_7_2_after_a_plan_no_planned_pair_beats_the_selected_one(seed, kind, recent):
    """By Newton gain if the planning step alone made progress, by exact gain otherwise."""
    posed, _, steps = planned_run(seed, kind=kind, recent=recent)
    for t in range(1, len(steps)):
        before, step = steps[t - 1], steps[t]
        if before.kind != product.PLANNED:
            continue
        near = abs(before.length / before.newton - 1) <= ETA
        score = smo.newton_gain if near else smo.gain
        mine = score(posed, step.alpha, step.gradient, step.pair)
        for planned in steps[max(0, t - 1 - recent) : t - 1]:
            pair = smo.oriented(step.gradient, *planned.pair)
            if smo.violates(posed, step.alpha, step.gradient, pair):
                assert mine >= score(posed, step.alpha, step.gradient, pair) * (1 - 1e-6)


@few
@given(seeds, kinds, st.sampled_from([1, 3]))
def test_T_PA_DIP_a_planning_step_lowers_the_objective_iff_its_ratio_leaves_zero_to_two(seed, kind, recent):
    _, solution, steps = planned_run(seed, kind=kind, recent=recent)
    planned = [step for step in steps if step.kind == product.PLANNED]
    for step in planned:
        ratio = step.length / step.newton
        if min(abs(ratio), abs(ratio - 2)) > 1e-6:
            assert (step.gain < 0) == (ratio < 0 or ratio > 2)
    assert solution.planning_ratios == pytest.approx([step.length / step.newton for step in planned])
    assert solution.counters["planning_steps"] == len(planned)


@few
@given(seeds, kinds, st.sampled_from([1, 2, 5]), st.booleans())
def test_T_PA_DIP_a_plan_is_never_followed_by_another(seed, kind, recent, only_after_free):
    _, _, steps = planned_run(seed, kind=kind, recent=recent, only_after_free=only_after_free)
    previous = [product.CLIPPED, *(step.kind for step in steps)]
    for before, step in zip(previous, steps, strict=False):
        if step.kind == product.PLANNED:
            assert before == product.FREE or (before == product.CLIPPED and not only_after_free)


@few
@given(seeds)
def test_T_PA_W2_with_one_planning_set_the_step_is_newton_over_one_minus_rho_squared(seed):
    posed, _, steps = planned_run(seed)
    m = len(posed.linear)
    for before, step in pairwise(steps):
        if step.kind != product.PLANNED:
            continue
        scale = abs(posed.linear).max() + abs(posed.Q).max() * abs(step.alpha).max()
        assert abs(smo.slope(step.gradient, before.pair)) < 1e-10 * scale
        q12 = smo.direction(m, step.pair) @ posed.Q @ smo.direction(m, before.pair)
        rho2 = q12**2 / (step.curvature * before.curvature)
        assert step.length / step.newton == pytest.approx(1 / (1 - rho2), rel=1e-5)
        assert step.length >= step.newton * (1 - 1e-9)


@pytest.mark.parametrize("seed", range(40))
def test_T_PA_3VAR_three_free_variables_are_solved_in_exactly_three_iterations(seed):
    posed = program(*three_variable_problem(seed))
    planning = product.solve(posed, step="planning-ahead", tol=1e-8, trace=1)
    assert planning.status is Status.OPTIMAL
    assert planning.trace["kind"].tolist() == [product.FREE, product.PLANNED, product.FREE]


def test_T_PA_3VAR_second_order_needs_many_more_iterations():
    posed = [program(*three_variable_problem(seed)) for seed in range(40)]
    needed = [product.solve(each, tol=1e-8).iterations for each in posed]
    assert np.median(needed) >= 10 and min(needed) > 3


@few
@given(seeds, kinds, st.sampled_from([1, 2, 5]))
def test_T_PA_FREE_accepted_plans_stay_strictly_inside_the_box(seed, kind, recent):
    posed, _, steps = planned_run(seed, kind=kind, recent=recent)
    pairs = [step.pair for step in steps]
    for t, step in enumerate(steps):
        if step.kind == product.PLANNED:
            low, high = smo.interval(posed, step.alpha, step.pair)
            assert low < step.length < high
            plans = [
                smo.plan(posed, step.alpha, step.gradient, step.pair, earlier)
                for earlier in pairs[max(0, t - recent) : t]
            ]
            assert any(plans)  # the twin accepts a plan only if its second step is free too
            assert set(step.pair) != set(pairs[t - 1]) or recent > 1


def test_T_PA_FREE_the_same_pair_twice_never_plans():
    posed = program(np.diag([1.0, 1.0]), [1.0, -1.0], [-9, -9], [9, 9])
    assert smo.plan(posed, np.zeros(2), posed.linear, (0, 1), (0, 1)) is None
    assert smo.plan(posed, np.zeros(2), posed.linear, (0, 1), (1, 0)) is None


@pytest.mark.parametrize("recent", [1, 2, 3, 5, 10, 20])
@pytest.mark.parametrize("only_after_free", [True, False])
def test_T_PA_CONV_planning_ahead_reaches_the_optimum_for_all_numbers_of_sets(recent, only_after_free):
    rule = PlanningAhead(recent=recent, only_after_free=only_after_free)
    for seed in range(2):
        for kind in cases.KINDS:
            posed = cases.random_program(seed, m=14, kind=kind)
            solution = product.solve(posed, "second-order", rule, tol=1e-8)
            assert solution.status is Status.OPTIMAL
            assert certificate.violation(posed, solution.alpha) <= 1.001e-8
            assert solution.dual_objective == pytest.approx(qp.solve(posed)[1], rel=1e-8, abs=1e-9)


def test_planning_after_any_step_starts_earlier_than_planning_after_free_steps():
    counts = []
    for only_after_free in (True, False):
        runs = [planned_run(seed, only_after_free=only_after_free)[1] for seed in range(6)]
        counts.append(sum(run.counters["planning_steps"] / run.iterations for run in runs))
    assert counts[1] >= counts[0] > 0


def test_ablation_recalls_pairs_without_planning():
    posed, _, _ = planned_run(1)
    solution = product.solve(posed, PlanningSelection(always=True), tol=1e-6, trace=1)
    assert solution.status is Status.OPTIMAL
    assert solution.counters["planning_steps"] == 0 and solution.counters["recalled_pairs"] > 0
