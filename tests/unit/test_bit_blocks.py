"""Kernels between points of zeros and ones, whose sums the core counts in bits, against their formulas."""

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st

from widemargin import SVC, kernels

STORAGES = {
    "float64": lambda X: X.astype(np.float64),
    "float32": lambda X: X.astype(np.float32),
    "uint8": lambda X: X.astype(np.uint8),
    "int8": lambda X: X.astype(np.int8),
    "csr float64": lambda X: sp.csr_array(X.astype(np.float64)),
    "csr float32": lambda X: sp.csr_array(X.astype(np.float32)),
    "csr 64-bit indptr": lambda X: with_long_starts(sp.csr_array(X.astype(np.float64))),
}


def common(X, Z):
    return X @ Z.T


def differing(X, Z):
    return X @ (1 - Z).T + (1 - X) @ Z.T


EXACT = [
    (kernels.Linear(), common),
    (kernels.Polynomial(2, 0.5, 1.0), lambda X, Z: (0.5 * common(X, Z) + 1.0) ** 2),
]
ROUNDED = [
    (kernels.Sigmoid(0.02, -0.3), lambda X, Z: np.tanh(0.02 * common(X, Z) - 0.3)),
    (kernels.Gaussian(0.03), lambda X, Z: np.exp(-0.03 * differing(X, Z))),
    (kernels.Laplacian(0.05), lambda X, Z: np.exp(-0.05 * differing(X, Z))),
]
DIMENSIONS = [1, 5, 31, 32, 33, 64, 100, 129, 300, 1100]


def with_long_starts(csr):
    csr.indptr = csr.indptr.astype(np.int64)
    return csr


def binary(n, d, seed=0, filled=0.3):
    return (np.random.default_rng(seed).random((n, d)) < filled).astype(np.float64)


def every(n):
    return np.arange(n, dtype=np.int32)


def assert_counted(X, Z, storage_x, storage_z=None):
    """All kernels between X and Z, stored like that, are their formulas in both precisions."""
    stored = STORAGES[storage_x](X), STORAGES[storage_z or storage_x](Z)
    rows, columns = every(len(X)), every(len(Z))
    for kernel, formula in EXACT:
        gram = kernel.bind(*stored)
        np.testing.assert_array_equal(gram.block(rows, columns), formula(X, Z))
        np.testing.assert_array_equal(gram.block32(rows, columns), formula(X, Z).astype(np.float32))
    for kernel, formula in ROUNDED:
        gram, expected = kernel.bind(*stored), formula(X, Z)
        np.testing.assert_allclose(gram.block(rows, columns), expected, rtol=4e-15, atol=4e-15)
        np.testing.assert_allclose(gram.block32(rows, columns), expected, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("d", DIMENSIONS)
@pytest.mark.parametrize("storage", STORAGES)
def test_kernels_are_their_formulas_on_zeros_and_ones(storage, d):
    assert_counted(binary(45, d, 1), binary(50, d, 2), storage)


@pytest.mark.parametrize(
    "storages", [("float64", "csr float32"), ("csr float64", "uint8"), ("int8", "float32")]
)
def test_both_sides_may_be_stored_differently(storages):
    assert_counted(binary(40, 70, 1), binary(37, 70, 2), *storages)


@pytest.mark.parametrize(
    ("storage", "value"),
    [("float64", 0.5), ("float32", 2), ("uint8", 3), ("int8", -1), ("csr float64", -1), ("csr float32", 0.5)],
)
@pytest.mark.parametrize("where", [("x", 0, 0), ("x", -1, -1), ("z", 0, -1), ("z", -1, 0)])
def test_a_single_other_value_anywhere_is_seen(storage, value, where):
    X, Z = binary(40, 70, 1), binary(37, 70, 2)
    side, i, j = where
    (X if side == "x" else Z)[i, j] = value
    stored = STORAGES[storage](X), STORAGES[storage](Z)
    np.testing.assert_array_equal(kernels.Linear().bind(*stored).block(every(40), every(37)), X @ Z.T)
    got = kernels.Gaussian(0.03).bind(*stored).block(every(40), every(37))
    distances = ((X[:, None] - Z[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(got, np.exp(-0.03 * distances), rtol=1e-13)


def test_rows_without_entries_and_stored_zeros_are_counted_right():
    X = binary(40, 70)
    X[[0, 7, 39]] = 0
    csr = sp.csr_array(X)
    csr.data[::3] = 0
    X = csr.toarray()
    assert csr.nnz > np.count_nonzero(X)
    K = kernels.Linear().bind(csr).block(every(40), every(40))
    np.testing.assert_array_equal(K, X @ X.T)


@pytest.mark.parametrize("storage", ["float64", "csr float64"])
def test_blocks_are_parts_of_the_matrix(storage):
    X, Z = binary(300, 75, 1), binary(700, 75, 2)
    gram = kernels.Linear().bind(STORAGES[storage](X), STORAGES[storage](Z))
    whole = X @ Z.T
    np.testing.assert_array_equal(gram.block(every(300), every(700)), whole)
    random = np.random.default_rng(0)
    for rows in (1, 2, 3, 4, 5, 33, 300):
        for columns in (1, 2, 15, 16, 17, 255, 256, 257, 700):
            first = random.integers(0, 701 - columns)
            which = random.choice(300, rows, replace=False).astype(np.int32)
            scattered = np.sort(random.choice(700, columns, replace=False)).astype(np.int32)
            for these in (scattered, np.arange(first, first + columns, dtype=np.int32)):
                np.testing.assert_array_equal(gram.block(which, these), whole[np.ix_(which, these)])
                np.testing.assert_array_equal(gram.block32(which, these), whole[np.ix_(which, these)])


def test_small_blocks_are_the_same_before_and_after_bits_are_there():
    X = STORAGES["csr float64"](binary(60, 75))
    gram = kernels.Gaussian(0.1).bind(X)
    before, before32 = gram.block(every(1), every(60)), gram.block32(every(1), every(60))
    whole, whole32 = gram.block(every(60), every(60)), gram.block32(every(60), every(60))
    np.testing.assert_array_equal(before, whole[:1])
    np.testing.assert_array_equal(before32, whole32[:1])
    np.testing.assert_array_equal(gram.block(every(1), every(60)), before)
    np.testing.assert_array_equal(gram.block32(every(1), every(60)), before32)


def test_many_coordinates_of_which_few_are_ones_are_the_formula():
    X = binary(50, 5000, filled=0.004)
    K = kernels.Linear().bind(sp.csr_array(X)).block(every(50), every(50))
    np.testing.assert_array_equal(K, X @ X.T)


def test_sums_of_bits_have_no_rounding_but_that_of_the_entry():
    X = binary(60, 200)
    bits = kernels.Gaussian(10.0).bind(X).single_rounding
    assert bits == kernels.Gaussian(0.1).bind(X).single_rounding
    X[0, 0] = np.sqrt(0.5)
    assert kernels.Gaussian(0.1).bind(X).single_rounding > 10 * bits


@settings(deadline=None, max_examples=60)
@given(
    n=st.integers(1, 80),
    m=st.integers(1, 80),
    d=st.integers(1, 200),
    filled=st.floats(0, 1),
    storages=st.tuples(st.sampled_from(sorted(STORAGES)), st.sampled_from(sorted(STORAGES))),
    seed=st.integers(0, 2**31),
)
def test_counts_are_right_for_all_shapes_and_storages(n, m, d, filled, storages, seed):
    assert_counted(binary(n, d, seed, filled), binary(m, d, seed + 1, filled), *storages)


@pytest.mark.parametrize("storage", STORAGES)
def test_machines_on_zeros_and_ones_decide_alike_in_every_storage(storage):
    X, T = binary(200, 60, 1), binary(150, 60, 2)
    y = np.sign(X[:, :10].sum(axis=1) - 2.5)
    machine = SVC(C=1.0, gamma=0.05, tol=1e-6).fit(STORAGES[storage](X), y)
    assert machine.kkt_violation_ <= 1e-6
    coefficients = sp.csr_array(machine.dual_coef_).toarray()[0]
    f = np.exp(-0.05 * differing(T, X[machine.support_])) @ coefficients + machine.intercept_
    np.testing.assert_allclose(machine.decision_function(STORAGES[storage](T)), f, atol=1e-5)
