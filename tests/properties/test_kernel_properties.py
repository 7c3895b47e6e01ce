"""Statements about kernels that hold for all points, parameters and combinations."""

from itertools import combinations_with_replacement
from math import comb, factorial

import numpy as np
import pytest
import scipy.sparse as sp
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from reference import kernels as twin
from widemargin import kernels
from widemargin.kernels import Gaussian, Linear, Polynomial, is_psd
from widemargin.testing import check_kernel

D = 3
positive = st.floats(0.05, 3.0)
coordinates = st.floats(-2, 2).map(lambda v: round(v, 3))


def points(most=9, d=D):
    return st.integers(2, most).flatmap(lambda n: arrays(np.float64, (n, d), elements=coordinates))


@st.composite
def scale_matrices(draw):
    A = draw(arrays(np.float64, (D, D), elements=coordinates))
    return A.T @ A + 0.1 * np.eye(D)


leaves = st.one_of(
    st.just(Linear()),
    st.builds(Polynomial, degree=st.integers(0, 3), gamma=positive, coef0=st.sampled_from([0.0, 0.5, 1.0])),
    st.builds(Gaussian, gamma=positive),
    st.builds(kernels.ARDGaussian, gamma=arrays(np.float64, D, elements=positive)),
    st.builds(kernels.GeneralGaussian, M=scale_matrices()),
    st.builds(kernels.Laplacian, gamma=positive),
    st.builds(kernels.Constant, value=positive),
)
bounded_leaves = st.one_of(
    st.builds(Gaussian, gamma=positive),
    st.builds(kernels.ARDGaussian, gamma=arrays(np.float64, D, elements=positive)),
    st.builds(kernels.Laplacian, gamma=positive),
)


def squares(X):
    return np.asarray(X) ** 2


def combined(parts):
    """One more level: every construction rule. Exponents stay small and normalised kernels positive."""
    return st.one_of(
        st.builds(kernels.Sum, parts, parts),
        st.builds(kernels.Product, parts, parts),
        st.builds(kernels.Scaled, positive, parts),
        st.builds(kernels.Exponential, bounded_leaves),
        parts.map(lambda k: (k + 0.5).normalized()),
        parts.map(lambda k: (k + 0.5).normalized().exp()),
        parts.map(lambda k: k.pull_back(squares)),
    )


nested = st.recursive(leaves, combined, max_leaves=4)


@given(nested, points())
def test_gram_of_any_combination_is_positive_semidefinite(kernel, X):
    assert is_psd(kernel.gram(X), tol=1e-10)


@settings(max_examples=60)
@given(nested, points(6), st.integers(0, 2**32 - 1))
def test_any_combination_keeps_the_contract_of_a_kernel(kernel, X, seed):
    check_kernel(kernel, X, seed)


@settings(max_examples=30)
@given(st.builds(kernels.Sigmoid, gamma=positive, coef0=st.floats(-1, 1)), points(6))
def test_sigmoid_keeps_the_contract_of_a_kernel(kernel, X):
    check_kernel(kernel, X)


others = st.sampled_from([Polynomial(2, 0.5, 1.0), 0.5 * Linear() + Gaussian(0.3)])


@pytest.mark.parametrize("precision", [np.float32, np.float64])
@settings(max_examples=25)
@given(st.one_of(bounded_leaves, others), points())
def test_kernels_keep_their_contract_on_sparse_data(precision, kernel, X):
    check_kernel(kernel, sp.csr_array((X * (np.abs(X) > 0.7)).astype(precision)))


@given(nested, points(), st.integers(0, 2**32 - 1))
def test_contract_over_many_blocks_of_rows_is_the_sum_over_them(kernel, X, seed):
    W = np.random.default_rng(seed).normal(size=(len(X), len(X)))
    by_rows = sum(kernel.contract(X[i : i + 1], X, W[i : i + 1]) for i in range(len(X)))
    whole = kernel.contract(X, None, W)
    np.testing.assert_allclose(by_rows, whole, rtol=1e-9, atol=1e-9 * np.abs(W * kernel.gram(X)).sum())


def test_large_contractions_are_visited_in_several_blocks():
    X = np.random.default_rng(0).normal(size=(1500, 2))
    K, W = Gaussian(0.5).gram(X), np.random.default_rng(1).normal(size=(1500, 1500))
    distances = ((X[:, None] - X[None]) ** 2).sum(axis=2)
    np.testing.assert_allclose(Gaussian(0.5).contract(X, None, W), [-0.5 * np.sum(W * K * distances)])


@given(points(d=2))
def test_squared_dot_product_is_that_of_both_feature_maps_of_degree_two(X):
    a, b = X.T
    in_space = np.column_stack([a**2, b**2, np.sqrt(2) * a * b])
    in_four_dimensions = np.column_stack([a**2, b**2, a * b, b * a])
    K = Polynomial(degree=2).gram(X)
    np.testing.assert_allclose(K, in_space @ in_space.T, atol=1e-12)
    np.testing.assert_allclose(K, in_four_dimensions @ in_four_dimensions.T, atol=1e-12)


@given(points(), st.integers(1, 5))
def test_power_of_dot_product_is_that_of_weighted_monomials(X, degree):
    exponents = [np.bincount(c, minlength=D) for c in combinations_with_replacement(range(D), degree)]
    assert len(exponents) == comb(degree + D - 1, degree)
    weights = [factorial(degree) / np.prod([factorial(e) for e in exponent]) for exponent in exponents]
    features = np.column_stack(
        [np.sqrt(w) * np.prod(X**exponent, axis=1) for w, exponent in zip(weights, exponents, strict=True)]
    )
    np.testing.assert_allclose(Polynomial(degree).gram(X), features @ features.T, rtol=1e-10, atol=1e-10)


@given(points(), positive)
def test_gaussian_has_unit_diagonal_and_entries_between_zero_and_one(X, gamma):
    K = Gaussian(gamma).gram(X)
    np.testing.assert_array_equal(np.diag(K), 1)
    assert np.all((K >= 0) & (K <= 1))


@given(st.integers(2, 12), st.integers(0, 2**32 - 1))
def test_gaussian_gram_of_distinct_points_has_full_rank(n, seed):
    X = np.random.default_rng(seed).permutation(27)[:n, None] // [1, 3, 9] % [3, 3, 3]
    assert np.linalg.matrix_rank(Gaussian(0.5).gram(X)) == n


@given(nested, points())
def test_normalised_kernel_has_unit_diagonal_and_entries_of_at_most_one(kernel, X):
    K = (kernel + 0.5).normalized().gram(X)
    np.testing.assert_allclose(np.diag(K), 1, rtol=1e-14)
    assert np.all(np.abs(K) <= 1 + 1e-12)


@given(points(), st.floats(0.5, 3))
def test_normalised_exponential_of_dot_product_is_the_gaussian_of_width_sigma(X, sigma):
    kernel = (sigma**-2 * Linear()).exp().normalized()
    np.testing.assert_allclose(kernel.gram(X), Gaussian.from_sigma(sigma).gram(X), rtol=1e-10)


@given(points(), st.floats(0.3, 3))
def test_general_gaussian_of_a_multiple_of_the_identity_is_the_radial_one(X, sigma):
    """With the factor 1/2 in the exponent: M = I / sigma^2 is the bell of width sigma."""
    general = kernels.GeneralGaussian(np.eye(D) / sigma**2)
    np.testing.assert_allclose(general.gram(X), Gaussian.from_sigma(sigma).gram(X), rtol=1e-9)


@given(points(), arrays(np.float64, (D, D), elements=coordinates))
def test_general_gaussian_is_the_radial_one_of_gamma_one_half_on_transformed_data(X, A):
    general = kernels.GeneralGaussian(A.T @ A)
    np.testing.assert_allclose(general.gram(X), Gaussian(0.5).gram(X @ A.T), rtol=1e-6, atol=1e-12)


@given(points(), arrays(np.float64, D, elements=positive))
def test_gaussian_per_feature_is_the_radial_one_on_scaled_data_and_the_general_one_of_a_diagonal(X, gamma):
    ard = kernels.ARDGaussian(gamma).gram(X)
    np.testing.assert_allclose(ard, Gaussian(1.0).gram(X * np.sqrt(gamma)), rtol=1e-10)
    np.testing.assert_allclose(ard, kernels.GeneralGaussian(np.diag(2 * gamma)).gram(X), rtol=1e-10)


@given(points(), st.floats(0.3, 3))
def test_feature_space_distance_of_the_gaussian_is_at_most_the_distance_over_sigma(X, sigma):
    distances = np.linalg.norm(X[:, None] - X[None], axis=2)
    assert np.all(Gaussian.from_sigma(sigma).distance(X) <= distances / sigma + 1e-7)


@given(points(), arrays(np.float64, D, elements=coordinates), positive)
def test_kernels_of_differences_ignore_translation(X, shift, gamma):
    for kernel in (Gaussian(gamma), kernels.Laplacian(gamma), kernels.ARDGaussian(gamma)):
        np.testing.assert_allclose(kernel.gram(X + shift), kernel.gram(X), rtol=1e-10)


@given(nested, points())
def test_with_theta_moves_only_what_theta_names(kernel, X):
    moved = kernel.with_theta(kernel.theta + 0.3)
    np.testing.assert_allclose(moved.theta, kernel.theta + 0.3, atol=1e-9)
    back = moved.with_theta(kernel.theta)
    np.testing.assert_allclose(back.gram(X), kernel.gram(X), rtol=1e-8, atol=1e-12)


@given(points(), st.sampled_from(["float64", "float32", "csr"]), positive)
def test_sparse_and_dense_storage_give_the_same_matrix(X, storage, gamma):
    expected = twin.gram(twin.gaussian(gamma), X)
    data = sp.csr_array(X) if storage == "csr" else X.astype(storage)
    np.testing.assert_allclose(
        Gaussian(gamma).gram(data), expected, rtol=1e-13 if data.dtype == float else 1e-4
    )
