"""Geometry of the feasible set and the step along a pair (T-FEAS to T-ZEROSTART)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from reference import cases, certificate, product, qp, smo
from reference.program import program
from widemargin.kernels import Gaussian
from widemargin.problems import soft_margin
from widemargin.solvers import SMO, Status, Stop

seeds = st.integers(0, 10_000)
kinds = st.sampled_from(cases.KINDS)
few = settings(max_examples=30)


@pytest.mark.parametrize("policy", product.POLICIES)
def test_T_FEAS_every_iterate_stays_in_the_box_and_keeps_its_sum(policy):
    for seed, kind in enumerate(cases.KINDS):
        posed = cases.random_program(seed, m=10, kind=kind)
        for max_iter in (1, 2, 3, 5, 8, 13, 50):
            alpha = product.solve(posed, *product.POLICIES[policy], max_iter=max_iter).alpha
            assert abs(alpha.sum()) <= 1e-12 * len(alpha) * max(abs(alpha).max(), 1e-300)
            assert (posed.lower <= alpha).all() and (alpha <= posed.upper).all()


def transport(change):
    """A change that sums to zero as a combination of pair directions: rises matched with falls."""
    change, pieces = change.copy(), []
    while change.max() > 0 and change.min() < 0:
        i, j = int(np.argmax(change)), int(np.argmin(change))
        amount = min(change[i], -change[j])
        pieces.append(((i, j), amount))
        change[i] = 0 if amount == change[i] else change[i] - amount
        change[j] = 0 if amount == -change[j] else change[j] + amount
    return pieces, change


@few
@given(seeds)
def test_T_CONE_differences_of_feasible_points_are_combinations_of_feasible_pair_directions(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, m=9)
    here, there = (cases.random_feasible(random, posed) for _ in range(2))
    pieces, rest = transport(there - here)
    assert abs(rest).max() < 1e-12
    for (i, j), amount in pieces:
        assert amount >= 0 and here[i] < posed.upper[i] and here[j] > posed.lower[j]
    assert np.allclose(here + sum(amount * smo.direction(9, pair) for pair, amount in pieces), there)


@few
@given(seeds)
def test_T_CELLS_a_reversible_direction_stays_in_the_open_face_until_a_bound_is_hit(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, m=6)
    alpha = cases.random_feasible(random, posed)

    def face(point):
        return certificate.up(posed, point).tolist(), certificate.down(posed, point).tolist()

    for i in range(6):
        for j in range(6):
            if i == j:
                continue
            low, high = smo.interval(posed, alpha, (i, j))
            if low < 0 < high:
                assert face(alpha + 0.7 * high * smo.direction(6, (i, j))) == face(alpha)
                assert face(alpha + 0.7 * low * smo.direction(6, (i, j))) == face(alpha)
                assert face(smo.move(posed, alpha, (i, j), high)) != face(alpha)


@few
@given(seeds, st.integers(1, 4))
def test_T_NORMAL_objective_is_quadratic_linear_and_constant_on_the_three_subspaces(seed, rank):
    """Sum 0 splits into positive eigenspaces of K, one direction of its kernel with a slope and the rest."""
    random = np.random.default_rng(seed)
    m = 7
    root = random.standard_normal((m, rank))
    K, y = root @ root.T, random.standard_normal(m)
    basis = np.linalg.qr(np.column_stack([np.ones(m), random.standard_normal((m, m - 1))]))[0][:, 1:]
    values, vectors = np.linalg.eigh(basis.T @ K @ basis)
    V_K, kernel = basis @ vectors[:, values > 1e-9], basis @ vectors[:, values <= 1e-9]
    slope = kernel @ (kernel.T @ y)
    assert np.linalg.norm(slope) > 1e-6  # generic y
    V_L = slope / np.linalg.norm(slope)
    V_Z = kernel - np.outer(V_L, V_L @ kernel)
    posed = program(K, y, np.full(m, -1.0), np.ones(m))
    base = random.standard_normal(m)

    def second_difference(v):
        f = posed.objective
        return f(base + v) - 2 * f(base) + f(base - v)

    assert (np.array([second_difference(v) for v in V_K.T]) < -1e-10).all()
    assert abs(second_difference(V_L)) < 1e-9
    assert abs(posed.objective(base + V_L) - posed.objective(base)) > 1e-7
    for v in V_Z.T:
        assert posed.objective(base + 3 * v) == pytest.approx(posed.objective(base), abs=1e-9)


@few
@given(seeds)
def test_T_NORMAL_two_optima_differ_by_a_direction_in_which_nothing_changes(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, kind="rank deficient")
    first = product.optimum(posed)
    second = product.optimum(posed, start=cases.random_feasible(random, posed))
    difference = first.alpha - second.alpha
    assert np.allclose(posed.K @ difference, 0, atol=1e-8)
    assert posed.linear @ difference == pytest.approx(0, abs=1e-8)


@few
@given(seeds, kinds)
def test_T_KKT_no_violation_means_that_the_judge_finds_no_improvement(seed, kind):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, kind=kind)
    best = qp.solve(posed)[1]
    solution = product.optimum(posed)
    assert solution.kkt_violation <= 1e-11
    assert posed.objective(solution.alpha) == pytest.approx(best, abs=1e-8)
    for _ in range(5):
        point = cases.random_feasible(random, posed)
        improvable = best - posed.objective(point)
        psi = certificate.violation(posed, point)
        assert (psi > 1e-5) or improvable < 1e-4
        assert (improvable < 1e-7) or psi > 0


@few
@given(seeds)
def test_T_KKT_the_product_reports_the_violation_of_the_twin(seed):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed)
    start = cases.random_feasible(random, posed)
    solution = product.solve(posed, start=start, max_iter=0)
    assert np.array_equal(solution.alpha, start)
    assert solution.kkt_violation == pytest.approx(certificate.violation(posed, start), abs=1e-12)
    assert np.allclose(solution.gradient, posed.gradient(start), atol=1e-12)
    assert solution.dual_objective == pytest.approx(posed.objective(start), abs=1e-12)


def pair_program(curvature, slope, lower, upper):
    """Two variables whose pair (0, 1) has the given curvature and slope at 0."""
    k = curvature / 2
    K = np.array([[1 + k, 1.0], [1.0, 1 + k]])
    return program(K, [slope, 0.0], lower, upper)


@pytest.mark.parametrize("curvature", [2.0, 0.3, 1e-3, 0.0])
@pytest.mark.parametrize("slope", [1.0, 0.01, -1.0])
@pytest.mark.parametrize("box", [([-1, -1], [1, 1]), ([0, -0.3], [0.2, 0]), ([-0.1, -0.5], [0.4, 0.05])])
def test_T_STEP_length_maximises_the_objective_on_its_interval(curvature, slope, box):
    posed = pair_program(curvature, slope, *box)
    step = product.one_step(posed, np.zeros(2))
    if step is None:
        assert certificate.violation(posed, np.zeros(2)) <= 1e-13
        return
    i, j = step.pair
    mu = step.length if (i, j) == (0, 1) else -step.length
    low, high = smo.interval(posed, np.zeros(2), (0, 1))
    line = np.linspace(low, high, 2001)
    values = [posed.objective(np.array([t, -t])) for t in line]
    assert low <= mu <= high
    assert posed.objective(np.array([mu, -mu])) >= max(values) - 1e-12


def test_T_STEP_no_slope_and_no_curvature_means_no_step():
    posed = pair_program(0.0, 0.0, [-1, -1], [1, 1])
    solution = product.solve(posed)
    assert solution.iterations == 0 and solution.status is Status.OPTIMAL
    assert smo.smo_step(posed, np.zeros(2), posed.gradient(np.zeros(2)), (0, 1)) == 0


def test_T_STEP_a_linear_direction_without_bound_is_reported_as_unbounded():
    posed = pair_program(0.0, 1.0, [0, -np.inf], [np.inf, 0])
    assert product.solve(posed).status is Status.UNBOUNDED


@few
@given(seeds, st.sampled_from(["full rank", "duplicates"]))
def test_T_CONT_step_and_gain_of_a_pair_are_continuous(seed, kind):
    """Lemmas 4.3 and 4.4, also where the curvature is zero."""
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, m=6, kind=kind, frozen=False)
    here, there = (cases.random_feasible(random, posed) for _ in range(2))
    for pair in [(0, 1), (2, 3), (1, 4)]:
        flat = smo.curvature(posed.Q, pair) == 0
        for value in (gain_at,) if flat else (gain_at, step_at):
            changes = [
                abs(value(posed, here + 0.5**k * (there - here), pair) - value(posed, here, pair))
                for k in range(0, 44, 4)
            ]
            assert changes[-1] < 1e-9


def gain_at(posed, alpha, pair):
    return smo.gain(posed, alpha, posed.gradient(alpha), pair)


def step_at(posed, alpha, pair):
    return smo.smo_step(posed, alpha, posed.gradient(alpha), pair)


@few
@given(seeds)
def test_T_CONT_step_is_piecewise_linear_along_segments(seed):
    """On a fine grid all but a few (the kinks of a clipped line: at most four) second differences vanish."""
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, m=6, frozen=False)
    here, there = (cases.random_feasible(random, posed) for _ in range(2))
    line = [step_at(posed, here + t * (there - here), (0, 1)) for t in np.linspace(0, 1, 201)]
    bends = abs(np.diff(line, 2)) > 1e-12
    assert bends.sum() <= 8


@few
@given(seeds, kinds)
def test_T_GAIN_closed_forms_equal_differences_of_the_objective(seed, kind):
    random = np.random.default_rng(seed)
    posed = cases.random_program(seed, kind=kind)
    alpha = cases.random_feasible(random, posed)
    G = posed.gradient(alpha)
    for i in range(8):
        for j in range(8):
            if not smo.violates(posed, alpha, G, (i, j)):
                continue
            mu = smo.smo_step(posed, alpha, G, (i, j))
            g, newton = smo.gain(posed, alpha, G, (i, j)), smo.newton_gain(posed, alpha, G, (i, j))
            after = posed.objective(alpha + mu * smo.direction(8, (i, j)))
            assert after - posed.objective(alpha) == pytest.approx(g, abs=1e-11)
            assert newton >= g * (1 - 1e-12) and g > 0
            q, p = smo.curvature(posed.Q, (i, j)), smo.slope(G, (i, j))
            low, high = smo.interval(posed, alpha, (i, j))
            if q > 0:
                free = low < p / q < high
                assert (newton == pytest.approx(g, rel=1e-12)) == free or abs(p / q - mu) < 1e-6
                for r in (-0.5, 0.3, 1.0, 1.9, 2.5):
                    assert smo.gain_of(r * p / q, p, q) == pytest.approx((2 * r - r * r) * newton, rel=1e-9)
                    assert (smo.gain_of(r * p / q, p, q) > 0) == (0 < r < 2)


@few
@given(seeds, kinds, st.sampled_from(sorted(product.POLICIES)))
def test_T_GAIN_the_trace_of_the_product_adds_up_by_the_closed_forms(seed, kind, policy):
    posed = cases.random_program(seed, kind=kind)
    solution = product.solve(posed, *product.POLICIES[policy], trace=1)
    steps = product.replay(posed, solution)
    objectives = posed.objective(posed.start) + np.cumsum([step.gain for step in steps])
    assert np.allclose(solution.trace["objective"], objectives, atol=1e-10)
    for step in steps:
        if step.curvature > 0:
            assert step.newton == pytest.approx(step.slope / step.curvature, rel=1e-6, abs=1e-12)
        else:
            assert np.isinf(step.newton)


@pytest.mark.parametrize("policy", product.POLICIES)
def test_T_GRAD_gradient_of_the_solution_is_exact(policy):
    _, y, K = cases.classification(5, n=60)
    posed = program(K, y, np.minimum(0, 50 * y), np.maximum(0, 50 * y))
    solution = product.solve(posed, *product.POLICIES[policy], tol=1e-4, shrinking=True)
    assert solution.exact
    assert np.allclose(solution.gradient, posed.gradient(solution.alpha), rtol=0, atol=1e-10)


@few
@given(seeds, st.sampled_from(["single", "double"]))
def test_T_GRAD_incremental_violation_follows_the_exact_one(seed, precision):
    """The trace holds the violation by the maintained gradient; the replay recomputes it each time."""
    posed = cases.random_program(seed, m=12)
    solution = product.solve(posed, tol=1e-4, trace=1, precision=precision)
    steps = product.replay(posed, solution)
    exact = [certificate.violation(posed, step.alpha) for step in steps[1:]]
    rounding = 1e-13 if precision == "double" else 1e-6
    assert np.allclose(solution.trace["violation"][:-1], exact, rtol=0, atol=rounding * (5 + len(steps)))


def test_T_ZEROSTART_no_kernel_value_is_computed_before_the_first_selection():
    X, y, _ = cases.classification(0, n=50)
    gram = Gaussian(gamma=1.0).bind(X)
    nothing = SMO().solve(soft_margin(y, 1.0), gram, stop=Stop(max_iter=0))
    assert nothing.counters["kernel_evaluations"] == 0
    assert np.array_equal(nothing.gradient, y)
    one = SMO(trace=1).solve(soft_margin(y, 1.0), gram, stop=Stop(max_iter=1))
    assert one.trace["kernel_evaluations"][0] == 2 * 50  # the two rows of the first pair
