"""What holds for every machine that learns all classes at once."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.datasets import load_iris

import widemargin as wm
from reference import joint as reference
from widemargin import _core, joint_problems
from widemargin.solvers import Status, Stop

PROBLEMS = {
    "weston-watkins": joint_problems.weston_watkins,
    "crammer-singer": joint_problems.crammer_singer,
    "lee-lin-wahba": joint_problems.lee_lin_wahba,
    "bredensteiner-bennett": joint_problems.bredensteiner_bennett,
}
ESTIMATORS = [wm.WestonWatkins, wm.CrammerSinger, wm.LeeLinWahba, wm.BredensteinerBennett]
machines = st.sampled_from(sorted(PROBLEMS))
losses = st.sampled_from(sorted(joint_problems.LOSSES))


def random_problem(seed, machine, n=30, d=3, C=None):
    """A problem with prices that differ, and the kernel matrix of its points."""
    random = np.random.default_rng(seed)
    N = int(random.integers(2, 6))
    labels = np.concatenate([np.arange(N), random.integers(N, size=n - N)])
    X = random.standard_normal((n, d)) + 0.5 * labels[:, None]
    prices = random.uniform(0.1, 2.0, n) if C is None else C
    return PROBLEMS[machine](labels, prices, N), wm.Gaussian(0.3).gram(X), X


def solve(problem, K, tol=1e-8, **options):
    stop = options.pop("stop", Stop(tol))
    shrinking = options.pop("shrinking", True)
    cache = options.pop("cache_bytes", 2**20)
    solution = wm.JointDecomposition(**options).solve(
        problem, wm.Precomputed().bind(K), stop=stop, shrinking=shrinking, cache_bytes=cache
    )
    return solution, solution.alpha.reshape(-1, problem.classes)


@settings(deadline=None, max_examples=60)
@given(loss=losses, seed=st.integers(0, 2**32 - 1), N=st.integers(2, 7))
def test_the_step_on_an_example_is_that_of_a_bisection(loss, seed, N):
    random = np.random.default_rng(seed)
    label, q, C = int(random.integers(N)), random.uniform(0.1, 3), random.uniform(0.1, 3)
    h = 2 * random.standard_normal(N)
    alpha = C * random.uniform(size=N) * random.integers(2, size=N) / (N if loss == "relative-largest" else 1)
    alpha[label] = h[label] = 0.0
    best = _core.best_multipliers(joint_problems.LOSSES[loss], label, q, C, h, alpha)
    np.testing.assert_allclose(best, reference.best_multipliers(loss, label, q, C, h, alpha), atol=1e-12)


@pytest.mark.parametrize("loss", sorted(joint_problems.LOSSES))
def test_without_curvature_a_step_goes_to_a_vertex(loss):
    h, alpha = np.array([0.0, 0.5, -1.0, 2.0]), np.zeros(4)
    best = _core.best_multipliers(joint_problems.LOSSES[loss], 0, 0.0, 1.5, h, alpha)
    np.testing.assert_array_equal(best, [0, 0, 0, 1.5] if loss == "relative-largest" else [0, 1.5, 0, 1.5])


@settings(deadline=None, max_examples=40)
@given(machine=machines, seed=st.integers(0, 2**32 - 1))
def test_the_certificate_is_that_of_the_definitions(machine, seed):
    problem, K, _ = random_problem(seed, machine)
    solution, alpha = solve(problem, K)
    dual, primal = reference.objectives(problem, K, alpha)
    assert solution.status is Status.OPTIMAL
    assert solution.dual_objective == pytest.approx(dual, rel=1e-9)
    assert solution.primal_objective == pytest.approx(primal, rel=1e-9)
    assert 0 <= solution.duality_gap <= 1e-6 * max(1.0, primal)
    assert solution.kkt_violation <= 1e-8
    assert solution.kkt_violation == pytest.approx(reference.violation(problem, K, alpha), abs=1e-12)


@settings(deadline=None, max_examples=40)
@given(machine=machines, seed=st.integers(0, 2**32 - 1), steps=st.integers(0, 60))
def test_a_run_cut_short_is_feasible_and_certified(machine, seed, steps):
    problem, K, _ = random_problem(seed, machine)
    solution, alpha = solve(problem, K, stop=Stop(1e-12, max_iter=steps), size=7)
    total = alpha.sum(axis=1)
    assert (alpha >= 0).all() and (alpha[np.arange(len(alpha)), problem.labels] == 0).all()
    if problem.has_one_slack:
        assert (total <= problem.C * (1 + 1e-14)).all()
    else:
        assert (alpha <= problem.C[:, None]).all()
    dual, primal = reference.objectives(problem, K, alpha)
    assert solution.duality_gap == pytest.approx(primal - dual, rel=1e-9, abs=1e-9)
    assert solution.kkt_violation == pytest.approx(
        reference.violation(problem, K, alpha), rel=1e-9, abs=1e-12
    )
    np.testing.assert_allclose(
        problem.coefficients(alpha), reference.coefficients(problem.loss, problem.labels, alpha), atol=1e-13
    )
    np.testing.assert_allclose(problem.multipliers(problem.coefficients(alpha)), alpha, atol=1e-13)


@pytest.mark.parametrize("machine", sorted(PROBLEMS))
def test_the_slow_twin_finds_the_same(machine):
    problem, K, _ = random_problem(4, machine, n=10)
    _, alpha = solve(problem, K, tol=1e-10)
    slow = reference.ascend(problem, K)
    np.testing.assert_allclose(K @ problem.coefficients(alpha), K @ problem.coefficients(slow), atol=1e-7)


@settings(deadline=None, max_examples=30)
@given(machine=machines, seed=st.integers(0, 2**32 - 1))
def test_functions_add_up_to_zero(machine, seed):
    problem, K, _ = random_problem(seed, machine)
    _, alpha = solve(problem, K, tol=1e-3)
    np.testing.assert_allclose(problem.coefficients(alpha).sum(axis=1), 0, atol=1e-12)


@settings(deadline=None, max_examples=25)
@given(machine=machines, seed=st.integers(0, 2**32 - 1), size=st.sampled_from([1, 3, 10, 100]))
def test_working_sets_shrinking_and_cache_do_not_matter(machine, seed, size):
    problem, _, X = random_problem(seed, machine)
    gram = wm.Gaussian(0.3).bind(X)
    values = []
    for options in ({}, {"size": size}, {"size": size, "precision": "double"}):
        for shrinking in (True, False):
            solution = wm.JointDecomposition(**options).solve(
                problem, gram, stop=Stop(1e-8), shrinking=shrinking, cache_bytes=1000
            )
            assert solution.status is Status.OPTIMAL
            values.append(wm.Gaussian(0.3).gram(X) @ problem.coefficients(solution.alpha))
    for other in values[1:]:
        np.testing.assert_allclose(other, values[0], atol=1e-6)


@pytest.mark.parametrize("machine", sorted(PROBLEMS))
def test_examples_set_aside_one_after_the_other_are_all_judged_by_their_own_values(machine):
    X, y = load_iris(return_X_y=True)
    K, problem = (X + 5) @ (X + 5).T, PROBLEMS[machine](y, 1.0, 3)
    nested = 0
    for cache_bytes in (10_000, 50_000, 100_000):
        solution, alpha = solve(problem, K, 1e-6, size=16, cache_bytes=cache_bytes)
        nested += solution.counters["shrinks"] > solution.counters["unshrinks"]
        h = reference.slacks(problem.loss, y, problem.margin, K @ problem.coefficients(alpha))
        found = solution.gradient.reshape(h.shape)
        np.testing.assert_allclose(found[np.isfinite(h)], h[np.isfinite(h)], atol=1e-8)
    assert nested  # some more before all were active again


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_names_and_order_of_classes_do_not_matter(estimator):
    problem, _, X = random_problem(2, "crammer-singer", n=60)
    N, y = problem.classes, problem.labels
    order = np.random.default_rng(2).permutation(N)
    values = estimator(tol=1e-9).fit(X, y).decision_function(X)
    permuted = estimator(tol=1e-9).fit(X, order[y]).decision_function(X)
    assert N > 2
    np.testing.assert_allclose(permuted[:, order], values, atol=1e-7)


@pytest.mark.parametrize("estimator", ESTIMATORS)
def test_single_precision_reaches_what_double_does(estimator):
    random = np.random.default_rng(3)
    y = random.integers(3, size=1500)
    X = random.standard_normal((1500, 2)) + y[:, None]
    rough, fine = (
        estimator(gamma=0.5, solver=wm.JointDecomposition(precision=precision)).fit(X, y)
        for precision in ("single", "double")
    )
    assert rough.status_ is fine.status_ is Status.OPTIMAL
    assert rough.kkt_violation_ <= 1e-3
    assert rough.dual_objective_ <= fine.primal_objective_ and fine.dual_objective_ <= rough.primal_objective_


def test_constant_probabilities():
    """With p = (.4, .35, .25) everywhere only one of these losses names the most probable class."""
    X, y = np.zeros((200, 1)), np.repeat([0, 1, 2], [80, 70, 50])
    options = {"C": 1e3, "kernel": lambda A, B: np.ones((len(A), len(B))), "tol": 1e-6}
    joint = wm.LeeLinWahba(**options).fit(X, y).decision_function(X[:1])
    np.testing.assert_allclose(joint, [[1, -0.5, -0.5]], atol=1e-3)
    for k, share in enumerate([0.4, 0.35, 0.25]):
        one = np.where(y == k, 1, -1)
        hinge = wm.SVC(**options, fit_intercept=False).fit(X, one).decision_function(X[:1])
        square = wm.RLSClassifier(kernel=options["kernel"], lam=1e-6, bias="none").fit(X, one)
        assert hinge[0] == pytest.approx(-1, abs=1e-3)
        assert square.decision_function(X[:1])[0] == pytest.approx(2 * share - 1, abs=1e-3)
