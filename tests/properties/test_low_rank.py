"""Machines at a few centres: three ways to say the same, exact leave-one-out, streams that change nothing."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

import widemargin as wm
from reference import ridge as reference
from widemargin.least_squares import (
    Basis,
    GivenCentres,
    GreedyCentres,
    LeverageCentres,
    PivotedCentres,
    RandomCentres,
    captured_trace,
    pivots_among,
)

BIASES = ["none", "free", "penalised"]
RULES = [RandomCentres, PivotedCentres, GreedyCentres, LeverageCentres]
KERNEL = wm.Gaussian(0.5)
N, M, RIDGE = 60, 12, 0.3


def problem(seed=0, n=N, d=3, outputs=2, weighted=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    Y = np.sin(X[:, :1] * np.arange(1, outputs + 1)) + 0.2 * random.normal(size=(n, outputs)) + 0.5
    weight = random.choice([0.0, 0.4, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    return X, Y, weight


def nystrom(X, Z):
    """K_nm K_mm^-1 K_mn, the obvious way."""
    K = KERNEL.gram(X, Z)
    return K @ np.linalg.solve(KERNEL.gram(Z), K.T)


def machine(weight, **parameters):
    settings = {"kernel": KERNEL, "lam": RIDGE / weight.sum(), "tol": 1e-13, "centres": M} | parameters
    return wm.RLSRegressor(**settings)


def in_chunks(*arrays, size=17):
    return lambda: (
        tuple(array[begin : begin + size] for array in arrays) for begin in range(0, len(arrays[-1]), size)
    )


@pytest.mark.parametrize("approximation", ["rectangle", "nystrom"])
def test_rectangle_solves_its_system_and_is_nystrom_used_consistently(approximation):
    X, Y, weight = problem()
    fitted = machine(weight, approximation=approximation).fit(X, Y)
    Z, new = fitted.support_vectors_, problem(1)[0]
    K, corner = KERNEL.gram(X, Z), KERNEL.gram(Z)
    np.testing.assert_allclose((K.T @ K + RIDGE * corner) @ fitted.dual_coef_.T, K.T @ Y, atol=1e-8)
    u = np.linalg.solve(nystrom(X, Z) + RIDGE * np.eye(N), Y)
    np.testing.assert_allclose(fitted.dual_coef_.T, np.linalg.solve(corner, K.T @ u), atol=1e-8)
    consistent = KERNEL.gram(new, Z) @ np.linalg.solve(corner, K.T @ u)
    np.testing.assert_allclose(fitted.predict(new), consistent, atol=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("solver", ["cholesky", "eigen", "cg"])
def test_every_solver_gives_the_machine_of_the_approximate_kernel(solver, bias, weighted):
    X, Y, weight = problem(weighted=weighted)
    fitted = machine(weight, bias=bias, solver=solver).fit(X, Y, sample_weight=weight)
    K = nystrom(X, fitted.support_vectors_)
    c, b = reference.fit(K, Y, weight, RIDGE, bias)
    np.testing.assert_allclose(fitted.predict(X), K @ c + b, atol=1e-8)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-8)
    assert fitted.solver_ == solver


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("streamed", [False, True])
def test_leave_one_out_with_kept_centres_equals_training_without_each_point(streamed, bias, weighted):
    X, Y, weight = problem(1, weighted=weighted)
    fitted = machine(weight, bias=bias)
    if streamed:
        fitted.fit_chunks(in_chunks(X, Y, weight))
    else:
        fitted.fit(X, Y, sample_weight=weight)
    K = nystrom(X, fitted.support_vectors_)
    expected = reference.leave_one_out(K, Y, weight, RIDGE, bias)
    np.testing.assert_allclose(fitted.loo_predictions_, expected, atol=1e-8)
    np.testing.assert_allclose(fitted.loo_residuals_, Y - expected, atol=1e-8)
    assert fitted.gcv_ == pytest.approx(reference.gcv(K, Y, weight, RIDGE, bias), rel=1e-7)
    assert fitted.loo_error_ == pytest.approx((weight @ (Y - expected) ** 2).mean() / weight.sum(), rel=1e-8)


@pytest.mark.parametrize("lam", [1e-3, "loo"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("form", [np.asarray, sp.csr_array])
def test_a_stream_gives_what_memory_does(form, bias, lam):
    X, Y, weight = problem(2, n=200, weighted=True)
    here = wm.RLSRegressor(gamma="scale", centres=M, bias=bias, lam=lam).fit(X, Y, sample_weight=weight)
    there = wm.RLSRegressor(gamma="scale", centres=here.support_, bias=bias, lam=lam)
    there.fit_chunks(lambda: ((form(x), y, w) for x, y, w in in_chunks(X, Y, weight)()))
    np.testing.assert_allclose(there.predict(X), here.predict(X), atol=1e-8)
    np.testing.assert_allclose(there.loo_predictions_, here.loo_predictions_, atol=1e-8)
    assert there.lam_ == pytest.approx(here.lam_)
    assert there.kernel_.gamma == pytest.approx(here.kernel_.gamma)
    np.testing.assert_array_equal(there.support_, here.support_)
    if lam == "loo":
        assert there.loo_path_.min() == pytest.approx(here.loo_path_.min(), rel=1e-9)
        assert there.loo_path_.min() == pytest.approx(there.loo_error_, rel=1e-9)


@pytest.mark.parametrize("class_weight", [None, "balanced"])
@pytest.mark.parametrize("classes", [2, 3])
def test_a_stream_of_classes_gives_what_memory_does(classes, class_weight):
    X, Y, _ = problem(3, n=150)
    y = np.array(["a", "bb", "ccc"])[np.digitize(Y[:, 0], [0.2, 0.8][: classes - 1])]
    order = np.argsort(y)  # no chunk has all classes
    X, y = X[order], y[order]
    settings = {"class_weight": class_weight, "gamma": 0.3}
    here = wm.RLSClassifier(centres=M, **settings).fit(X, y)
    there = wm.RLSClassifier(centres=here.support_, **settings).fit_chunks(in_chunks(X, y))
    np.testing.assert_allclose(there.decision_function(X), here.decision_function(X), atol=1e-8)
    np.testing.assert_array_equal(there.loo_predictions_, here.loo_predictions_)
    assert there.loo_error_ == pytest.approx(here.loo_error_)
    assert there.lam_ == pytest.approx(here.lam_)


def test_blocks_of_a_memory_map_give_what_memory_does(tmp_path):
    X, Y, _ = problem(4, n=9000, outputs=1)
    np.save(tmp_path / "X.npy", X)
    mapped = np.load(tmp_path / "X.npy", mmap_mode="r")
    here = wm.RLSRegressor(gamma="scale", centres=30).fit(X, Y)
    there = wm.RLSRegressor(gamma="scale", centres=30, cache_size=1, leave_one_out=True).fit(mapped, Y)
    np.testing.assert_allclose(there.predict(X[:100]), here.predict(X[:100]), atol=1e-8)
    np.testing.assert_allclose(there.loo_predictions_, here.loo_predictions_, atol=1e-8)


@pytest.mark.parametrize("Machine", [wm.RLSRegressor, wm.RLSClassifier])
def test_leave_one_out_is_there_wherever_it_chose_lam(Machine, monkeypatch):
    X, Y, _ = problem(4, n=300, outputs=1)
    y = Y[:, 0] if Machine is wm.RLSRegressor else Y[:, 0] > 0.5
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.LEAVE_ONE_OUT_SIZE", 50)
    here = Machine(centres=M).fit(X, y)
    chunks = Machine(centres=here.support_, gamma=here.kernel_.gamma).fit_chunks(in_chunks(X, y))
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.FEATURE_BYTES", 2**40)
    blocks = Machine(centres=M).fit(X, y)
    for machine in (chunks, blocks):
        assert machine.lam_ == pytest.approx(here.lam_, rel=1e-6)
        assert machine.loo_error_ == pytest.approx(here.loo_error_, rel=1e-9)
        assert machine.gcv_ == pytest.approx(here.gcv_, rel=1e-6)
        np.testing.assert_allclose(machine.loo_predictions_, here.loo_predictions_, atol=1e-7)


@pytest.mark.parametrize("lam", [1e-3, "loo"])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("centres", [None, M])
def test_a_price_on_coefficients_is_ridge_regression_on_kernel_values(centres, bias, lam):
    X, Y, weight = problem(5, weighted=True)
    fitted = machine(weight, regularizer="coefficients", centres=centres, bias=bias, lam=lam)
    fitted.fit(X, Y, sample_weight=weight)
    assert fitted.support_.size == (M if centres else np.count_nonzero(weight))
    F = KERNEL.gram(X, X[fitted.support_])
    z, b = reference.fit(F @ F.T, Y, weight, fitted.ridge_, bias)
    np.testing.assert_allclose(fitted.dual_coef_, (F.T @ z).T, atol=1e-7)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-7)
    np.testing.assert_allclose(fitted.predict(X), F @ F.T @ z + b, atol=1e-8)
    expected = reference.leave_one_out(F @ F.T, Y, weight, fitted.ridge_, bias)
    np.testing.assert_allclose(fitted.loo_predictions_, expected, atol=1e-7)


def test_the_proximal_system_is_that_of_the_squared_kernel_matrix():
    X, Y, weight = problem(6)
    fitted = machine(weight, regularizer="coefficients", centres=None).fit(X, Y)
    K = KERNEL.gram(X)
    np.testing.assert_allclose((K @ K + RIDGE * np.eye(N)) @ fitted.dual_coef_.T, K @ Y, atol=1e-8)
    chunks = machine(weight, regularizer="coefficients", centres=M).fit_chunks(in_chunks(X, Y))
    memory = machine(weight, regularizer="coefficients", centres=chunks.support_).fit(X, Y)
    np.testing.assert_allclose(chunks.predict(X), memory.predict(X), atol=1e-9)
    y = Y[:, 0] > 0.5
    classes = wm.RLSClassifier(regularizer="coefficients", lam=RIDGE / N, kernel=KERNEL).fit(X, y)
    c = np.linalg.solve(K @ K + RIDGE * np.eye(N), K @ np.where(y, 1.0, -1.0))
    np.testing.assert_allclose(classes.decision_function(X), K @ c, atol=1e-8)


def test_with_all_points_for_centres_every_approximation_is_the_full_machine():
    X, Y, weight = problem(n=25)
    full = machine(weight, centres=None).fit(X, Y).predict(X)
    for approximation in ("rectangle", "nystrom", "subset"):
        fitted = machine(weight, centres=25, approximation=approximation).fit(X, Y)
        np.testing.assert_allclose(fitted.predict(X), full, atol=1e-7)


def test_the_subset_is_the_machine_of_the_centres_alone():
    X, Y, _ = problem()
    subset = wm.RLSRegressor(kernel=KERNEL, lam=0.01, centres=M, approximation="subset").fit(X, Y)
    alone = wm.RLSRegressor(kernel=KERNEL, lam=0.01).fit(X[subset.support_], Y[subset.support_])
    np.testing.assert_allclose(subset.predict(X), alone.predict(X), atol=1e-10)
    others = np.setdiff1d(np.arange(N), subset.support_)
    np.testing.assert_allclose(subset.loo_predictions_[others], subset.predict(X[others]), atol=1e-12)
    np.testing.assert_allclose(subset.loo_predictions_[subset.support_], alone.loo_predictions_, atol=1e-10)


def test_the_objective_of_the_rectangle_falls_along_nested_centres_to_the_full_one():
    X, Y, weight = problem()
    K = KERNEL.gram(X)

    def objective(centres):
        fitted = machine(weight, centres=centres).fit(X, Y)
        c = np.zeros_like(Y)
        c[fitted.support_] = fitted.dual_coef_.T
        return reference.objective(K, Y, weight, RIDGE, c, 0.0)

    values = [objective(list(range(m))) for m in (5, 10, 20, 40)]
    assert values == sorted(values, reverse=True)
    c, b = reference.fit(K, Y, weight, RIDGE, "none")
    assert values[-1] >= reference.objective(K, Y, weight, RIDGE, c, b) - 1e-9


@pytest.mark.parametrize("Rule", RULES)
def test_centres_are_distinct_samples_of_positive_weight(Rule):
    X, Y, weight = problem(6, weighted=True)
    fitted = machine(weight, centres=Rule(M)).fit(X, Y, sample_weight=weight)
    assert np.unique(fitted.support_).size == M
    assert (weight[fitted.support_] > 0).all()
    np.testing.assert_array_equal(fitted.support_vectors_, X[fitted.support_])
    streamed = machine(weight, centres=Rule(M)).fit_chunks(in_chunks(X, Y, weight))
    assert np.unique(streamed.support_).size == M
    assert (weight[streamed.support_] > 0).all()
    np.testing.assert_array_equal(streamed.support_vectors_, X[streamed.support_])


@pytest.mark.parametrize("Rule", RULES)
def test_more_centres_capture_more_of_the_trace(Rule):
    gram, rows = KERNEL.bind(problem(7, n=150)[0]), np.arange(150, dtype=np.int32)
    shares = [captured_trace(gram, Rule(m).choose(gram, rows)) for m in (5, 20, 80)]
    assert 0 < shares[0] < shares[1] < shares[2] < 1


@given(seed=st.integers(0, 10**6))
@settings(max_examples=10, deadline=None)
def test_greedy_centres_capture_more_than_random_ones(seed):
    gram, rows = KERNEL.bind(problem(seed, n=100)[0]), np.arange(100, dtype=np.int32)
    greedy, random = (
        captured_trace(gram, Rule(8).choose(gram, rows)) for Rule in (GreedyCentres, RandomCentres)
    )
    assert greedy > random


def test_pivoted_cholesky_is_nystrom_on_its_pivots():
    X = problem(8)[0]
    gram, rows = KERNEL.bind(X), np.arange(N, dtype=np.int32)
    found = pivots_among(gram, rows, M)
    np.testing.assert_array_equal(PivotedCentres(M).choose(gram, rows), found.pivots)
    expected = nystrom(X, X[found.pivots])
    np.testing.assert_allclose(found.L @ found.L.T, expected, atol=1e-8)
    np.testing.assert_allclose(found.residual, np.diag(KERNEL.gram(X) - expected), atol=1e-8)
    np.testing.assert_allclose(expected[:, found.pivots], KERNEL.gram(X)[:, found.pivots], atol=1e-8)


def test_leverage_prefers_points_that_are_alone():
    X = np.vstack([np.random.default_rng(0).normal(scale=0.01, size=(95, 2)), 5 * np.eye(2), -5 * np.eye(2)])
    gram, rows = KERNEL.bind(X), np.arange(99, dtype=np.int32)
    alone = [
        np.isin(np.arange(95, 99), LeverageCentres(20, seed=s).choose(gram, rows)).sum() for s in range(5)
    ]
    assert np.mean(alone) > 3  # by chance less than one of the four would be chosen


def test_features_of_the_basis_reproduce_the_kernel_between_centres_and_points():
    X = problem(9)[0]
    Z = X[:M]
    basis = Basis(KERNEL.gram(Z))
    A = basis.features(KERNEL.gram(X, Z))
    np.testing.assert_allclose(A @ A[:M].T, KERNEL.gram(X, Z), atol=1e-9)
    v = np.random.default_rng(0).normal(size=(M, 2))
    np.testing.assert_allclose(KERNEL.gram(X, Z) @ basis.coefficients(v), A @ v, atol=1e-8)


def test_a_centre_given_twice_as_a_point_does_no_harm():
    X, Y, weight = problem()
    once = machine(weight, centres=X[:5]).fit(X, Y)
    twice = machine(weight, centres=X[[0, 1, 2, 3, 4, 0]]).fit(X, Y)
    np.testing.assert_allclose(twice.predict(X), once.predict(X), atol=1e-7)
    assert once.support_.size == 0


def test_a_linear_machine_with_enough_centres_is_the_whole_one():
    X, Y, weight = problem()
    some = machine(weight, kernel="linear", centres=10, bias="free").fit(X, Y)
    whole = machine(weight, kernel="linear", centres=None, bias="free").fit(X, Y)
    np.testing.assert_allclose(some.coef_, whole.coef_, atol=1e-6)
    np.testing.assert_allclose(some.predict(X), whole.predict(X), atol=1e-6)


def test_a_precomputed_kernel_has_centres_too():
    X, Y, weight = problem()
    K = KERNEL.gram(X)
    known = machine(weight, kernel="precomputed").fit(K, Y)
    direct = machine(weight).fit(X, Y)
    np.testing.assert_allclose(known.predict(K), direct.predict(X), atol=1e-8)
    np.testing.assert_allclose(known.predict(K[:, known.support_]), direct.predict(X), atol=1e-8)


def test_gamma_is_chosen_with_centres():
    X, Y, _ = problem(n=100, outputs=1)
    chosen = wm.RLSRegressor(centres=20, gamma="loo").fit(X, Y)
    assert chosen.loo_error_ <= wm.RLSRegressor(centres=20).fit(X, Y).loo_error_ + 1e-12


def test_positions_keep_their_order():
    rows = np.array([3, 5, 8, 9], dtype=np.int32)
    np.testing.assert_array_equal(GivenCentres([9, 3]).choose(None, rows), [3, 0])
