"""Restricted machines, balls, chunks and pruning: the statements of the thesis (sections 3.7, 3.8 and 5)."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.metrics import accuracy_score, r2_score

import widemargin as wm
from reference import leave_one_out as retraining
from reference import qp
from widemargin import losses
from widemargin.least_squares import Frame, LeastSquares

seeds = st.integers(0, 10_000)
KERNEL = wm.Gaussian(0.5)


def sample(n=60, seed=0):
    random = np.random.default_rng(seed)
    X = random.standard_normal((n, 2))
    y = np.where(X[:, 0] + X[:, 1] ** 2 + 0.5 * random.standard_normal(n) > 0.8, 1.0, -1.0)
    return X, y


# Restricted basis


def restricted_program(X, y, centres, C):
    """min C sum xi + 1/2 c'K_mm c  s.t.  y (K_nm c + b) >= 1 - xi, xi >= 0; (c, b, value) by the judge."""
    K, n, m = KERNEL.gram(X), len(X), len(centres)
    P = np.zeros((m + 1 + n, m + 1 + n))
    P[:m, :m] = K[np.ix_(centres, centres)]
    q = np.r_[np.zeros(m + 1), np.full(n, C)]
    margins = -y[:, None] * np.c_[K[:, centres], np.ones(n)]
    A = np.block([[margins, -np.eye(n)], [np.zeros((n, m + 1)), -np.eye(n)]])
    x, value = qp.minimise(P, q, sp.csc_array(A), np.r_[-np.ones(n), np.zeros(n)], 0)
    return x[:m], x[m], value


@pytest.mark.parametrize("C", [0.3, 10.0])
def test_the_restricted_machine_is_the_optimum_of_its_primal_problem_R13(C):
    X, y = sample()
    centres = np.arange(0, 60, 7)
    machine = wm.RestrictedSVC(centres, kernel=KERNEL, C=C, tol=1e-8).fit(X, y)
    c, b, value = restricted_program(X, y, centres, C)
    assert machine.primal_objective_ == pytest.approx(value, rel=1e-6)
    assert machine.dual_objective_ == pytest.approx(value, rel=1e-6)
    grid = np.random.default_rng(1).standard_normal((100, 2))
    judged = KERNEL.gram(grid, X[centres]) @ c + b
    np.testing.assert_allclose(machine.decision_function(grid), judged, atol=1e-4)


def test_with_all_points_as_centres_it_is_the_ordinary_machine_R13():
    X, y = sample()
    ordinary = wm.SVC(kernel=KERNEL, C=3.0, tol=1e-9).fit(X, y)
    machine = wm.RestrictedSVC(1.0, kernel=KERNEL, C=3.0, tol=1e-9).fit(X, y)
    np.testing.assert_allclose(machine.decision_function(X), ordinary.decision_function(X), atol=1e-6)
    assert machine.dual_objective_ == pytest.approx(ordinary.dual_objective_, rel=1e-7)


@given(seeds)
@settings(max_examples=10)
def test_more_centres_never_have_a_larger_objective_R18(seed):
    X, y = sample(seed=seed)
    order = np.random.default_rng(seed).permutation(60)
    values = [
        wm.RestrictedSVC(order[:m], kernel=KERNEL, C=2.0, tol=1e-8).fit(X, y).primal_objective_
        for m in (2, 8, 20, 60)
    ]
    assert (np.diff(values) <= 1e-6 * values[0]).all()


def test_multipliers_with_the_exact_kernel_are_another_machine():
    """The lesson of section 3.7: c = R^-1 w are not the multipliers of the dual."""
    X, y = sample()
    machine = wm.RestrictedSVC(np.arange(5), kernel=KERNEL, C=2.0, tol=1e-8).fit(X, y)
    K_nm, K_mm = KERNEL.gram(X, X[:5]), KERNEL.gram(X[:5])
    low_rank = wm.SVC(kernel="precomputed", C=2.0, tol=1e-8)
    low_rank.fit(K_nm @ np.linalg.solve(K_mm, K_nm.T), y)
    recovered = np.linalg.solve(K_mm, K_nm.T[:, low_rank.support_] @ low_rank.dual_coef_[0])
    np.testing.assert_allclose(machine.dual_coef_[0], recovered, atol=1e-4)
    mixed = KERNEL.gram(X, X[low_rank.support_]) @ low_rank.dual_coef_[0]
    assert np.abs(mixed - K_nm @ recovered).max() > 0.1


# Balls

LOSSES = ["hinge", "squared_hinge", "square", "logistic", "epsilon_insensitive"]


@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
@pytest.mark.parametrize("loss", LOSSES)
def test_a_tikhonov_machine_is_the_ivanov_machine_of_its_norm(loss, bias):
    X, y = sample()
    tikhonov = wm.TikhonovEstimator(loss, KERNEL, 0.03, bias=bias, tol=1e-9).fit(X, y)
    ivanov = wm.IvanovEstimator(loss, KERNEL, tikhonov.norm_, bias=bias, tol=1e-7).fit(X, y)
    assert ivanov.active_
    assert ivanov.regularization_.lam == ivanov.lam_
    assert ivanov.norm_ == pytest.approx(tikhonov.norm_, rel=1e-6)
    assert ivanov.lam_ == pytest.approx(0.03, rel=1e-3)
    assert ivanov.risk_ == pytest.approx(tikhonov.risk_, rel=1e-4)
    np.testing.assert_allclose(ivanov.decision_function(X), tikhonov.decision_function(X), atol=1e-3)


@pytest.mark.parametrize("loss", LOSSES)
def test_the_norm_falls_and_the_risk_rises_with_lam(loss):
    X, y = sample()
    machines = [wm.TikhonovEstimator(loss, KERNEL, lam, tol=1e-8).fit(X, y) for lam in np.logspace(-3, 2, 11)]
    assert (np.diff([each.norm_ for each in machines]) < 0).all()
    assert (np.diff([each.risk_ for each in machines]) >= -1e-9).all()


@pytest.mark.parametrize("loss", LOSSES)
def test_the_constraint_holds_and_a_larger_ball_has_less_risk(loss):
    X, y = sample()
    radii = [0.1, 0.5, 2.0, 4.0]
    machines = [wm.IvanovEstimator(loss, KERNEL, radius).fit(X, y) for radius in radii]
    for radius, machine in zip(radii, machines, strict=True):
        f = wm.Expansion(KERNEL, machine.support_vectors_, machine.dual_coef_.T, np.zeros(1))
        assert machine.norm_ == pytest.approx(f.norm()[0], rel=1e-9)
        assert machine.norm_ <= radius
        assert machine.norm_ == pytest.approx(radius, rel=1e-4)
        assert 0 <= machine.gap_ <= 1e-6
    assert (np.diff([machine.risk_ for machine in machines]) < 0).all()
    assert (np.diff([machine.lam_ for machine in machines]) < 0).all()


@pytest.mark.parametrize("bias", ["none", "free", "penalised"])
@pytest.mark.parametrize("n", [60, 600])  # all eigenvectors, and features of low rank
def test_one_decomposition_knows_risk_and_norm_for_every_lam(bias, n):
    random = np.random.default_rng(0)
    X = random.uniform(-2, 2, (n, 1))
    y, w = np.sin(3 * X[:, 0]) + 0.3 * random.standard_normal(n), random.uniform(0.5, 2.0, n)
    wide = KERNEL + 1.0 if bias == "penalised" else KERNEL
    frame, rows = Frame(w, "free" if bias == "free" else "none"), np.arange(n, dtype=np.int32)
    curve = LeastSquares(wide.bind(X), rows, frame).curve(y[:, None])
    assert curve.values.size < n  # those that are rounding play no part
    for lam in (1e-5, 1e-2, 1.0):
        machine = wm.TikhonovEstimator("square", KERNEL, lam, bias=bias).fit(X, y, sample_weight=w)
        assert curve.risk(machine.regularization_.ridge) == pytest.approx(machine.risk_, rel=1e-7)
        assert curve.norm(machine.regularization_.ridge) == pytest.approx(machine.norm_, rel=1e-7)


def test_a_ball_of_least_squares_takes_one_fit(monkeypatch):
    X, y = sample()
    fits, fit = [], LeastSquares.fit
    monkeypatch.setattr(LeastSquares, "fit", lambda *a, **b: fits.append(a) or fit(*a, **b))
    machine = wm.IvanovEstimator("square", KERNEL, 2.0).fit(X, y)
    assert len(fits) == 1 < machine.n_fits_
    monkeypatch.setattr(LeastSquares, "curve", lambda self, Y: None)
    one_by_one = wm.IvanovEstimator("square", KERNEL, 2.0).fit(X, y)
    assert len(fits) == 1 + one_by_one.n_fits_
    assert machine.lam_ == pytest.approx(one_by_one.lam_, rel=1e-5)


@given(seeds)
@settings(max_examples=10)
def test_no_function_in_the_ball_has_less_risk_than_the_gap_allows(seed):
    X, y = sample(seed=seed)
    random, radius = np.random.default_rng(seed), 1.5
    machine = wm.IvanovEstimator("hinge", KERNEL, radius).fit(X, y)
    K, c = KERNEL.gram(X), np.zeros(60)
    c[machine.support_] = machine.dual_coef_[0]
    for size in (1e-3, 0.1, 10.0):
        other = c + size * np.abs(c).max() * random.standard_normal(60)
        other *= min(1.0, radius / np.sqrt(other @ K @ other))
        risk = losses.Hinge().value(K @ other, y).mean()
        assert risk >= machine.risk_ - machine.gap_ - 1e-9


@pytest.mark.parametrize("loss", ["hinge", "square"])
def test_a_ball_larger_than_need_be_is_said_to_be_no_constraint(loss):
    X, y = np.array([[-2.0], [-1.0], [1.0], [2.0]]), np.array([-1.0, -1.0, 1.0, 1.0])
    machine = wm.IvanovEstimator(loss, "linear", radius=50.0).fit(X, y)
    assert not machine.active_
    assert machine.lam_ == 0
    assert 0 < machine.regularization_.lam < 1e-3
    unconstrained = 1.0 if loss == "hinge" else (X[:, 0] @ y) / (X[:, 0] @ X[:, 0])
    assert machine.norm_ == pytest.approx(unconstrained, rel=1e-3)


@pytest.mark.parametrize("n", [10, 100, 300])
def test_ivanov_regularisation_is_not_stable_and_tikhonov_is(n):
    """Lines through the origin: of n points one moves from (1, 0) to (1, 1), and the slope from 0 to 1."""
    X = np.zeros((n, 1))
    X[0] = 1.0
    flat, steep = np.zeros(n), np.r_[1.0, np.zeros(n - 1)]
    slopes = [
        wm.IvanovEstimator("square", "linear", 1.0, tol=1e-5).fit(X, y).decision_function([[1.0]])[0]
        for y in (flat, steep)
    ]
    assert slopes == pytest.approx([0.0, 1.0], abs=1e-3)
    lam = 0.1
    tikhonov = wm.TikhonovEstimator("square", "linear", lam).fit(X, steep)
    assert tikhonov.decision_function([[1.0]])[0] == pytest.approx(1 / (1 + lam * n))


# Chunks


def test_chunks_are_disjoint_cover_all_points_and_have_their_share_of_each_class():
    X, y = sample(120)
    bag = wm.ChunkBagging(wm.SVC(kernel=KERNEL), n_chunks=4, random_state=0).fit(X, y)
    np.testing.assert_array_equal(np.sort(np.concatenate(bag.chunks_)), np.arange(120))
    positive = [(y[chunk] > 0).sum() for chunk in bag.chunks_]
    assert max(positive) - min(positive) <= 1
    values = np.mean([machine.decision_function(X) for machine in bag.estimators_], axis=0)
    np.testing.assert_allclose(bag.decision_function(X), values)
    np.testing.assert_array_equal(bag.predict(X), np.where(values >= 0, 1.0, -1.0))


def test_a_point_changes_the_mean_by_its_chunks_share_only():
    X, y = sample(120)
    moved = y.copy()
    moved[17] *= -1
    bags = [
        wm.ChunkBagging(wm.RLSRegressor(kernel=KERNEL, lam=1e-3), n_chunks=6, random_state=0).fit(X, targets)
        for targets in (y, moved)
    ]
    changes = [
        np.abs(one.predict(X) - other.predict(X))
        for one, other in zip(bags[0].estimators_, bags[1].estimators_, strict=True)
    ]
    assert sum(change.max() > 0 for change in changes) == 1
    np.testing.assert_allclose(np.abs(bags[0].predict(X) - bags[1].predict(X)), sum(changes) / 6, atol=1e-12)


def test_one_chunk_is_the_machine_itself():
    X, y = sample()
    bag = wm.ChunkBagging(wm.SVC(kernel=KERNEL), n_chunks=1).fit(X, y)
    np.testing.assert_array_equal(
        bag.decision_function(X), wm.SVC(kernel=KERNEL).fit(X, y).decision_function(X)
    )


# Pruning


def judged_by_retraining(machine, X, y, kept):
    """Predictions for all points: kept ones by machines without them, others by the machine of the kept."""
    predictions = np.empty_like(y)
    _, predictions[kept] = retraining.retrained(machine, X[kept], y[kept])
    predictions[~kept] = machine.fit(X[kept], y[kept]).predict(X[~kept])
    return predictions


def test_the_error_of_pruned_support_vectors_is_that_of_retraining():
    X, y = sample(40)
    pruned = wm.Pruned(wm.SVC(kernel=KERNEL, C=2.0), share=0.1, tolerance=0.9).fit(X, y)
    assert len(pruned.sizes_) > 1
    kept = np.zeros(40, dtype=bool)
    first = wm.SVC(kernel=KERNEL, C=2.0).fit(X, y)
    coefficients = np.abs(first.dual_coef_[0])
    drop = int(np.ceil(0.1 * coefficients.size))
    kept[first.support_[np.argsort(coefficients, kind="stable")[drop:]]] = True
    predictions = judged_by_retraining(wm.SVC(kernel=KERNEL, C=2.0), X, y, kept)
    assert pruned.errors_[1] == pytest.approx(1 - accuracy_score(y, predictions))


def test_the_error_of_pruned_least_squares_is_that_of_retraining():
    X, _ = sample(30)
    target = np.sin(2 * X[:, 0])
    pruned = wm.Pruned(wm.RLSRegressor(kernel=KERNEL, lam=1e-3), share=0.3, tolerance=0.5).fit(X, target)
    assert len(pruned.sizes_) > 1
    first = wm.RLSRegressor(kernel=KERNEL, lam=1e-3).fit(X, target)
    kept = np.ones(30, dtype=bool)
    kept[np.argsort(np.abs(first.dual_coef_[0]))[:9]] = False  # the best fitted ones, as the spec warns
    K, predictions = KERNEL.gram(X), np.empty(30)
    for i in range(30):
        others = kept & (np.arange(30) != i)
        ridge = 1e-3 * kept.sum()  # leave-one-out keeps the ridge, not lam
        c = np.linalg.solve(K[np.ix_(others, others)] + ridge * np.eye(others.sum()), target[others])
        predictions[i] = K[i, others] @ c
    assert pruned.errors_[1] == pytest.approx(1 - r2_score(target, predictions), rel=1e-6)


@pytest.mark.parametrize(
    ("machine", "validation"),
    [
        (wm.SVC(kernel=KERNEL), 0.3),
        (wm.RLSClassifier(kernel=KERNEL, lam=0.01), 0.3),
        (wm.RLSClassifier(kernel=KERNEL, lam=0.01), None),
    ],
)
def test_pruning_shrinks_a_machine_until_the_error_exceeds_the_tolerance(machine, validation):
    X, y = sample(100)
    pruned = wm.Pruned(machine, share=0.1, tolerance=0.03, validation=validation, random_state=0).fit(X, y)
    assert (np.diff(pruned.sizes_) < 0).all()
    assert (pruned.errors_ <= pruned.errors_[0] + 0.03).all()
    assert pruned.sizes_[-1] == len(pruned.estimator_.support_)
    assert pruned.sizes_[-1] < pruned.sizes_[0]
    assert pruned.estimator_.kernel_ == KERNEL
