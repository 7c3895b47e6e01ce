"""The row cache and shrinking change the cost of a run, never its result (T-CACHE, T-SHRINK)."""

import numpy as np
import pytest

from reference import cases, certificate, product
from reference.program import program, written_out
from widemargin import _core
from widemargin.kernels import Gaussian
from widemargin.problems import epsilon_regression, soft_margin
from widemargin.solvers import SMO, Decomposition, HybridMaximumGain, PlanningAhead, Status, Stop

N = 150
ROW = 4 * N  # bytes of a row in single precision


def run(seed=0, working_set="second-order", step="newton", *, C=30.0, precision="single", **options):
    X, y, K = cases.classification(seed, n=N)
    problem = soft_margin(y, C)
    options = {"stop": Stop(tol=1e-3), "shrinking": False, **options}
    solution = SMO(working_set, step, precision=precision, trace=1).solve(
        problem, Gaussian(gamma=1.0).bind(X), **options
    )
    return written_out(problem, K), solution


# The whole-cache variant looks at what happens to be cached, so its path may depend on the cache.
DETERMINED = sorted(name for name in product.POLICIES if name != "hybrid, whole cache")


@pytest.mark.parametrize("policy", DETERMINED)
def test_T_CACHE_iterates_do_not_depend_on_the_cache_size(policy):
    rule = product.POLICIES[policy]
    _, whole = run(0, *rule, cache_bytes=2**24)
    for rows in (0, 3, 5, 20):
        _, small = run(0, *rule, cache_bytes=rows * ROW)
        for column in ("i", "j", "step", "kind"):
            assert np.array_equal(small.trace[column], whole.trace[column])
        assert np.array_equal(small.alpha, whole.alpha)


@pytest.mark.parametrize("working_set", ["most-violating-pair", "second-order", "hybrid-maximum-gain"])
def test_T_CACHE_misses_fall_as_the_cache_grows(working_set):
    misses = [
        run(0, working_set, cache_bytes=rows * ROW)[1].counters["cache_misses"] for rows in (0, 10, 50, N)
    ]
    assert misses == sorted(misses, reverse=True) and misses[-1] < misses[0]
    assert misses[-1] <= N


@pytest.mark.parametrize("precision, size", [("single", 4), ("double", 8)])
def test_T_CACHE_budget_is_obeyed(precision, size):
    for rows in (5, 10, 40):
        budget = rows * size * N
        for shrinking in (False, True):
            _, solution = run(0, precision=precision, cache_bytes=budget, shrinking=shrinking)
            assert 0 < solution.counters["peak_cache_bytes"] <= budget


def test_T_CACHE_no_cache_at_all_still_works():
    _, solution = run(0, HybridMaximumGain(), cache_bytes=0)
    assert solution.status is Status.OPTIMAL
    assert solution.counters["peak_cache_bytes"] <= 3 * ROW


def test_T_CACHE_variables_that_share_a_point_share_its_row():
    X, _, K = cases.classification(2, n=40)
    problem = epsilon_regression(np.sin(X[:, 0]), C=10.0, epsilon=0.05)
    solution = SMO(precision="single").solve(
        problem, Gaussian(gamma=1.0).bind(X), shrinking=False, cache_bytes=2**24
    )
    assert solution.status is Status.OPTIMAL
    assert solution.counters["cache_misses"] <= 40
    assert certificate.violation(written_out(problem, K), solution.alpha) <= 1.01e-3


@pytest.mark.parametrize("policy", product.POLICIES)
def test_T_SHRINK_same_optimum_with_and_without_and_every_variable_verified(policy):
    for seed, C in ((0, 1.0), (1, 100.0)):
        tol = 1e-6
        results = {}
        for shrinking in (False, True):
            posed, results[shrinking] = run(
                seed,
                *product.POLICIES[policy],
                C=C,
                precision="double",
                shrinking=shrinking,
                stop=Stop(tol=tol, max_iter=300_000),
            )
            assert results[shrinking].status is Status.OPTIMAL
            assert certificate.violation(posed, results[shrinking].alpha) <= 1.001 * tol
        off, on = results[False], results[True]
        assert on.dual_objective == pytest.approx(off.dual_objective, rel=1e-7)
        assert np.allclose(on.gradient, off.gradient, atol=1e-3)
        assert off.counters["shrinks"] == off.counters["unshrinks"] == 0


def test_T_SHRINK_variables_are_set_aside_and_come_back():
    _, solution = run(0, C=1.0, shrinking=True, stop=Stop(tol=1e-6), precision="double")
    assert solution.counters["shrinks"] > 0 and solution.counters["unshrinks"] > 0
    assert solution.trace["active_size"].min() < N


def test_T_SHRINK_shrinking_never_follows_a_planning_step_directly():
    """A plan must find its pair again: the active set changes only after ordinary steps."""
    _, solution = run(0, "second-order", PlanningAhead(), C=1000.0, shrinking=True, stop=Stop(tol=1e-5))
    sizes, kinds = solution.trace["active_size"], solution.trace["kind"]
    shrunk_before = np.flatnonzero(np.diff(sizes) < 0)  # between iteration k and k + 1
    assert solution.counters["planning_steps"] > 100 and len(shrunk_before)
    assert (kinds[shrunk_before] != product.PLANNED).all()


def test_T_SHRINK_wrongly_set_aside_variables_are_found_again():
    """Started far from the optimum with a period of few iterations, early guesses are often wrong."""
    for seed in range(10):
        posed = cases.random_program(seed, m=10)
        posed = program(100 * posed.K, posed.linear, posed.lower, posed.upper)
        start = cases.random_feasible(np.random.default_rng(seed), posed)
        solution = product.solve(posed, start=start, shrinking=True, tol=1e-8)
        assert solution.status is Status.OPTIMAL
        assert certificate.violation(posed, solution.alpha) <= 1.001e-8


def test_T_SHRINK_the_traced_objective_of_a_decomposition_counts_what_is_set_aside():
    X, y, _ = cases.classification(0, n=N)
    solution = Decomposition(size=4, trace=1).solve(
        soft_margin(y, C=0.5), Gaussian(gamma=1.0).bind(X), stop=Stop(tol=1e-8)
    )
    objective = solution.trace["objective"]
    assert solution.trace["active_size"].min() < N
    assert (np.diff(objective) >= -1e-9).all()
    assert objective[-1] == pytest.approx(solution.dual_objective, rel=1e-6)


@pytest.mark.parametrize("n_threads", [1, 3])
def test_the_gradient_of_many_support_vectors_is_exact_where_it_counts(n_threads):
    """More of them than a block has rows: mirrored entries are computed once."""
    random = np.random.default_rng(0)
    X, y = random.normal(size=(1900, 12)), random.choice([-1.0, 1.0], size=1900)
    solution = Decomposition().solve(soft_margin(y, C=1.0), Gaussian(gamma=0.3).bind(X), n_threads=n_threads)
    support = solution.alpha != 0
    assert support.sum() > 1200
    gradient = y - Gaussian(gamma=0.3).gram(X) @ solution.alpha
    np.testing.assert_allclose(solution.gradient[support], gradient[support], rtol=0, atol=1e-11)


def test_an_answer_to_stop_counts_wherever_in_the_run_it_is_given():
    """Also while all variables are being verified, where the solver may have nobody to tell."""
    X, y, _ = cases.classification(0, n=40)
    problem, gram = soft_margin(y, C=100.0), Gaussian(gamma=1.0).bind(X)
    core = _core.Problem(
        problem.linear, problem.lower, problem.upper, problem.start, None, None, [problem.size]
    )

    def iterations_after_the_answer(number):
        seen = []

        def observer(progress):
            seen.append(progress.iteration)
            return len(seen) == number

        settings = SMO().settings(Stop(tol=1e-4))
        raw = _core.solve(core, gram, problem.start, settings, None, 0, observer, 0.0)
        return raw["iterations"] - seen[number - 1], len(seen)

    _, calls = iterations_after_the_answer(0)
    assert calls > 50
    for number in range(1, calls):
        assert iterations_after_the_answer(number)[0] <= 16
