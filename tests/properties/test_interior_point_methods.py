"""What is known of interior-point methods: phase I, steps of Newton, the central path, its certificates."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import linprog

from reference import cases, certificate, qp
from reference.program import written_out
from widemargin.datasets import credit_ratings
from widemargin.kernels import Gaussian, Linear, Polynomial, Precomputed
from widemargin.problems import (
    Problem,
    epsilon_regression,
    nu_classification,
    one_class,
    soft_margin,
    without_bias,
)
from widemargin.solvers import SMO, LogBarrier, Mehrotra, Status, Stop
from widemargin.solvers.interior.history import History
from widemargin.solvers.interior.log_barrier import Barrier
from widemargin.solvers.interior.matrix import DenseMatrix, LowRankMatrix, kernel_matrix
from widemargin.solvers.interior.newton_system import NewtonSystem
from widemargin.solvers.interior.phase_one import inner_start
from widemargin.solvers.interior.point import Point
from widemargin.solvers.interior.program import Program
from widemargin.solvers.interior.run import Run
from widemargin.solvers.interior.watch import Watch

ACCURATE = LogBarrier(epsilon=1e-10, newton_epsilon=1e-16)


def machine(seed=0, n=40, C=2.0, gamma=0.5):
    X, y, K = cases.classification(seed, n=n, gamma=gamma)
    return soft_margin(y, C), X, y, K


def begun(problem, K):
    """A run that stands at phase I's point, and that point."""
    gram, watch = Precomputed().bind(np.asarray(K, float)), Watch(Stop(), None)
    program = Program.of(problem, gram)
    matrix = kernel_matrix(gram, program.rows, 1, watch.look)
    run = Run(problem, gram, program, matrix, watch, 1e-4, History(0))
    return run, Point.at(program, inner_start(program))


def barrier_value(posed, a, t):
    inside = np.concatenate(
        [(a - posed.lower)[np.isfinite(posed.lower)], (posed.upper - a)[np.isfinite(posed.upper)]]
    )
    return -posed.objective(a) - np.log(inside).sum() / t


def central_path(problem, K, solver, factors):
    """The central points for t = factors, one after the other, and the bias at each."""
    run, point = begun(problem, K)
    points = []
    for t in factors:
        point, _ = solver._centre(run, point, t)
        points.append((point, float(point.nu[0] + run.program.shift[0])))
    return points


# --- phase I --------------------------------------------------------------------------------------


@given(st.integers(1, 30), st.integers(1, 30), st.floats(1e-3, 1e3))
def test_phase_one_of_a_machine_is_strictly_inside_and_balanced(positives, negatives, C):
    y = np.repeat([1.0, -1.0], [positives, negatives])
    _, point = begun(soft_margin(y, C), np.eye(y.size))
    a = y * point.a
    assert (a > 0).all() and (a < C).all()
    assert abs(point.a.sum()) <= 1e-14 * C
    assert a[y > 0] == pytest.approx(C / (2 * positives))
    assert a[y < 0] == pytest.approx(C / (2 * negatives))


@pytest.mark.parametrize("seed", range(8))
def test_phase_one_of_any_boxes_is_as_far_inside_as_the_linear_program_finds(seed):
    random = np.random.default_rng(seed)
    m = 6
    lower = random.uniform(-2, 0.5, m)
    upper = lower + random.uniform(0.1, 3, m)
    start = random.uniform(lower, upper)
    _, point = begun(Problem(np.zeros(m), lower, upper, start), np.eye(m))
    width = upper - lower
    reached = np.minimum(point.a - lower, upper - point.a) / width
    # maximise s subject to lower + s width <= a <= upper - s width, sum of a fixed
    c = np.append(np.zeros(m), -1.0)
    A = np.block([[-np.eye(m), width[:, None]], [np.eye(m), width[:, None]]])
    found = linprog(c, A, np.concatenate([-lower, upper]), [[*np.ones(m), 0.0]], [start.sum()], (None, None))
    assert point.a.sum() == pytest.approx(start.sum(), abs=1e-12)
    assert reached.min() == pytest.approx(-found.fun, abs=1e-9)


@pytest.mark.parametrize(
    "problem",
    [
        without_bias(soft_margin([1, -1, 1], 2.0)),
        nu_classification([1, -1, 1, -1, 1], 0.3),
        one_class(5, 0.4, [1.0, 2.0, 3.0, 1.0, 1.0]),
        epsilon_regression([1.0, 2.0, 5.0], np.inf, 0.1),
        Problem([1.0, 2.0], [-np.inf, 1.0], [3.0, np.inf], [-50.0, 60.0]),
    ],
    ids=["no bias", "nu", "one class", "no upper bounds", "one end each"],
)
def test_phase_one_of_every_machine_is_strictly_inside_and_keeps_the_sums(problem):
    run, point = begun(problem, np.eye(int(problem.rows.max()) + 1))
    program = run.program
    assert (point.a > program.lower).all() and (point.a < program.upper).all()
    assert program.by_group(point.a) == pytest.approx(program.sums, abs=1e-12)


@pytest.mark.parametrize("seed", range(40))
def test_phase_one_finds_the_inside_of_boxes_with_any_infinite_ends(seed):
    random = np.random.default_rng(seed)
    m = int(random.integers(1, 25))
    lower = random.normal(size=m)
    upper = lower + random.uniform(1e-3, 3, m)
    start = random.uniform(lower, upper)
    down, up = random.uniform(size=(2, 1))
    lower = np.where(random.uniform(size=m) < down * (seed % 3 > 0), -np.inf, lower)
    upper = np.where(random.uniform(size=m) < up * (seed % 3 < 2), np.inf, upper)
    run, point = begun(Problem(np.zeros(m), lower, upper, start), np.eye(m))
    program = run.program
    assert (point.a > program.lower).all() and (point.a < program.upper).all()
    assert program.by_group(point.a) == pytest.approx(program.sums, abs=1e-9)


# --- a step of Newton -----------------------------------------------------------------------------


@pytest.mark.parametrize("t", [1.0, 1e3, 1e7])
@pytest.mark.parametrize(
    "problem",
    [
        soft_margin(np.resize([1.0, -1.0, 1.0], 12), 2.0),
        epsilon_regression(np.linspace(-1, 2, 12), 2.0, 0.1),
        nu_classification(np.resize([1.0, -1.0], 12), 0.3),
        without_bias(soft_margin(np.resize([1.0, -1.0], 12), 2.0)),
    ],
    ids=["classification", "regression", "two groups", "no bias"],
)
def test_the_direction_solves_the_bordered_system(problem, t):
    random = np.random.default_rng(3)
    K = cases.random_matrix(random, 12, "full rank")
    posed = written_out(problem, K)
    run, point = begun(problem, K)
    program = run.program
    barrier = Barrier(point, t)
    slope = run.gradient(point.a) + barrier.gradient()
    step, nu = run.system(barrier.curvature()).solve(-slope, np.zeros(program.sums.size))

    H, m, groups = posed.K + np.diag(barrier.curvature()), problem.size, program.sums.size
    E = (program.group[:, None] == np.arange(groups)).astype(float)
    whole = np.linalg.solve(
        np.block([[H, E], [E.T, np.zeros((groups, groups))]]), np.append(-slope, np.zeros(groups))
    )
    assert step == pytest.approx(whole[:m], rel=1e-7, abs=1e-9 * np.abs(whole).max())
    assert nu == pytest.approx(whole[m:], rel=1e-7, abs=1e-9 * np.abs(whole).max())
    assert E.T @ step == pytest.approx(0, abs=1e-12 * max(1, np.abs(step).max()))
    assert slope @ step < 0
    assert step @ H @ step == pytest.approx(-slope @ step, rel=1e-10)


def test_gradient_and_curvature_of_the_barrier_are_derivatives():
    problem, _, _, K = machine(n=8)
    posed, t, h = written_out(problem, K), 7.0, 1e-6
    run, point = begun(problem, K)
    gradient = run.gradient(point.a) + Barrier(point, t).gradient() - run.program.shift[0]
    hessian = posed.K + np.diag(Barrier(point, t).curvature())
    for i, e in enumerate(h * np.eye(8)):
        up, down = (barrier_value(posed, point.a + s * e, t) for s in (1, -1))
        assert gradient[i] == pytest.approx((up - down) / (2 * h), rel=1e-5)
        moved = [point.moved(run.program, s * e) for s in (1, -1)]
        up, down = (run.gradient(each.a) + Barrier(each, t).gradient() for each in moved)
        assert hessian[i] == pytest.approx((up - down) / (2 * h), rel=1e-5, abs=1e-5)


@pytest.mark.parametrize("kind", ["full rank", "rank deficient", "duplicates"])
def test_low_rank_and_dense_systems_agree(kind):
    random = np.random.default_rng(0)
    root = random.standard_normal((60, 5))
    if kind == "duplicates":
        root = root[np.arange(60) // 3]
    K = root @ root.T
    thin = kernel_matrix(Precomputed().bind(K), np.arange(60, dtype=np.int32), 1, lambda: False)
    assert isinstance(thin, LowRankMatrix) and thin.rank == 5
    program = Program.of(soft_margin(np.resize([1.0, -1.0], 60), 1.0), Precomputed().bind(K))
    D = 10 ** random.uniform(-6, 6, 60)
    b, c = random.standard_normal(60), np.zeros(1)
    for matrix in (thin, DenseMatrix(K)):
        x, nu = NewtonSystem(program, matrix, D, lambda: False).solve(b, c)
        assert K @ x + D * x + nu[0] == pytest.approx(b, abs=1e-8)
        assert x.sum() == pytest.approx(0, abs=1e-9 * np.abs(x).max())


# --- the central path -----------------------------------------------------------------------------


@pytest.mark.parametrize("C", [0.5, 10.0])
def test_every_step_stays_inside_and_decreases_the_barrier_function(C, monkeypatch):
    problem, _, _, K = machine(n=30, C=C)
    posed = written_out(problem, K)
    seen = []
    moved = Point.moved

    def watched(self, program, change):
        after = moved(self, program, change)
        seen.append((self, after))
        return after

    monkeypatch.setattr(Point, "moved", watched)
    for t in (1.0, 20.0, 400.0):
        central_path(problem, K, LogBarrier(), [t])
        assert seen
        for before, after in seen:
            assert (after.a > posed.lower).all() and (after.a < posed.upper).all()
            assert (after.below > 0).all() and (after.above > 0).all()
            assert barrier_value(posed, after.a, t) < barrier_value(posed, before.a, t)
        seen.clear()


@pytest.mark.parametrize("seed", range(3))
def test_central_points_carry_the_certificate_m_over_t(seed):
    """u and v are margin surplus and slack, nu is the bias, and primal minus dual is exactly M/t."""
    problem, _, y, K = machine(seed, C=3.0)
    posed, n = written_out(problem, K), y.size
    _, optimum = qp.solve(posed)
    ts = (1.0, 20.0, 400.0)
    for t, (point, bias) in zip(ts, central_path(problem, K, ACCURATE, ts), strict=True):
        M, value = 2 * n, posed.objective(point.a)
        assert optimum - value <= M / t
        outputs = y * (K @ point.a + bias)
        surplus = np.where(y > 0, point.u, point.v)
        slack = np.where(y > 0, point.v, point.u)
        assert outputs == pytest.approx(1 + surplus - slack, abs=1e-6)
        assert (slack >= np.maximum(0, 1 - outputs) - 1e-9).all()
        primal = point.a @ K @ point.a / 2 + 3.0 * slack.sum()
        assert primal - value == pytest.approx(M / t, rel=1e-6)


@pytest.mark.parametrize("mu", [2.0, 5.0, 10.0, 20.0])
def test_the_error_falls_by_the_factor_mu_from_centring_to_centring(mu):
    problem, _, _, K = machine(n=30, C=1.0)
    posed = written_out(problem, K)
    _, optimum = qp.solve(posed)
    ts = 1e3 * mu ** np.arange(4)
    path = central_path(problem, K, ACCURATE, [1.0, 30.0, *ts])[2:]
    errors = [optimum - posed.objective(point.a) for point, _ in path]
    ratios = np.divide(errors[1:], errors[:-1])
    assert ratios == pytest.approx(1 / mu, rel=0.1)
    assert abs(ratios[-1] * mu - 1) < 0.02


def test_the_last_centring_converges_quadratically():
    problem, _, _, K = machine(n=60, C=10.0)
    posed, t = written_out(problem, K), 100.0
    run, point = begun(problem, K)
    trail = []
    run.note = lambda point, *_, **__: trail.append(barrier_value(posed, point.a, t))
    LogBarrier(newton_epsilon=1e-14)._centre(run, point, t)
    errors = np.array(trail[:-1]) - trail[-1]
    errors = errors[errors > 1e-13 * abs(trail[-1])][-3:]
    assert errors[-1] < 0.01 * errors[-2]
    assert errors[-1] <= 10 * errors[-2] ** 2 * t  # the barrier function times t is self-concordant


# --- the end --------------------------------------------------------------------------------------


@pytest.mark.parametrize("solver", [LogBarrier, Mehrotra])
@pytest.mark.parametrize("epsilon", [1e-1, 1e-3, 1e-5, 1e-8])
def test_the_duality_gap_at_return_is_at_most_epsilon(solver, epsilon):
    """Multiplying t before comparing, as printed, returns with a gap up to mu times epsilon."""
    problem, _, _, K = machine(1, n=60, C=10.0)
    posed = written_out(problem, K)
    solution = solver(epsilon).solve(problem, Precomputed().bind(K), stop=Stop(tol=1.0))
    assert solution.duality_gap <= epsilon
    assert certificate.gap(posed, solution.alpha, solution.offsets) <= epsilon * (1 + 1e-9)


def test_the_printed_order_of_the_stopping_test_would_miss_epsilon():
    problem, _, _, K = machine(1, n=60, C=10.0)
    posed = written_out(problem, K)
    _, optimum = qp.solve(posed)
    epsilon, mu, t = 1e-4, 20.0, 1.0
    ts = []
    while 120 / t >= epsilon:  # centre, enlarge t, then compare: the last centring is at t / mu
        ts.append(t)
        t *= mu
    last, _ = central_path(problem, K, ACCURATE, ts)[-1]
    assert optimum - posed.objective(last.a) > epsilon


@pytest.mark.parametrize("T", [100, 300, 1000])
def test_the_number_of_steps_does_not_grow_with_the_data(T):
    sample = credit_ratings(seed=1)
    rows = np.flatnonzero(np.isin(sample.y, (3, 4)))[:T]
    X = (sample.X[rows] - sample.X.min(axis=0)) / np.ptp(sample.X, axis=0)
    y = np.where(sample.y[rows] == 3, 1.0, -1.0)
    solver = LogBarrier()
    solution = solver.solve(soft_margin(y, 10.0), Linear().bind(X), stop=Stop(tol=1e-2))
    assert solution.iterations <= 100
    assert solution.counters["centrings"] == np.ceil(np.log(2 * T / solver.epsilon) / np.log(solver.mu)) + 1


KERNELS = {
    "linear": Linear(),
    "quadratic": Polynomial(degree=2),
    "cubic": Polynomial(degree=3),
    "gaussian": Gaussian(gamma=1.0),
}


@pytest.mark.parametrize("kernel", KERNELS)
@pytest.mark.parametrize("solver", [LogBarrier(1e-7), Mehrotra(1e-7)], ids=["barrier", "mehrotra"])
def test_interior_points_and_pairs_agree(kernel, solver):
    _, X, y, _ = machine(2, n=80)
    gram = KERNELS[kernel].bind(X)
    inside = solver.solve(soft_margin(y, 5.0), gram, stop=Stop(tol=1e-7))
    for selection in ("most-violating-pair", "second-order", "hybrid-maximum-gain"):
        pairs = SMO(selection, finish="newton").solve(soft_margin(y, 5.0), gram, stop=Stop(tol=1e-7))
        assert inside.dual_objective == pytest.approx(pairs.dual_objective, rel=1e-6)
        values = [KERNELS[kernel].gram(X) @ each.alpha + each.offsets for each in (inside, pairs)]
        assert values[0] == pytest.approx(values[1], abs=1e-4)
        assert (np.sign(values[0]) == np.sign(values[1])).mean() > 0.98


@pytest.mark.parametrize("solver", [LogBarrier(), Mehrotra()], ids=["barrier", "mehrotra"])
def test_the_bias_lies_in_its_interval_and_margins_fit_the_variables(solver):
    problem, _, y, K = machine(4, n=60, C=1.0)
    solution = solver.solve(problem, Precomputed().bind(K), stop=Stop(tol=1e-6))
    free = (solution.alpha > problem.lower) & (solution.alpha < problem.upper)
    assert free.any() and not free.all()
    low, high = solution.offset_intervals[0]
    assert low - 1e-6 <= solution.offsets[0] <= high + 1e-6
    assert solution.offsets[0] == pytest.approx(np.mean((y - K @ solution.alpha)[free]), abs=1e-9)
    margin = y * (K @ solution.alpha + solution.offsets[0])
    assert (margin[solution.alpha == 0] >= 1 - 1e-5).all()
    assert margin[free] == pytest.approx(1, abs=1e-5)
    assert (margin[np.abs(solution.alpha) == 1.0] <= 1 + 1e-5).all()


def test_the_multiplier_of_the_sum_approaches_the_bias():
    problem, _, _, K = machine(4, n=40, C=1.0)
    solution = Mehrotra(1e-9).solve(problem, Precomputed().bind(K), stop=Stop(tol=1e-9))
    biases = [bias for _, bias in central_path(problem, K, ACCURATE, (1.0, 1e2, 1e4, 1e6))]
    distances = np.abs(np.array(biases) - solution.offsets[0])
    assert (np.diff(distances) < 0).all() and distances[-1] < 1e-4


@given(st.integers(0, 1000))
def test_weak_duality(seed):
    """No function has a primal value below the dual value of any feasible point."""
    random = np.random.default_rng(seed)
    X, y, _ = cases.classification(seed, n=12)
    problem, C = soft_margin(y, 2.0), 2.0
    posed = written_out(problem, X @ X.T)
    alpha = cases.random_feasible(random, posed)
    w, b = random.standard_normal(2), random.standard_normal()
    primal = w @ w / 2 + C * np.maximum(0, 1 - y * (X @ w + b)).sum()
    assert posed.objective(alpha) <= primal + 1e-9
    assert posed.objective(alpha) <= 2 * C * min((y > 0).sum(), (y < 0).sum()) + 1e-9


@pytest.mark.parametrize("seed", range(20))
@pytest.mark.parametrize("kind", cases.KINDS)
@pytest.mark.parametrize("solver", [LogBarrier(), Mehrotra()], ids=["barrier", "mehrotra"])
def test_random_programs_are_solved_whatever_their_rank(solver, kind, seed):
    posed = cases.random_program(seed, m=(1, 2, 3, 8, 25)[seed % 5], kind=kind)
    problem = Problem(posed.linear, posed.lower, posed.upper, posed.start)
    solution = solver.solve(problem, Precomputed().bind(posed.K), stop=Stop(tol=1e-6))
    _, value = qp.solve(posed)
    assert solution.status is Status.OPTIMAL
    assert certificate.violation(posed, solution.alpha) <= 1.001e-6
    assert solution.dual_objective == pytest.approx(value, rel=1e-7, abs=1e-7)
    assert (solution.alpha >= posed.lower).all() and (solution.alpha <= posed.upper).all()
    assert solution.alpha.sum() == pytest.approx(0, abs=1e-12)


# --- the clipping of pairs, which the study prints with its two cases exchanged ---------------------


@given(st.tuples(st.floats(0, 1), st.floats(0, 1)), st.booleans(), st.booleans(), st.floats(0.1, 10))
def test_the_interval_of_a_pair_is_the_line_within_the_box(shares, first, second, C):
    a1, a2 = np.multiply(shares, C)
    y1, y2 = (1.0 if each else -1.0 for each in (first, second))
    if y1 == y2:
        low, high = max(0.0, a1 + a2 - C), min(C, a1 + a2)
    else:
        low, high = max(0.0, a2 - a1), min(C, C + a2 - a1)
    s = y1 * y2
    grid = np.linspace(0, C, 2001)  # of the second variable; the first follows
    inside = grid[(a1 + s * (a2 - grid) >= -1e-12) & (a1 + s * (a2 - grid) <= C + 1e-12)]
    assert inside.min() == pytest.approx(low, abs=C / 1000) and inside.max() == pytest.approx(
        high, abs=C / 1000
    )


def test_the_printed_interval_never_leaves_zero():
    """From zero the first pair has opposite labels; with the cases exchanged it has no room at all."""
    a1 = a2 = 0.0
    exchanged = max(0.0, a1 + a2 - 5.0), min(5.0, a1 + a2)
    assert exchanged == (0.0, 0.0)
    problem, _, _, K = machine(n=20, C=5.0)
    trace = SMO("most-violating-pair", trace=1).solve(problem, Precomputed().bind(K)).trace
    assert (np.diff(trace["objective"]) >= -1e-12).all() and trace["objective"][0] > 0
