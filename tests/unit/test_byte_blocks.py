"""Kernels between points on a grid of at most 256 values, which the core multiplies as bytes, by formulas."""

from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin import SVC, kernels

RANGES = {
    np.uint8: (0, 255),
    np.int8: (-128, 127),
    np.float32: (-100, 155),
    np.float64: (-128, 100),
    sp.csr_array: (-20, 235),
}


def grid(n, d, seed=0, low=0, high=255, zeros=0.0):
    """Whole numbers; those of the first point are even, or nearly all, so that it does not tell the step."""
    random = np.random.default_rng(seed)
    X = random.integers(low, high + 1, size=(n, d)).astype(np.float64)
    X[random.random((n, d)) < zeros] = 0
    X[0] -= X[0] % 2 * (X[0] > low)
    return X


def squared_distances(X, Z):
    return ((X[:, None] - Z[None]) ** 2).sum(axis=2)


def every(n):
    return np.arange(n, dtype=np.int32)


def assert_agrees(X, Z, storage=np.float64, step=1.0):
    """Kernels between X and Z, whole numbers times the step, are their formulas in both precisions."""
    stored = [storage(A * step) if step == 1.0 else A * step for A in (X, Z)]
    rows, columns = every(len(X)), every(len(Z))
    products, distances = step**2 * (X @ Z.T), step**2 * squared_distances(X, Z)
    gamma = 1.0 / max(distances.mean(), 1e-30)
    largest = max(np.abs(products).max(), 1e-30)
    for kernel, expected in (
        (kernels.Linear(), products),
        (kernels.Polynomial(2, 1 / largest, 1.0), (products / largest + 1.0) ** 2),
        (kernels.Sigmoid(1 / largest, 0.1), np.tanh(products / largest + 0.1)),
        (kernels.Gaussian(gamma), np.exp(-gamma * distances)),
    ):
        gram, scale = kernel.bind(*stored), np.abs(expected).max()
        np.testing.assert_allclose(gram.block(rows, columns), expected, rtol=1e-12, atol=1e-14 * scale)
        np.testing.assert_allclose(gram.block32(rows, columns), expected, rtol=1e-6, atol=1e-6 * scale)


@pytest.mark.parametrize("d", [1, 3, 4, 5, 16, 63, 100, 784, 1100])
@pytest.mark.parametrize("storage", RANGES)
def test_kernels_are_their_formulas_on_whole_numbers(storage, d):
    low, high = RANGES[storage]
    zeros = 0.7 if storage is sp.csr_array else 0.0
    assert_agrees(grid(45, d, 1, low, high, zeros), grid(50, d, 2, low, high, zeros), storage)


@pytest.mark.parametrize("step", [1 / 255, 0.1, 1e-5, 3e7])
@pytest.mark.parametrize("low", [0, -128, 100])
def test_the_step_may_be_any_number(step, low):
    assert_agrees(grid(40, 30, 1, low, low + 255), grid(37, 30, 2, low, low + 255), step=step)


@pytest.mark.parametrize("value", [256.0, -1.0, 0.5, 1 / 3, 1e-7, 3e8])
@pytest.mark.parametrize("where", [("x", 0, 0), ("x", -1, -1), ("z", 0, -1), ("z", -2, 0)])
def test_a_single_other_value_anywhere_is_seen(value, where):
    X, Z = grid(40, 70, 1), grid(37, 70, 2)
    side, i, j = where
    (X if side == "x" else Z)[i, j] = value
    np.testing.assert_allclose(kernels.Linear().bind(X, Z).block(every(40), every(37)), X @ Z.T, rtol=1e-12)
    got = kernels.Gaussian(1e-6).bind(X, Z).block(every(40), every(37))
    np.testing.assert_allclose(got, np.exp(-1e-6 * squared_distances(X, Z)), rtol=1e-12)


def test_points_of_zeros_only_are_no_grid_and_no_trouble():
    K = kernels.Gaussian(0.1).bind(np.zeros((20, 9)), grid(30, 9)).block(every(20), every(30))
    np.testing.assert_allclose(
        K, np.exp(-0.1 * squared_distances(np.zeros((20, 9)), grid(30, 9))), atol=1e-15
    )
    np.testing.assert_array_equal(
        kernels.Gaussian(0.1).bind(np.zeros((20, 9))).block(every(20), every(20)), 1.0
    )


def test_blocks_are_parts_of_the_matrix():
    X, Z = grid(300, 75, 1), grid(700, 75, 2)
    gram = kernels.Linear().bind(X, Z)
    whole = X @ Z.T
    np.testing.assert_array_equal(gram.block(every(300), every(700)), whole)
    random = np.random.default_rng(0)
    for rows in (1, 3, 4, 5, 7, 8, 9, 33, 300):
        for columns in (1, 2, 15, 16, 17, 31, 32, 33, 255, 256, 257, 700):
            first = random.integers(0, 701 - columns)
            which = random.choice(300, rows, replace=False).astype(np.int32)
            scattered = np.sort(random.choice(700, columns, replace=False)).astype(np.int32)
            for these in (scattered, np.arange(first, first + columns, dtype=np.int32)):
                np.testing.assert_array_equal(gram.block(which, these), whole[np.ix_(which, these)])


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(1, 80),
    m=st.integers(1, 80),
    d=st.integers(1, 200),
    low=st.integers(-140, 140),
    spread=st.integers(0, 260),
    step=st.floats(1e-6, 1e6),
    seed=st.integers(0, 2**31),
)
def test_kernels_are_right_for_all_shapes_and_grids(n, m, d, low, spread, step, seed):
    assert_agrees(grid(n, d, seed, low, low + spread), grid(m, d, seed + 1, low, low + spread), step=step)


def test_the_rounding_of_bytes_does_not_depend_on_the_width_of_the_kernel():
    flags = Path("/proc/cpuinfo")
    if not flags.exists() or "avx512_vnni" not in flags.read_text():
        pytest.skip("vectors cannot multiply bytes here")
    X = grid(60, 200) / 255
    bytes_ = kernels.Gaussian(1.0).bind(X)
    assert bytes_.single_rounding == kernels.Gaussian(0.01).bind(X).single_rounding
    error = np.abs(bytes_.block32(every(60), every(60)) - bytes_.block(every(60), every(60))).max()
    assert error <= bytes_.single_rounding
    X[0, 0] = np.sqrt(0.5)
    assert kernels.Gaussian(0.5).bind(X).single_rounding > 10 * bytes_.single_rounding


def test_machines_on_pixels_decide_as_the_formula_says():
    X, T = grid(200, 60, 1) / 255, grid(150, 60, 2) / 255
    y = np.sign(X[:, :10].sum(axis=1) - 5)
    machine = SVC(C=10.0, gamma=0.1, tol=1e-6).fit(X, y)
    assert machine.kkt_violation_ <= 1e-6
    coefficients = machine.dual_coef_[0]
    f = np.exp(-0.1 * squared_distances(T, X[machine.support_])) @ coefficients + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(T), f, atol=1e-5)
