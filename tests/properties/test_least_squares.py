"""Regularised least squares: every solver gives the same machine, and leave-one-out equals training again."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone

import widemargin as wm
from reference import ridge as reference
from widemargin.least_squares import (
    Frame,
    choose_solver,
    conjugate_gradient,
    pivots_among,
    search_grid,
    solve_refined,
)

BIASES = ["none", "free", "penalised"]
KERNELS = {
    "linear": wm.Linear(),
    "rbf": wm.Gaussian(0.3),
    "poly": wm.Polynomial(degree=2, gamma=0.5, coef0=1.0),
}


def problem(seed=0, n=30, d=4, outputs=2, weighted=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d))
    Y = np.sin(X[:, :1] * np.arange(1, outputs + 1)) + 0.3 * random.normal(size=(n, outputs)) + 0.5
    weight = random.choice([0.0, 0.4, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    return X, Y, weight


def machine(kernel, weight, ridge=0.2, **parameters):
    return wm.RLSRegressor(kernel=kernel, lam=ridge / weight.sum(), tol=1e-13, **parameters)


def solvers(name):
    return ["cholesky", "eigen", "cg", *(["primal"] if name == "linear" else [])]


CASES = [(name, solver) for name in KERNELS for solver in solvers(name)]


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(("name", "solver"), CASES)
def test_every_solver_solves_the_system(name, solver, bias, weighted):
    X, Y, weight = problem(weighted=weighted)
    K, kept = KERNELS[name].gram(X), weight > 0
    fitted = machine(KERNELS[name], weight, bias=bias, solver=solver).fit(X, Y, sample_weight=weight)
    c, b = reference.fit(K, Y, weight, 0.2, bias)
    np.testing.assert_allclose(fitted.dual_coef_, c[kept].T, atol=1e-8)
    np.testing.assert_allclose(fitted.intercept_, b, atol=1e-8)
    np.testing.assert_allclose(fitted.predict(X), K @ c + b, atol=1e-8)
    assert fitted.ridge_ == pytest.approx(0.2)


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(("name", "solver"), [case for case in CASES if case[1] != "cg"])
def test_leave_one_out_equals_training_without_each_point(name, solver, bias, weighted):
    X, Y, weight = problem(1, weighted=weighted)
    K = KERNELS[name].gram(X)
    fitted = machine(KERNELS[name], weight, bias=bias, solver=solver).fit(X, Y, sample_weight=weight)
    expected = reference.leave_one_out(K, Y, weight, 0.2, bias)
    np.testing.assert_allclose(fitted.loo_predictions_, expected, atol=1e-8)
    np.testing.assert_allclose(fitted.loo_residuals_, Y - expected, atol=1e-8)
    assert fitted.gcv_ == pytest.approx(reference.gcv(K, Y, weight, 0.2, bias), rel=1e-8)


@given(
    seed=st.integers(0, 10**6), n=st.integers(3, 12), log_ridge=st.floats(-4, 3), bias=st.sampled_from(BIASES)
)
@settings(max_examples=60, deadline=None)
def test_leave_one_out_is_exact_on_random_problems(seed, n, log_ridge, bias):
    X, Y, weight = problem(seed, n=n, d=2, outputs=1, weighted=True)
    weight[:3] = 1.0
    K, ridge = wm.Gaussian(0.5).gram(X), 10.0**log_ridge
    fitted = machine(wm.Gaussian(0.5), weight, ridge, bias=bias).fit(X, Y[:, 0], sample_weight=weight)
    expected = reference.leave_one_out(K, Y, weight, ridge, bias)[:, 0]
    np.testing.assert_allclose(fitted.loo_predictions_, expected, rtol=1e-6, atol=1e-8)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("ridge", [1e-9, 1e-12, 1e-300])
@pytest.mark.parametrize("solver", ["cholesky", "eigen"])
def test_leave_one_out_is_exact_for_ridges_below_rounding(solver, ridge):
    X, Y, weight = problem(2, outputs=1)
    K = wm.Gaussian(3.0).gram(X)
    G = np.linalg.inv(K + ridge * np.eye(len(K)))
    fitted = machine(wm.Gaussian(3.0), weight, ridge, solver=solver).fit(X, Y[:, 0])
    np.testing.assert_allclose(fitted.loo_residuals_, G @ Y[:, 0] / np.diag(G), rtol=1e-9, atol=1e-11)


def test_the_printed_formula_with_the_wrong_matrix_is_not_used():
    X, Y, weight = problem(2, outputs=1)
    K = KERNELS["rbf"].gram(X)
    G = np.linalg.inv(K + 0.2 * np.eye(len(K)))
    c = G @ Y[:, 0]
    fitted = machine(KERNELS["rbf"], weight).fit(X, Y[:, 0])
    np.testing.assert_allclose(fitted.loo_residuals_, c / np.diag(G), atol=1e-10)
    printed = (Y[:, 0] - K @ c) / (1 - np.diag(G))
    assert np.abs(fitted.loo_residuals_ - printed).max() > 0.1


def test_residuals_are_the_ridge_times_the_coefficients():
    X, Y, weight = problem(3, outputs=1)
    y = np.sign(Y[:, 0] - 0.5)
    fitted = machine(KERNELS["rbf"], weight).fit(X, y)
    c, f = fitted.dual_coef_[0], fitted.predict(X)
    np.testing.assert_allclose(y - f, 0.2 * c, atol=1e-10)
    np.testing.assert_array_equal(y * f > 1, y * c < 0)


@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_a_held_out_value_lies_between_the_fit_and_the_fit_without_its_own_bump(ridge):
    X, Y, weight = problem(4, outputs=1)
    y = np.sign(Y[:, 0] - 0.5)
    K = KERNELS["poly"].gram(X)
    fitted = machine(KERNELS["poly"], weight, ridge).fit(X, y)
    c, f, left_out = fitted.dual_coef_[0], fitted.predict(X), fitted.loo_predictions_
    ends = np.sort([f, f - c * np.diag(K)], axis=0)
    assert (ends[0] - 1e-9 <= left_out).all() and (left_out <= ends[1] + 1e-9).all()
    assert (np.abs(y - left_out) >= np.abs(y - f) - 1e-12).all()
    flagged = y * f <= np.diag(K) / (np.diag(K) + ridge)
    np.testing.assert_array_equal(flagged, y * (f - c * np.diag(K)) <= 0)
    assert flagged[y * left_out <= 0].all()


def test_the_residual_of_a_point_falls_as_its_weight_rises():
    X, Y, _ = problem(5, outputs=1)
    residuals = []
    for share in np.linspace(0, 1, 21):
        weight = np.ones(len(X))
        weight[7] = share
        fitted = machine(KERNELS["rbf"], weight).fit(X, Y[:, 0], sample_weight=weight)
        residuals.append((Y[7, 0] - fitted.predict(X[7:8])[0]) ** 2)
    assert (np.diff(residuals) <= 1e-12).all()


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("lam", [0.05, "loo"])
def test_weights_are_repetitions_and_zero_is_absence(lam, bias):
    X, Y, _ = problem(6, outputs=1)
    weight = np.random.default_rng(0).integers(0, 4, size=len(X))
    weighted = wm.RLSRegressor(gamma=0.4, lam=lam, bias=bias).fit(X, Y[:, 0], sample_weight=weight)
    repeated = wm.RLSRegressor(gamma=0.4, lam=lam, bias=bias).fit(
        np.repeat(X, weight, axis=0), np.repeat(Y[:, 0], weight)
    )
    np.testing.assert_allclose(weighted.predict(X), repeated.predict(X), atol=1e-8)
    assert weighted.lam_ == pytest.approx(repeated.lam_)
    assert weighted.loo_error_ == pytest.approx(repeated.loo_error_)
    assert weighted.gcv_ == pytest.approx(repeated.gcv_)


@pytest.mark.parametrize("unit", [1e-3, 1e-150, 1e-300])
@pytest.mark.parametrize("centres", [None, 10])
def test_the_unit_of_weights_up_to_one_does_not_matter(centres, unit):
    X, Y, _ = problem(6, outputs=1)
    weight = np.random.default_rng(0).uniform(0.1, 1.0, size=len(X))
    machine = wm.RLSRegressor(gamma=0.4, lam=0.05, centres=centres)
    one, other = (clone(machine).fit(X, Y[:, 0], sample_weight=weight * s) for s in (1.0, unit))
    assert other.loo_error_ == pytest.approx(one.loo_error_, rel=1e-6)
    assert other.gcv_ == pytest.approx(one.gcv_, rel=1e-6)


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("size", [1e-300, 1e150, 1e300])
def test_weights_of_any_size_have_finite_errors(size):
    X, Y, _ = problem(6, outputs=1)
    fitted = wm.RLSRegressor(gamma=0.4).fit(X, Y[:, 0], sample_weight=np.full(len(X), size))
    assert np.isfinite([fitted.lam_, fitted.loo_error_, fitted.gcv_]).all()


def test_gcv_equals_leave_one_out_where_all_leverages_are_equal():
    angles = 2 * np.pi * np.arange(12) / 12
    circle = np.column_stack([np.cos(angles), np.sin(angles)])
    y = np.random.default_rng(0).normal(size=12)
    fitted = wm.RLSRegressor(gamma=1.0, lam=0.01).fit(circle, y)
    assert fitted.gcv_ == pytest.approx(fitted.loo_error_, rel=1e-10)


def test_several_outputs_are_the_machines_of_each():
    X, Y, weight = problem(7, outputs=3, weighted=True)
    together = machine(KERNELS["rbf"], weight, bias="free").fit(X, Y, sample_weight=weight)
    for k in range(3):
        alone = machine(KERNELS["rbf"], weight, bias="free").fit(X, Y[:, k], sample_weight=weight)
        np.testing.assert_allclose(together.predict(X)[:, k], alone.predict(X), atol=1e-12)
        np.testing.assert_allclose(together.loo_predictions_[:, k], alone.loo_predictions_, atol=1e-10)


def test_a_penalised_bias_is_a_constant_feature_and_a_constant_in_the_kernel():
    X, Y, weight = problem(8, outputs=1)
    penalised = machine(wm.Linear(), weight, bias="penalised", solver="cholesky").fit(X, Y[:, 0])
    features = machine(wm.Linear(), weight).fit(np.column_stack([X, np.ones(len(X))]), Y[:, 0])
    constant = machine(wm.Linear() + 1.0, weight).fit(X, Y[:, 0])
    for other, points in ((features, np.column_stack([X, np.ones(len(X))])), (constant, X)):
        np.testing.assert_allclose(penalised.predict(X), other.predict(points), atol=1e-10)
        np.testing.assert_allclose(penalised.loo_predictions_, other.loo_predictions_, atol=1e-10)


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("solver", ["primal", "cg", "cholesky"])
def test_sparse_points_give_what_dense_points_give(solver, bias):
    X, Y, weight = problem(9, n=40, d=15, weighted=True)
    X[np.abs(X) < 0.8] = 0.0
    dense = machine(wm.Linear(), weight, bias=bias, solver="cholesky").fit(X, Y, sample_weight=weight)
    sparse = machine(wm.Linear(), weight, bias=bias, solver=solver)
    sparse.fit(sp.csr_matrix(X), Y, sample_weight=weight)
    np.testing.assert_allclose(sparse.coef_, dense.coef_, atol=1e-8)
    np.testing.assert_allclose(sparse.predict(sp.csr_matrix(X)), dense.predict(X), atol=1e-8)
    if solver == "primal":
        np.testing.assert_allclose(sparse.loo_predictions_, dense.loo_predictions_, atol=1e-8)


def test_conjugate_gradients_fall_in_the_norm_of_the_matrix_and_end_after_the_rank():
    random = np.random.default_rng(0)
    A = random.normal(size=(40, 6))
    M, B = A @ A.T + 0.5 * np.eye(40), random.normal(size=(40, 3))
    exact, errors = np.linalg.solve(M, B), []
    for steps in range(8):
        E = conjugate_gradient(lambda V: M @ V, B, tol=1e-15, max_iter=steps).X - exact
        errors.append(np.einsum("ij,ij->j", E, M @ E))
    assert (np.diff(errors, axis=0) <= 1e-12).all()
    assert np.max(errors[7]) < 1e-16  # six eigenvalues of A A', and that of all others


def test_converged_columns_leave_the_products():
    random = np.random.default_rng(1)
    A = random.normal(size=(60, 60))
    M = A @ A.T + np.eye(60)
    easy, widths = np.linalg.eigh(M)[1][:, 0], []

    def product(V):
        widths.append(V.shape[1])
        return M @ V

    found = conjugate_gradient(
        product, np.column_stack([easy, random.normal(size=60), np.zeros(60)]), tol=1e-10
    )
    assert found.converged and found.residuals.max() <= 1e-10
    assert widths[0] == 2 and widths[-1] == 1


@pytest.mark.parametrize("steps", [-1, 1, 7, 120, 199])
def test_conjugate_gradients_that_stall_keep_their_best_iterate(steps):
    random = np.random.default_rng(2)
    Q, _ = np.linalg.qr(random.normal(size=(80, 80)))
    M, B = (Q * np.geomspace(1e-17, 1, 80)) @ Q.T, random.normal(size=(80, 2))
    found = conjugate_gradient(lambda V: M @ V, B, max_iter=steps)
    exact = np.linalg.norm(B - M @ found.X, axis=0) / np.linalg.norm(B, axis=0)
    np.testing.assert_allclose(found.residuals, exact, rtol=1e-6)
    assert not found.converged and exact.max() <= 1
    assert found.stalled == (steps == -1)


@pytest.mark.parametrize("columns", [1, 3])
@pytest.mark.parametrize("ridge", [1e-3, 0.1, 10.0])
def test_a_factor_in_single_precision_is_refined_to_double(ridge, columns):
    random = np.random.default_rng(0)
    K, T = wm.Gaussian(0.3).gram(random.normal(size=(150, 3))), random.normal(size=(150, columns))
    T[:, -1] *= 1e-30
    lower = np.tril(K) + np.triu(np.full_like(K, np.nan), 1)
    Z = solve_refined(lower, ridge, T)
    exact = np.linalg.solve(K + ridge * np.eye(150), T)
    np.testing.assert_allclose(Z, exact, atol=1e-9 * np.abs(exact).max(axis=0).min(), rtol=1e-9)
    np.testing.assert_array_equal(np.tril(lower), np.tril(K))


def test_what_single_precision_cannot_factorise_is_not_refined():
    random = np.random.default_rng(0)
    K, T = wm.Gaussian(0.01).gram(random.normal(size=(150, 2))), random.normal(size=(150, 1))
    assert solve_refined(K, 1e-11, T) is None
    assert solve_refined(-K, 1e-3, T) is None


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("ridge", [0.2, 1e-10])
def test_refined_machines_are_those_of_double_precision(bias, ridge, monkeypatch):
    monkeypatch.setattr("widemargin.least_squares.machine.REFINED_SIZE", 1)
    X, Y, weight = problem(18, weighted=True)
    fits = [
        machine(KERNELS["rbf"], weight, ridge, bias=bias, leave_one_out=loo).fit(X, Y, sample_weight=weight)
        for loo in (True, False)
    ]
    np.testing.assert_allclose(fits[0].predict(X), fits[1].predict(X), atol=1e-7)
    np.testing.assert_allclose(fits[0].intercept_, fits[1].intercept_, atol=1e-6)


@pytest.mark.parametrize("rank", [1, 10, 40, 120])
def test_pivoted_cholesky_is_exact_at_its_pivots_and_its_residual_is_the_rest(rank):
    X = np.random.default_rng(0).normal(size=(120, 3))
    gram, rows = wm.Gaussian(0.2).bind(X), np.arange(120, dtype=np.int32)
    K = wm.Gaussian(0.2).gram(X)
    found = pivots_among(gram, rows, rank)
    near = found.L @ found.L.T
    assert len(set(found.pivots.tolist())) == len(found.pivots) <= rank
    np.testing.assert_allclose(near[found.pivots], K[found.pivots], atol=1e-7)
    np.testing.assert_allclose(np.diag(K - near), found.residual, atol=1e-10)
    P = found.pivots
    nystrom = K[:, P] @ np.linalg.lstsq(K[np.ix_(P, P)], K[P], rcond=1e-13)[0]
    np.testing.assert_allclose(near, nystrom, atol=1e-5)


@pytest.mark.parametrize("bias", BIASES)
def test_a_kernel_matrix_of_low_rank_gives_the_same_path_and_machine(bias, monkeypatch):
    X, Y, weight = problem(10, n=200, d=2, weighted=True)
    fits = []
    for size in (10, 10**9):
        monkeypatch.setattr("widemargin.least_squares.machine.LOW_RANK_SIZE", size)
        fits.append(wm.RLSRegressor(gamma=0.05, bias=bias, solver="eigen").fit(X, Y, sample_weight=weight))
    np.testing.assert_allclose(fits[0].lam_path_, fits[1].lam_path_, rtol=1e-3)
    np.testing.assert_allclose(fits[0].loo_path_, fits[1].loo_path_, rtol=1e-5)
    np.testing.assert_allclose(fits[0].predict(X), fits[1].predict(X), atol=1e-5)


@pytest.mark.parametrize("solver", ["eigen", "cholesky"])
def test_a_linear_machine_has_weights_whatever_solves_it(solver, monkeypatch):
    monkeypatch.setattr("widemargin.least_squares.machine.LOW_RANK_SIZE", 10)
    X, Y, _ = problem(17, n=60)
    primal = wm.RLSRegressor(kernel="linear", bias="free").fit(X, Y)
    other = wm.RLSRegressor(kernel="linear", bias="free", solver=solver).fit(X, Y)
    np.testing.assert_allclose(other.coef_, primal.coef_, rtol=1e-3)
    np.testing.assert_allclose(other.predict(X), X @ other.coef_.T + other.intercept_, atol=1e-10)


@pytest.mark.parametrize("solver", ["eigen", "primal"])
@pytest.mark.parametrize("bias", BIASES)
def test_each_error_on_the_path_is_that_of_a_fit_with_that_lam(solver, bias):
    X, Y, weight = problem(11, weighted=True)
    kernel = wm.Linear() if solver == "primal" else wm.Gaussian(0.3)
    path = wm.RLSRegressor(kernel=kernel, bias=bias, solver=solver).fit(X, Y, sample_weight=weight)
    assert len(path.lam_path_) >= 50 and (np.diff(path.lam_path_) > 0).all()
    assert path.lam_ == path.lam_path_[np.argmin(path.loo_path_)]
    for k in range(12, len(path.lam_path_), 7):
        fitted = wm.RLSRegressor(kernel=kernel, bias=bias, solver="cholesky", lam=path.lam_path_[k])
        error = fitted.fit(X, Y, sample_weight=weight).loo_error_
        assert path.loo_path_[k] == pytest.approx(error, rel=1e-6)


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_the_chosen_lam_is_the_minimum_of_a_fine_scan_for_dense_and_for_sparse_points(name):
    for seed in range(12):
        X, Y, _ = problem(seed, n=60, d=5, outputs=1)
        chosen = wm.RLSRegressor(kernel=KERNELS[name]).fit(X, Y)
        sparse = wm.RLSRegressor(kernel=KERNELS[name]).fit(sp.csr_array(X), Y)
        assert sparse.lam_ == pytest.approx(chosen.lam_, rel=1e-6)
        around = chosen.lam_ * np.geomspace(0.9, 1 / 0.9, 41)
        errors = [wm.RLSRegressor(kernel=KERNELS[name], lam=lam).fit(X, Y).loo_error_ for lam in around]
        *_, curvature, slope, _ = np.polyfit(np.log(around / chosen.lam_), errors, 4)
        assert abs(slope / (2 * curvature)) < 2e-3


def test_a_path_has_each_value_once_and_both_sides_of_the_best_are_searched():
    for seed in range(10):
        X, Y, _ = problem(seed, n=60, d=5, outputs=1)
        chosen = wm.RLSRegressor().fit(X, Y)
        gaps = np.diff(np.log(chosen.lam_path_))
        assert gaps.min() > 1e-7
        assert chosen.lam_ == chosen.lam_path_[chosen.loo_path_.argmin()]
        at = chosen.loo_path_.argmin()
        assert gaps[at - 1] + gaps[at] < 0.08


def test_a_search_that_ends_at_the_range_has_no_vertex():
    rising = search_grid(lambda ridges: ridges, 1.0)
    assert rising.best == rising.ridges[0]
    assert np.unique(rising.ridges).size == rising.ridges.size
    falling = search_grid(lambda ridges: 1 / ridges, 1.0)
    assert falling.best == falling.ridges[-1]
    flat = search_grid(np.ones_like, 1.0)
    assert flat.best == flat.ridges[-1]


@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize(
    ("name", "settings"),
    [
        ("rbf", {}),
        ("rbf", {"solver": "cholesky"}),
        ("rbf", {"centres": 10}),
        ("linear", {}),
        ("linear", {"solver": "cholesky"}),
    ],
)
def test_a_list_of_values_of_lam_has_the_errors_of_training_without_each_point(name, settings, bias):
    X, Y, weight = problem(8, weighted=True)
    values = [1.0, 1e-3, 0.1, 1e-2, 0.1]
    chosen = wm.RLSRegressor(kernel=KERNELS[name], lam=values, bias=bias, **settings)
    chosen.fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(chosen.lam_path_, [1e-3, 1e-2, 0.1, 1.0])
    K = KERNELS[name].gram(X)
    if "centres" in settings:
        Z = X[chosen.support_]
        K = KERNELS[name].gram(X, Z) @ np.linalg.solve(KERNELS[name].gram(Z), KERNELS[name].gram(Z, X))
    errors = []
    for lam in chosen.lam_path_:
        out = Y - reference.leave_one_out(K, Y, weight, lam * weight.sum(), bias)
        errors.append((weight @ out**2).mean() / weight.sum())
    np.testing.assert_allclose(chosen.loo_path_, errors, rtol=1e-7)
    assert chosen.lam_ == pytest.approx(chosen.lam_path_[np.argmin(errors)])
    assert chosen.loo_error_ == pytest.approx(min(errors), rel=1e-7)
    again = wm.RLSRegressor(kernel=KERNELS[name], lam=chosen.lam_, bias=bias, **settings)
    again.fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(chosen.predict(X), again.predict(X), atol=1e-9)


def test_a_list_of_values_of_lam_is_judged_in_chunks_and_for_classes_too():
    X, Y, _ = problem(9, n=90, outputs=1)
    y, values = np.digitize(Y[:, 0], [0.2, 0.8]), np.array([1e-4, 1e-2, 1.0])
    here = wm.RLSClassifier(gamma="scale", lam=values, centres=10).fit(X, y)
    there = wm.RLSClassifier(gamma="scale", lam=values, centres=here.support_).fit_chunks(
        [(X[:40], y[:40]), (X[40:], y[40:])]
    )
    np.testing.assert_allclose(there.loo_path_, here.loo_path_, rtol=1e-7)
    assert there.lam_ == here.lam_
    pairs = wm.RLSClassifier(lam=values, multiclass="all-pairs").fit(X, y)
    assert pairs.lam_ == pytest.approx(wm.RLSClassifier(lam=values).fit(X, y).lam_)


def test_many_values_for_many_points_have_one_decomposition():
    assert choose_solver(5000, None, True, 2**40, 5) == "cholesky"
    assert choose_solver(5000, None, True, 2**40, 6) == "eigen"
    assert choose_solver(5000, None, True, 2**40) == choose_solver(2000, None, True, 2**40, 5) == "eigen"
    assert choose_solver(5000, None, False, 2**40) == "cholesky"


@pytest.mark.parametrize("start_size", [20, 1000])
def test_a_descent_finds_what_the_grid_finds(start_size, monkeypatch):
    monkeypatch.setattr("widemargin.least_squares.machine.START_SIZE", start_size)
    X, Y, _ = problem(12, n=80, outputs=1)
    grid = wm.RLSRegressor(gamma=0.2, solver="eigen").fit(X, Y[:, 0])
    descent = wm.RLSRegressor(gamma=0.2, solver="cholesky").fit(X, Y[:, 0])
    assert descent.loo_error_ <= 1.005 * grid.loo_error_
    assert descent.loo_error_ == pytest.approx(descent.loo_path_.min())
    assert len(descent.lam_path_) <= 8


def test_gamma_chosen_by_leave_one_out_is_the_best_of_those_around_it():
    X, Y, _ = problem(13, n=60, outputs=1)
    chosen = wm.RLSRegressor(gamma="loo").fit(X, Y[:, 0])
    for factor in (0.5, 2.0):
        other = wm.RLSRegressor(gamma=factor * chosen.kernel_.gamma).fit(X, Y[:, 0])
        assert chosen.loo_error_ <= other.loo_error_


def test_gamma_is_chosen_by_leave_one_out_wherever_that_can_be_had():
    X, Y, _ = problem(13, n=60, outputs=1)
    y = Y[:, 0]
    scale = wm.RLSRegressor(gamma="scale").fit(X, y).kernel_
    chosen = wm.RLSRegressor(gamma="loo").fit(X, y).kernel_
    assert chosen != scale
    assert wm.RLSRegressor().fit(X, y).kernel_ == chosen
    assert wm.RLSRegressor(lam=0.1, solver="cg").fit(X, y).kernel_ == scale
    assert wm.RLSRegressor(centres=20).fit_chunks(lambda: iter([(X, y)])).kernel_ == scale
    for kernel in ("linear", wm.Gaussian(0.3)):
        wm.RLSRegressor(kernel=kernel).fit(X, y)


@pytest.mark.parametrize("settings", [{}, {"centres": 30}, {"centres": 45, "regularizer": "coefficients"}])
def test_some_of_many_points_judge_over_gamma_and_all_are_fitted(settings, monkeypatch):
    X, Y, _ = problem(15, n=60, outputs=1)
    monkeypatch.setattr("widemargin.estimators.least_squares_machine.GAMMA_ROWS", 40)
    some = wm.RLSRegressor(**settings).fit(X, Y[:, 0])
    again = wm.RLSRegressor(gamma=some.kernel_.gamma, **settings).fit(X, Y[:, 0])
    assert some.loo_error_ == again.loo_error_
    monkeypatch.setattr("widemargin.estimators.least_squares_machine.FEWEST_GAMMA_ROWS", 20)
    for rows in (30, 10):  # that there is room for
        tight = wm.RLSRegressor(lam=0.1, cache_size=12 * rows**2 / 2**20, **settings).fit(X, Y[:, 0])
        scale = wm.RLSRegressor(lam=0.1, gamma="scale", **settings).fit(X, Y[:, 0])
        assert (tight.kernel_ == scale.kernel_) == (rows < 20)


@pytest.mark.parametrize("name", ["linear", "rbf"])
def test_the_norm_and_the_values_of_a_machine_are_bounded(name):
    X, Y, _ = problem(14, outputs=1)
    y, lam = np.sign(Y[:, 0] - 0.5), 0.03
    fitted = wm.RLSRegressor(kernel=KERNELS[name], lam=lam, solver="cholesky").fit(X, y)
    c, K = fitted.dual_coef_[0], KERNELS[name].gram(X)
    assert c @ K @ c <= 1 / lam
    assert np.abs(fitted.predict(X)).max() <= np.sqrt(np.diag(K).max() / lam)


def test_the_frame_of_a_free_bias_is_the_bordered_system():
    X, Y, weight = problem(15, weighted=True)
    kept = weight > 0
    K, Y, weight = wm.Gaussian(0.3).gram(X)[np.ix_(kept, kept)], Y[kept], weight[kept]
    frame = Frame(weight, "free")
    M = np.tril(frame.matrix(K.copy(), frame.mean_row(K)))
    M += np.tril(M, -1).T
    bordered = np.block(
        [[np.zeros((1, 1)), np.ones((1, len(K)))], [np.ones((len(K), 1)), K + np.diag(0.2 / weight)]]
    )
    expected = np.linalg.inv(bordered)[1:, 1:]
    inverse = np.linalg.inv(M + 0.2 * np.eye(len(K))) - np.outer(frame.constant, frame.constant) / 0.2
    np.testing.assert_allclose(frame.scale[:, None] * inverse * frame.scale, expected, atol=1e-9)


def test_one_factor_serves_all_classes_and_codes():
    X, _, _ = problem(16, n=60)
    labels = np.arange(60) % 4
    X = X + labels[:, None]
    machine = wm.RLSClassifier(gamma=0.2, lam=0.01).fit(X, labels)
    for c in range(4):
        alone = wm.RLSRegressor(gamma=0.2, lam=0.01).fit(X, np.where(labels == c, 1.0, -1.0))
        np.testing.assert_allclose(machine.decision_function(X)[:, c], alone.predict(X), atol=1e-10)
        np.testing.assert_allclose(machine.loo_decision_[:, c], alone.loo_predictions_, atol=1e-9)
    assert machine.loo_error_ == np.mean(machine.loo_predictions_ != labels)


SHAPES = {"round": np.eye(2), "long": np.array([[2.0, 1.2], [1.2, 1.0]])}


@pytest.mark.parametrize("distance", [3.0, 1.0])
@pytest.mark.parametrize("shape", SHAPES)
def test_least_squares_and_the_hinge_separate_two_normal_classes_alike(shape, distance):
    mean, lams = distance * np.array([1.0, 0.3]), [0.1, 0.01, 0.001]
    differences = []
    for seed in range(20):
        random = np.random.default_rng(seed)

        def draw(n, random=random):
            y = np.repeat([1, -1], n)
            return random.multivariate_normal(np.zeros(2), SHAPES[shape], size=2 * n) + np.outer(y, mean), y

        (X, y), (X_test, y_test) = draw(100), draw(1000)
        for lam in lams:
            rls = wm.TikhonovEstimator("square", "linear", lam).fit(X, y)
            svm = wm.TikhonovEstimator("hinge", "linear", lam).fit(X, y)
            errors = [np.mean(np.sign(each.decision_function(X_test)) != y_test) for each in (rls, svm)]
            differences.append((lam, abs(errors[0] - errors[1])))
    if shape == "round":
        assert max(difference for _, difference in differences) <= 0.01
    else:
        assert np.mean([difference for lam, difference in differences if lam <= 0.01]) <= 0.01
