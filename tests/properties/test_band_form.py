"""The band form of a matrix: it is the same matrix, and its path of ridges that of dense inverses."""

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widemargin as wm
from reference import band, ridge
from widemargin import _core
from widemargin.least_squares import BandForm, MatrixSpectrum, Reflections, SingularSystem

BIASES = ["none", "free", "penalised"]


def symmetric(seed, n, rank, negative=0):
    random = np.random.default_rng(seed)
    F = random.normal(size=(n, rank))
    return (F * np.where(np.arange(rank) < negative, -1.0, 1.0)) @ F.T


def lower(M):
    """The lower triangle; nothing above it may be read."""
    return np.where(np.tri(len(M), dtype=bool), M, np.nan)


@given(seed=st.integers(0, 10**6), m=st.integers(1, 12), k=st.integers(1, 5), later=st.integers(0, 4))
@settings(max_examples=60, deadline=None)
def test_reflections_are_orthogonal_and_follow_each_other(seed, m, k, later):
    random = np.random.default_rng(seed)
    P, N = random.integers(-1, 2, size=(m, k)).astype(float), random.normal(size=(max(m - later, 1), 2))
    (first, R), (second, _) = Reflections.triangularising(P), Reflections.triangularising(N)

    def dense(H):
        V = np.vstack([np.zeros((m - len(H.V), H.V.shape[1])), H.V])
        return np.eye(m) - V @ H.T @ V.T

    Q = dense(first)
    np.testing.assert_allclose(Q.T @ Q, np.eye(m), atol=1e-13)
    np.testing.assert_allclose(Q[:, : len(R)] @ R, P, atol=1e-13)
    np.testing.assert_array_equal(R, np.triu(R))
    np.testing.assert_allclose(dense(first.then(second)), Q @ dense(second), atol=1e-13)


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    width=st.integers(1, 9),
    rank=st.integers(0, 40),
    negative=st.integers(0, 3),
)
@settings(max_examples=100, deadline=None)
def test_the_band_form_is_the_matrix_in_other_coordinates(seed, n, width, rank, negative):
    M = symmetric(seed, n, rank, negative)
    form = BandForm(lower(M), bandwidth=width)
    B, Q = band.dense(form._B), form._Qt.T
    assert form._B.shape[0] <= width + 1
    np.testing.assert_allclose(Q.T @ Q, np.eye(n), atol=1e-12)
    np.testing.assert_allclose(Q @ B @ Q.T, M, atol=1e-12 * (1 + np.abs(M).max()))
    assert form.trace == pytest.approx(np.trace(M))


@given(
    seed=st.integers(0, 10**6),
    n=st.integers(1, 40),
    width=st.integers(1, 9),
    rank=st.integers(0, 40),
    ridges=st.lists(st.floats(-3, 3), min_size=1, max_size=6),
)
@settings(max_examples=100, deadline=None)
def test_solutions_and_diagonals_are_those_of_dense_inverses(seed, n, width, rank, ridges):
    M, T = symmetric(seed, n, rank), np.random.default_rng(seed).normal(size=(n, 3))
    form, ridges = BandForm(lower(M), bandwidth=width), 10.0 ** np.array(ridges)
    solutions, diagonals = form.solve(T, ridges), form.diagonals(ridges)
    assert (solutions.shape, diagonals.shape) == ((ridges.size, n, 3), (ridges.size, n))
    for k, one in enumerate(ridges):
        inverse = np.linalg.inv(M + one * np.eye(n))
        np.testing.assert_allclose(solutions[k], inverse @ T, rtol=1e-8, atol=1e-8 / one)
        np.testing.assert_allclose(diagonals[k], np.diag(inverse), rtol=1e-8)


@pytest.mark.parametrize(("n", "width"), [(1, 0), (7, 1), (8, 3), (40, 9), (300, 17), (530, 48)])
@pytest.mark.parametrize("columns", [1, 16, 63, 130])
@pytest.mark.parametrize("threads", [1, 2])
def test_squared_lengths_behind_triangular_bands(n, width, columns, threads):
    random = np.random.default_rng(0)
    factors, Q = random.normal(size=(3, n, width + 1)) / (width + 1), random.normal(size=(n, columns))
    factors[:, :, 0] = random.uniform(1, 2, size=(3, n))
    lengths = np.ones((3, columns))
    _core.add_squared_lengths(factors, Q, lengths, threads)
    for L, found in zip(factors, lengths, strict=True):
        np.testing.assert_allclose(found, 1 + band.squared_lengths(L, Q), rtol=1e-10)


@pytest.mark.parametrize("rank", [150, 20])
def test_tiles_and_threads_change_nothing(rank, monkeypatch):
    M, T = symmetric(0, 150, rank), np.ones((150, 1))
    monkeypatch.setattr("widemargin.least_squares.band_form.SMALL_MATRIX", 10)
    monkeypatch.setattr("widemargin.least_squares.band_form.TILE", (16, 24))
    forms = [BandForm(lower(M), n_jobs=threads, bandwidth=7) for threads in (1, 2)]
    whole, ridges = MatrixSpectrum(M.copy()), np.array([0.1, 10.0])
    np.testing.assert_array_equal(forms[0]._Qt, forms[1]._Qt)
    np.testing.assert_array_equal(forms[0].diagonals(ridges), forms[1].diagonals(ridges))
    np.testing.assert_allclose(forms[0].diagonals(ridges), whole.diagonals(ridges), rtol=1e-10)
    np.testing.assert_allclose(forms[0].solve(T, ridges), whole.solve(T, ridges), atol=1e-9)


@pytest.mark.parametrize(
    ("M", "ridges"),
    [
        (symmetric(0, 20, 5), [1e-20, 1.0]),
        (symmetric(0, 20, 20, negative=2), [1.0, 1e-3]),
        (-np.eye(20), [1.0]),
        (-np.eye(20), [0.5]),
    ],
)
def test_what_is_not_positive_definite_beyond_doubt_is_refused(M, ridges):
    form = BandForm(M.copy(), bandwidth=3)
    for ask in (form.diagonals, partial(form.solve, np.ones((20, 1)))):
        with pytest.raises(SingularSystem, match=f"= {min(ridges):.3g} is singular"):
            ask(np.array(ridges))


@pytest.mark.filterwarnings("error::RuntimeWarning")
@pytest.mark.parametrize("size", [1e-290, 1e290])
def test_the_unit_does_not_matter(size):
    M, ridges = symmetric(5, 20, 12), np.array([0.1, 1.0])
    expected = BandForm(M.copy(), bandwidth=3).diagonals(ridges)
    np.testing.assert_allclose(
        BandForm(size * M, bandwidth=3).diagonals(size * ridges) * size, expected, rtol=1e-10
    )


def test_nothing_is_as_good_as_any_matrix():
    form = BandForm(np.zeros((5, 5)), bandwidth=2)
    np.testing.assert_allclose(form.diagonals(np.array([0.5])), np.full((1, 5), 2.0))


@pytest.fixture
def narrow(monkeypatch):
    """Every machine by a band form, of less bandwidth than it has points."""
    monkeypatch.setattr("widemargin.least_squares.machine.BAND_SIZE", 1)
    monkeypatch.setattr("widemargin.least_squares.machine.BandForm", partial(BandForm, bandwidth=4))


def problem(seed=0, n=30, outputs=2, weighted=False):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 4))
    Y = np.sin(X[:, :1] * np.arange(1, outputs + 1)) + 0.3 * random.normal(size=(n, outputs)) + 0.5
    weight = random.choice([0.0, 0.4, 1.0, 2.0, 3.5], size=n) if weighted else np.ones(n)
    return X, Y, weight


@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("bias", BIASES)
@pytest.mark.parametrize("kernel", [wm.Linear(), wm.Gaussian(0.3)])
def test_machines_and_their_leave_one_out_are_those_of_training_again(narrow, kernel, bias, weighted):
    X, Y, weight = problem(1, weighted=weighted)
    K, kept = kernel.gram(X), weight > 0
    machine = wm.RLSRegressor(kernel=kernel, lam=0.2 / weight.sum(), bias=bias, solver="eigen")
    machine.fit(X, Y, sample_weight=weight)
    c, b = ridge.fit(K, Y, weight, 0.2, bias)
    np.testing.assert_allclose(machine.dual_coef_, c[kept].T, atol=1e-8)
    np.testing.assert_allclose(machine.intercept_, b, atol=1e-8)
    expected = ridge.leave_one_out(K, Y, weight, 0.2, bias)
    np.testing.assert_allclose(machine.loo_predictions_, expected, atol=1e-8)
    assert machine.gcv_ == pytest.approx(ridge.gcv(K, Y, weight, 0.2, bias), rel=1e-8)


@pytest.mark.parametrize("lam", ["loo", np.geomspace(1e-6, 1.0, 20)])
@pytest.mark.parametrize("bias", BIASES)
def test_a_path_is_that_of_eigenvectors(lam, bias, request):
    X, Y, weight = problem(2, weighted=True)
    by_vectors = wm.RLSRegressor(gamma=0.3, lam=lam, bias=bias, solver="eigen")
    by_vectors.fit(X, Y, sample_weight=weight)
    request.getfixturevalue("narrow")
    by_band = wm.RLSRegressor(gamma=0.3, lam=lam, bias=bias, solver="eigen").fit(X, Y, sample_weight=weight)
    np.testing.assert_allclose(by_band.lam_path_, by_vectors.lam_path_, rtol=1e-6)
    np.testing.assert_allclose(by_band.loo_path_, by_vectors.loo_path_, rtol=1e-8)
    np.testing.assert_allclose(by_band.loo_predictions_, by_vectors.loo_predictions_, atol=1e-7)


def test_an_indefinite_matrix_is_left_to_its_eigenvectors(narrow):
    K, Y = symmetric(3, 20, 20, negative=6), np.random.default_rng(3).normal(size=(20, 1))
    machine = wm.RLSRegressor(kernel="precomputed", lam=[0.01, 0.1], solver="eigen")
    with pytest.warns(UserWarning, match="not positive semi-definite"):
        machine.fit(K, Y)
    c, _ = ridge.fit(K, Y, np.ones(20), machine.ridge_, "none")
    np.testing.assert_allclose(machine.dual_coef_, c.T, atol=1e-8)


def test_a_singular_system_says_so(narrow):
    X, Y, _ = problem(4, n=40)
    with pytest.raises(ValueError, match=r"ridge = lam n = 4e-24 is singular .* raise lam"):
        wm.RLSRegressor(kernel="linear", lam=1e-25, solver="eigen").fit(X, Y)
