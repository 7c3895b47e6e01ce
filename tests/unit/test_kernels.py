"""Every kernel against its formula, on every kind of data the core reads in place."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
import scipy.sparse as sp

from reference import kernels as twin
from widemargin import kernels

D = 7
GAMMAS = np.linspace(0.05, 0.6, D)


def some_matrix():
    A = np.random.default_rng(5).normal(size=(D, D))
    return A.T @ A / D


LEAVES = {
    "linear": (kernels.Linear(), twin.linear),
    "polynomial": (kernels.Polynomial(3, 0.5, 1.0), twin.polynomial(3, 0.5, 1.0)),
    "degree zero": (kernels.Polynomial(0, 0.5, 1.0), twin.polynomial(0, 0.5, 1.0)),
    "degree seven": (kernels.Polynomial(7, 0.2, 0.0), twin.polynomial(7, 0.2, 0.0)),
    "sigmoid": (kernels.Sigmoid(0.1, -0.3), twin.sigmoid(0.1, -0.3)),
    "gaussian": (kernels.Gaussian(0.3), twin.gaussian(0.3)),
    "ard gaussian": (kernels.ARDGaussian(GAMMAS), twin.ard_gaussian(GAMMAS)),
    "tied ard gaussian": (kernels.ARDGaussian(0.3), twin.gaussian(0.3)),
    "laplacian": (kernels.Laplacian(0.3), twin.laplacian(0.3)),
}
DENSE_ONLY = {
    "general gaussian": (kernels.GeneralGaussian(some_matrix()), twin.general_gaussian(some_matrix()))
}


def points(storage, n, seed, d=D):
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, d)) * (random.random((n, d)) < 0.6)
    match storage:
        case "float64" | "float32":
            return X.astype(storage)
        case "uint8":
            return random.integers(0, 4, size=(n, d), dtype=np.uint8)
        case "int8":
            return random.integers(-3, 4, size=(n, d), dtype=np.int8)
        case "csr float64":
            return sp.csr_matrix(X)
        case "csr float32":
            return sp.csr_array(X.astype(np.float32))
    csr = sp.csr_array(X)
    csr.indptr = csr.indptr.astype(np.int64)
    return csr


DENSE = ["float64", "float32", "uint8", "int8"]
SPARSE = ["csr float64", "csr float32", "csr 64-bit indptr"]


def every(n):
    return np.arange(n, dtype=np.int32)


def assert_agrees(kernel, formula, X, Y, rounding=2e-6):
    expected = twin.gram(formula, X, Y)
    gram = kernel.bind(X, Y)
    assert gram.shape == expected.shape
    scale = max(1, np.abs(expected).max())
    np.testing.assert_allclose(kernel.gram(X, Y), expected, rtol=1e-13, atol=1e-14 * scale)
    single = gram.block32(every(gram.shape[0]), every(gram.shape[1]))
    assert single.dtype == np.float32
    np.testing.assert_allclose(single, expected, rtol=rounding, atol=rounding * scale)


@pytest.mark.parametrize("storage", DENSE + SPARSE)
@pytest.mark.parametrize("name", LEAVES)
def test_gram_is_the_formula_on_every_storage(name, storage):
    kernel, formula = LEAVES[name]
    assert_agrees(kernel, formula, points(storage, 11, 0), None)
    assert_agrees(kernel, formula, points(storage, 11, 0), points(storage, 6, 1))


@pytest.mark.parametrize("storage", DENSE)
def test_general_gaussian_is_the_formula_on_dense_data(storage):
    kernel, formula = DENSE_ONLY["general gaussian"]
    assert_agrees(kernel, formula, points(storage, 11, 0), points(storage, 6, 1))


@pytest.mark.parametrize("name", LEAVES)
@pytest.mark.parametrize(
    "storages",
    [("float64", "csr float32"), ("csr float64", "uint8"), ("float32", "int8"), ("float32", "float64")],
)
def test_rows_and_columns_may_be_stored_differently(name, storages):
    kernel, formula = LEAVES[name]
    assert_agrees(kernel, formula, points(storages[0], 5, 0), points(storages[1], 9, 1))


def test_points_far_from_the_origin_meet_sparse_ones():
    X, Y = points("csr float64", 5, 0, d=20), points("float64", 9, 1, d=20) + 1
    assert_agrees(kernels.Gaussian(0.02), twin.gaussian(0.02), X, Y)
    assert_agrees(kernels.Gaussian(0.02), twin.gaussian(0.02), Y, X)


@pytest.mark.parametrize("d", [1, 2, 3, 8, 16, 31, 57, 200])
@pytest.mark.parametrize("precision", [np.float32, np.float64])
def test_every_dimension_is_summed_whole(d, precision):
    X = np.random.default_rng(d).normal(size=(9, d)).astype(precision)
    assert_agrees(kernels.Gaussian(1 / d), twin.gaussian(1 / d), X, None)
    assert_agrees(kernels.Linear(), twin.linear, X, None)


@pytest.mark.parametrize("storage", ["float64", "float32", "csr float64", "csr float32"])
@pytest.mark.parametrize("offset", [1e3, 1e6])
def test_distances_keep_their_digits_far_from_the_origin(storage, offset):
    X = np.random.default_rng(0).normal(size=(20, 5)) + offset
    X = X.astype(np.float32) if "float32" in storage else X
    X = sp.csr_array(X) if "csr" in storage else X
    for kernel, formula in (
        (kernels.Gaussian(0.3), twin.gaussian(0.3)),
        (kernels.ARDGaussian(GAMMAS[:5]), twin.ard_gaussian(GAMMAS[:5])),
        (kernels.Laplacian(0.3), twin.laplacian(0.3)),
    ):
        expected = twin.gram(formula, X)
        np.testing.assert_allclose(kernel.gram(X), expected, rtol=1e-13)
        np.testing.assert_allclose(kernel.bind(X).block32(every(20), every(20)), expected, atol=1e-6)


def test_near_duplicates_stored_sparsely_keep_their_digits():
    random = np.random.default_rng(0)
    X = np.repeat(random.normal(size=(5, 30)) * (random.random((5, 30)) < 0.3), 4, axis=0)
    X += 1e-7 * random.normal(size=X.shape) * (X != 0)
    X[::4, 0] += 1e-7
    exact = twin.gram(twin.gaussian(1e12), X)
    np.testing.assert_allclose(kernels.Gaussian(1e12).gram(sp.csr_array(X)), exact, rtol=1e-9, atol=1e-300)
    assert np.mean((exact > 1e-300) & (exact < 1)) > 0.1


def test_far_points_have_kernel_zero_and_no_subnormal_values():
    X = np.linspace(0, 40, 4001)[:, None]
    for block in ("block", "block32"):
        K = getattr(kernels.Gaussian(1.0).bind(X), block)(every(1), every(4001))[0]
        assert K[-1] == 0
        assert K[K > 0].min() >= np.finfo(K.dtype).tiny
        assert np.all(np.diff(K) <= 0)


@pytest.mark.parametrize("block", ["block", "block32"])
def test_the_exponential_is_exact_to_the_last_places(block):
    exponents = np.random.default_rng(0).uniform(0, 80, size=5000)
    exact = np.exp(-exponents.astype(np.float32).astype(np.longdouble))
    X = exponents.astype(np.float32)[:, None]
    K = getattr(kernels.Laplacian(1.0).bind(np.zeros((1, 1), np.float32), X), block)(every(1), every(5000))[0]
    ulps = np.abs(K - exact) / (np.finfo(K.dtype).eps * exact)
    assert ulps.max() < 2


def test_blocks_are_parts_of_the_matrix_for_any_rows_and_columns():
    X = points("float64", 700, 0)
    K = kernels.Gaussian(0.2).gram(X)
    random = np.random.default_rng(1)
    which = random.integers(0, 700, size=40, dtype=np.int32)
    columns = random.permutation(700).astype(np.int32)[:611]
    block = kernels.Gaussian(0.2).bind(X).block(which, columns)
    np.testing.assert_array_equal(block, K[np.ix_(which, columns)])


def test_blocks_may_be_empty():
    gram = kernels.Gaussian().bind(points("float64", 4, 0))
    assert gram.block(every(0), every(4)).shape == (0, 4)
    assert gram.block(every(4), every(0)).shape == (4, 0)


def test_the_diagonal_is_that_of_the_matrix():
    for storage in DENSE + SPARSE:
        X = points(storage, 8, 3)
        for kernel, _ in LEAVES.values():
            np.testing.assert_allclose(kernel.diagonal(X), np.diag(kernel.gram(X)), rtol=1e-14)
            np.testing.assert_array_equal(kernel.bind(X).diagonal(), np.diag(kernel.gram(X)))


def test_single_precision_entries_of_double_data_are_rounded_only_at_the_end():
    X = np.random.default_rng(0).normal(size=(30, 20))
    for kernel in (kernels.Polynomial(9, 0.3, 1.0), kernels.Sigmoid(0.1, 0.5), kernels.Linear()):
        single = kernel.bind(X).block32(every(30), every(30))
        np.testing.assert_array_equal(single, kernel.gram(X).astype(np.float32))


def test_several_threads_may_ask_at_once():
    X = points("csr float64", 300, 0)
    gram = (kernels.Gaussian(0.2) + kernels.Polynomial(2) * kernels.Laplacian(0.1)).bind(X)
    rows = [np.array([i], dtype=np.int32) for i in range(300)]
    alone = [gram.block(row, every(300)) for row in rows]
    with ThreadPoolExecutor(4) as pool:
        together = list(pool.map(lambda row: gram.block(row, every(300)), rows))
    np.testing.assert_array_equal(together, alone)


def test_data_are_borrowed_and_stay_alive():
    X = points("float64", 5, 0)
    gram = kernels.Linear().bind(X)
    X *= 2
    np.testing.assert_allclose(gram.diagonal(), np.sum(X**2, axis=1))
    gram = kernels.Linear().bind(X.copy())
    np.testing.assert_allclose(gram.diagonal(), np.sum(X**2, axis=1))


def test_sparse_data_need_not_be_in_canonical_form():
    unsorted = sp.csr_matrix((np.array([1.0, 2.0, 4.0]), np.array([2, 0, 2]), np.array([0, 3])), shape=(1, 3))
    assert kernels.Linear().gram(unsorted) == np.array([[4.0 + 25.0]])
    assert unsorted.nnz == 3


@pytest.mark.parametrize("form", [sp.csc_array, sp.coo_matrix, sp.lil_array])
def test_other_sparse_formats_are_read_too(form):
    X = points("csr float64", 6, 0)
    np.testing.assert_array_equal(kernels.Gaussian().gram(form(X)), kernels.Gaussian().gram(X))


def test_integers_booleans_lists_and_strided_arrays_are_read_too():
    X = np.arange(12).reshape(3, 4)
    expected = X @ X.T
    linear = kernels.Linear()
    for data in (X, X.astype(np.int64), X.tolist(), np.asfortranarray(X), np.repeat(X, 2, axis=1)[:, ::2]):
        np.testing.assert_array_equal(linear.gram(data), expected)
    np.testing.assert_array_equal(linear.gram(X > 4), (X > 4) @ (X > 4).T.astype(float))


def test_a_sparse_row_with_no_entries_is_the_origin():
    X = sp.csr_array(np.array([[0.0, 0.0], [1.0, 2.0]]))
    np.testing.assert_allclose(kernels.Gaussian(0.1).gram(X), [[1, np.exp(-0.5)], [np.exp(-0.5), 1]])
    np.testing.assert_allclose(kernels.Laplacian(0.1).gram(X), [[1, np.exp(-0.3)], [np.exp(-0.3), 1]])


def test_sigma_is_the_standard_deviation_of_the_bell():
    X = np.array([[0.0], [3.0]])
    assert kernels.Gaussian.from_sigma(3.0).gram(X)[0, 1] == pytest.approx(np.exp(-0.5))


def test_feature_space_distance_is_that_of_explicit_features():
    X = points("float64", 6, 0)
    features = np.array([twin.monomial_features(x, 2) for x in X])
    expected = np.linalg.norm(features[:, None] - features[None], axis=2)
    np.testing.assert_allclose(kernels.Polynomial(2).distance(X), expected, atol=1e-6)
    np.testing.assert_allclose(kernels.Polynomial(2).distance(X, X[:2]), expected[:, :2], atol=1e-6)


SIZES = [1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17]
DIMENSIONS = [1, 2, 3, 7, 8, 9, 57]


def kernels_and_twins(d):
    gammas = np.linspace(0.05, 0.6, d)
    return [
        (kernels.Linear(), twin.linear),
        (kernels.Polynomial(3, 1 / d, 1.0), twin.polynomial(3, 1 / d, 1.0)),
        (kernels.Sigmoid(1 / d, -0.3), twin.sigmoid(1 / d, -0.3)),
        (kernels.Gaussian(1 / d), twin.gaussian(1 / d)),
        (kernels.ARDGaussian(gammas), twin.ard_gaussian(gammas)),
        (kernels.Laplacian(1 / d), twin.laplacian(1 / d)),
    ]


@pytest.mark.parametrize("storage", DENSE + SPARSE)
@pytest.mark.parametrize("d", DIMENSIONS)
def test_blocks_of_every_size_are_the_formula(storage, d):
    X, Y = points(storage, max(SIZES), 0, d), points(storage, max(SIZES), 1, d)
    for kernel, formula in kernels_and_twins(d):
        gram, expected = kernel.bind(X, Y), twin.gram(formula, X, Y)
        scale = max(1, np.abs(expected).max())
        for rows in SIZES:
            for columns in SIZES:
                part = expected[:rows, :columns]
                block = gram.block(every(rows), every(columns))
                np.testing.assert_allclose(block, part, rtol=1e-13, atol=1e-14 * scale)
                single = gram.block32(every(rows), every(columns))
                np.testing.assert_allclose(single, part, rtol=2e-6, atol=2e-6 * scale)


@pytest.mark.parametrize("storage", DENSE + SPARSE)
@pytest.mark.parametrize("n", [31, 32, 33, 63, 64, 65, 127, 128, 129, 200])
def test_blocks_wider_and_taller_than_a_tile_are_the_formula(storage, n):
    some, others = points(storage, n, 0, 20), points(storage, 150, 1, 20)
    for X, Y in ((some, others), (others, some)):
        assert_agrees(kernels.Gaussian(0.05), twin.gaussian(0.05), X, Y)
        assert_agrees(kernels.Linear(), twin.linear, X, Y)


@pytest.mark.parametrize("d", [63, 64, 65, 128, 300])
@pytest.mark.parametrize("storage", DENSE + SPARSE)
def test_many_coordinates_are_summed_whole_in_large_blocks(storage, d):
    X, Y = points(storage, 9, 0, d), points(storage, 9, 1, d)
    assert_agrees(kernels.Gaussian(1 / d), twin.gaussian(1 / d), X, Y)
    # Of a point and itself nothing is left but the rounding of d squares, in the order of BLAS.
    assert_agrees(kernels.Gaussian(1 / d), twin.gaussian(1 / d), X, None, rounding=1e-6 * np.sqrt(d))
    assert_agrees(kernels.Linear(), twin.linear, X, None)


def test_the_hyperbolic_tangent_keeps_its_digits_at_every_size():
    X = np.concatenate([np.logspace(-12, 2, 4000), np.linspace(0.2, 0.3, 1000), [0.0]])[:, None]
    X = np.concatenate([X, -X])
    ones = np.ones((1, 1))
    K = kernels.Sigmoid(1.0, 0.0).bind(ones, X).block(every(1), every(len(X)))[0]
    np.testing.assert_allclose(K, np.tanh(X[:, 0]), rtol=2e-15)


@pytest.mark.parametrize("index", [10**8, 500, -5])
def test_sparse_matrices_with_impossible_indices_are_refused(index):
    X = sp.random_array((50, 100), density=0.1, format="csr", rng=np.random.default_rng(0))
    X.indices[5] = index
    with pytest.raises(ValueError, match="not a valid sparse matrix"):
        kernels.Gaussian().gram(X)
