"""The twins agree with each other: SMO with every policy against the interior-point judge."""

import numpy as np
import pytest

from reference import certificate, qp, smo
from reference.program import program
from widemargin.datasets import mg_counter_example, three_variable_problem

POLICIES = {
    "most-violating-pair": {},
    "second-order": {},
    "greedy": {},
    "hybrid-maximum-gain": {},
    "hybrid one row": {"selection": "hybrid-maximum-gain", "variant": "one-row"},
    "hybrid recent": {"selection": "hybrid-maximum-gain", "variant": "recent", "recent": 3},
    "hybrid whole cache": {"selection": "hybrid-maximum-gain", "variant": "whole-cache"},
    "over-relaxed": {"selection": "second-order", "step": "over-relaxed"},
    "planning": {"step": "planning-ahead"},
    "planning 3": {"selection": "planning", "step": "planning-ahead", "recent": 3},
    "planning always": {"selection": "planning", "step": "planning-ahead", "only_after_free": False},
}


def random_program(seed, m=8, rank=None, two_groups=False, with_ridge=False):
    random = np.random.default_rng(seed)
    root = random.standard_normal((m, rank or m))
    group = np.repeat([0, 1], [m // 2, m - m // 2]) if two_groups else None
    ridge = random.uniform(0, 1, m) if with_ridge else None
    return program(
        root @ root.T,
        random.standard_normal(m),
        -random.uniform(0, 1, m),
        random.uniform(0, 1, m),
        ridge=ridge,
        group=group,
    )


@pytest.mark.parametrize("options", [{}, {"rank": 3}, {"two_groups": True}, {"with_ridge": True, "rank": 2}])
def test_the_judge_satisfies_the_certificate(options):
    for seed in range(5):
        judged = random_program(seed, **options)
        alpha, objective = qp.solve(judged)
        middle = certificate.offset_intervals(judged, certificate_point(judged, alpha)).mean(axis=1)
        assert judged.objective(alpha) == pytest.approx(objective, abs=1e-8)
        assert abs(certificate.gap(judged, alpha, middle)) < 1e-6


def certificate_point(judged, alpha):
    """The interior point's alpha with nearly bounded variables put on their bounds."""
    alpha = np.where(alpha - judged.lower < 1e-7, judged.lower, alpha)
    return np.where(judged.upper - alpha < 1e-7, judged.upper, alpha)


@pytest.mark.parametrize("policy", POLICIES)
def test_every_policy_of_the_twin_reaches_the_optimum_of_the_judge(policy):
    arguments = {"selection": policy, **POLICIES[policy]}
    for seed in range(4):
        for options in ({}, {"rank": 4}, {"two_groups": True}, {"with_ridge": True}):
            posed = random_program(seed, **options)
            run = smo.solve(posed, tol=1e-9, **arguments)
            assert run.converged
            assert posed.objective(run.alpha) == pytest.approx(qp.solve(posed)[1], abs=1e-8)
            assert run.violation == pytest.approx(certificate.violation(posed, run.alpha), abs=1e-9)


def test_the_gap_is_never_negative_and_vanishes_at_the_optimum():
    for seed in range(5):
        posed = random_program(seed, with_ridge=bool(seed % 2), two_groups=bool(seed % 3))
        random = np.random.default_rng(seed)
        run = smo.solve(posed, tol=1e-10)
        for step in run.memory.alphas:
            assert certificate.gap(posed, step, random.standard_normal(posed.group.max() + 1)) >= -1e-12
        middle = certificate.offset_intervals(posed, run.alpha).mean(axis=1)
        assert abs(certificate.gap(posed, run.alpha, middle)) < 1e-8


def test_maximum_gain_of_the_twin_is_stuck_on_the_counter_example():
    run = smo.solve(program(*mg_counter_example()), "maximum-gain", tol=1e-9, first_pair=(2, 0))
    assert run.iterations == 1 and not run.converged
    assert np.allclose(run.alpha, [-0.1, 0, 0.1, 0])


def test_planning_of_the_twin_solves_three_variables_in_three_steps():
    for seed in range(20):
        posed = program(*three_variable_problem(seed))
        run = smo.solve(posed, "planning", "planning-ahead", tol=1e-8)
        assert run.iterations <= 3 and run.converged
