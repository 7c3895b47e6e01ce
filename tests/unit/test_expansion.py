"""Expansions against the sums they stand for."""

import threading

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin import expansion
from widemargin.expansion import Expansion

rng = np.random.default_rng(0)
Z = rng.normal(size=(7, 3))
X = rng.normal(size=(11, 3))
COEFFICIENTS = rng.normal(size=(7, 2))
OFFSETS = np.array([0.5, -1.0])
KERNEL = wm.Gaussian(0.3)
f = Expansion(KERNEL, Z, COEFFICIENTS, OFFSETS)


def test_values_are_the_sums_over_all_points():
    np.testing.assert_allclose(f(X), KERNEL.gram(X, Z) @ COEFFICIENTS + OFFSETS)


@pytest.mark.parametrize("n_jobs", [1, 2, 3, 50])
@pytest.mark.parametrize("block_bytes", [1, 200, 2**25])
def test_blocks_and_threads_do_not_change_values(monkeypatch, n_jobs, block_bytes):
    monkeypatch.setattr(expansion, "BLOCK_BYTES", block_bytes)
    monkeypatch.setattr(expansion, "THREADED_WORK", 0)
    np.testing.assert_allclose(f(X, n_jobs), f(X), rtol=1e-14)


def test_no_block_exceeds_its_budget(monkeypatch):
    monkeypatch.setattr(expansion, "BLOCK_BYTES", 8 * 7 * 4)
    asked = []

    def kernel(A, B):
        asked.append(len(A))
        return A @ B.T

    Expansion(wm.kernels.Callable(kernel), Z, COEFFICIENTS, OFFSETS)(X)
    assert max(asked) <= 4 and sum(asked) == len(X)


class Recorder:
    """A Gram that writes down how much work it is asked for at a time."""

    def __init__(self, gram):
        self._gram, self.entry_work, self.work = gram, gram.entry_work, []

    def accumulated(self, rows, weights, columns, single, threads):
        self.work.append(self.entry_work * rows.size * columns.size / threads)
        return self._gram.accumulated(rows, weights, columns, single, threads)


@pytest.mark.parametrize("n_jobs", [1, 2])
def test_sums_over_many_points_leave_chances_for_ctrl_c(monkeypatch, n_jobs):
    monkeypatch.setattr(expansion, "QUESTION_WORK", 2**19)
    monkeypatch.setattr(expansion, "THREADED_WORK", 0)
    points, others = rng.normal(size=(700, 3)), rng.normal(size=(600, 3))
    weights = rng.normal(size=700)
    gram = Recorder(KERNEL.bind(points, others))
    rows, columns = np.arange(700, dtype=np.int32), np.arange(600, dtype=np.int32)
    sums = expansion.weighted_sum(gram, rows, weights, columns, np.float64, n_jobs)
    np.testing.assert_allclose(sums, weights @ KERNEL.gram(points, others), atol=1e-12)
    assert max(gram.work) <= 2**19


def test_a_sum_ends_when_it_is_told_to(monkeypatch):
    monkeypatch.setattr(expansion, "QUESTION_WORK", 1)
    gram = Recorder(KERNEL.bind(rng.normal(size=(200, 3)), X))
    rows, columns = np.arange(200, dtype=np.int32), np.arange(11, dtype=np.int32)
    expansion.weighted_sum(gram, rows, np.ones(200), columns, np.float64, 1, lambda: len(gram.work) == 2)
    assert len(gram.work) == 2


def test_sparse_and_dense_points_mix():
    for points, data in ((Z, sp.csr_matrix(X)), (sp.csr_matrix(Z), X), (sp.csr_array(Z), sp.csr_array(X))):
        np.testing.assert_allclose(Expansion(KERNEL, points, COEFFICIENTS, OFFSETS)(data), f(X))


def test_precomputed_expansions_read_their_columns_only():
    K = KERNEL.gram(X, Z)
    wide = np.full((11, 20), np.nan)
    columns = np.array([3, 5, 7, 9, 11, 13, 15])
    wide[:, columns] = K
    g = Expansion(wm.Precomputed(), columns, COEFFICIENTS, OFFSETS)
    np.testing.assert_allclose(g(wide), f(X))


def test_an_expansion_without_points_is_its_offset():
    empty = Expansion(KERNEL, Z[:0], COEFFICIENTS[:0], OFFSETS)
    np.testing.assert_array_equal(empty(X), np.tile(OFFSETS, (11, 1)))
    assert f(X[:0]).shape == (0, 2)


def test_inner_products_norms_and_distances_follow_the_kernel():
    g = Expansion(KERNEL, X, rng.normal(size=(11, 2)), np.zeros(2))
    K_zz, K_zx, K_xx = KERNEL.gram(Z), KERNEL.gram(Z, X), KERNEL.gram(X)
    a, b = f.coefficients, g.coefficients
    np.testing.assert_allclose(f.inner(g), a.T @ K_zx @ b)
    np.testing.assert_allclose(f.norm() ** 2, np.diag(a.T @ K_zz @ a))
    squared = np.diag(a.T @ K_zz @ a - 2 * a.T @ K_zx @ b + b.T @ K_xx @ b)
    np.testing.assert_allclose(f.distance(g) ** 2, squared)
    np.testing.assert_allclose(f.distance(f), 0.0, atol=1e-7)


def test_evaluation_is_the_inner_product_with_the_kernel_at_a_point():
    at_x = Expansion(KERNEL, X[:1], np.ones((1, 1)), np.zeros(1))
    np.testing.assert_allclose(f.inner(at_x).ravel(), f(X[:1]).ravel() - OFFSETS)


def test_large_evaluations_run_in_threads_and_small_ones_do_not(monkeypatch):
    used = []

    def kernel(A, B):
        used.append(threading.current_thread())
        return A @ B.T

    g = Expansion(wm.kernels.Callable(kernel), Z, COEFFICIENTS, OFFSETS)
    monkeypatch.setattr(expansion, "BLOCK_BYTES", 8 * 7)
    g(X, n_jobs=2)
    assert set(used) == {threading.current_thread()}
    monkeypatch.setattr(expansion, "THREADED_WORK", 0)
    used.clear()
    g(X, n_jobs=2)
    assert threading.current_thread() not in used


@pytest.mark.parametrize("points", [1, 3, 7])
def test_sparse_coefficients_give_the_same_values(monkeypatch, points):
    monkeypatch.setattr(expansion, "PANEL_POINTS", points)
    few = np.where(rng.random((7, 5)) < 0.3, rng.normal(size=(7, 5)), 0.0)
    dense = Expansion(KERNEL, Z, few, np.zeros(5))(X)
    np.testing.assert_allclose(Expansion(KERNEL, Z, sp.csr_array(few), np.zeros(5))(X), dense, atol=1e-15)


@pytest.mark.parametrize("d", [2, 20])
@pytest.mark.parametrize("sparse", [False, True])
def test_decisions_have_the_signs_of_the_values(d, sparse):
    random = np.random.default_rng(d)
    points, coefficients = random.normal(size=(400, d)), 1e3 * random.normal(size=(400, 3))
    Y = random.normal(size=(2000, d))
    g = Expansion(wm.Gaussian(0.5 / d), points, coefficients, np.zeros(3))
    # All values of the first row are zero, but for the rounding of double precision.
    g = Expansion(g.kernel, points, sp.csr_array(coefficients) if sparse else coefficients, -g(Y[:1])[0])
    exact, decided = g(Y), g.decisions(Y)
    assert np.array_equal(np.sign(decided[1:]), np.sign(exact[1:]))
    assert np.abs(decided[0]).max() < 1e-10
    assert np.abs(decided - exact).max() > 1e-9  # most are in single precision


def test_decisions_of_unbounded_kernels_are_the_values():
    g = Expansion(wm.Linear(), Z, COEFFICIENTS, OFFSETS)
    assert np.array_equal(g.decisions(X), g(X))
