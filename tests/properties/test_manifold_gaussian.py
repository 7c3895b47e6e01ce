"""The Gaussian kernel on the manifold of positive definite matrices."""

import numpy as np
import pytest
from scipy.linalg import expm

import widemargin as wm
from widemargin.kernels import ManifoldGaussian
from widemargin.kernels.manifold_gaussian import VARIANTS
from widemargin.selection.width_heuristic import at_width
from widemargin.testing import check_kernel

D = 3
X = np.random.default_rng(0).normal(size=(20, D))


def centre(seed=0):
    A = np.random.default_rng(seed).normal(size=(D, D))
    return A @ A.T / D + 0.3 * np.eye(D)


@pytest.mark.parametrize("variant", VARIANTS)
def test_every_variant_keeps_the_promises_of_a_kernel_at_its_centre_and_away_from_it(variant):
    B = centre() if variant in ("shape and orientation", "all") else np.diag([0.5, 0.9, 1.4])
    kernel = ManifoldGaussian(B, variant=variant)
    check_kernel(kernel, X)
    step = 0.3 * np.random.default_rng(1).normal(size=kernel.theta.size)
    check_kernel(kernel.with_theta(step), X)


def test_a_step_leads_to_the_product_of_exponentials():
    kernel = ManifoldGaussian(centre())
    moved = kernel.with_theta(np.linspace(-0.4, 0.5, 6))
    T = expm(moved.A)
    np.testing.assert_allclose(moved.matrix(), T @ centre() @ T)
    np.testing.assert_allclose(moved.recentred().gram(X), moved.gram(X), rtol=1e-12)
    assert not moved.recentred().theta.any()


def test_the_gradient_at_the_centre_is_the_formula_for_pairs():
    B = centre()
    W = np.random.default_rng(2).normal(size=(len(X), len(X)))
    K = ManifoldGaussian(B).gram(X)
    expected = np.zeros((D, D))
    for a in range(len(X)):
        for b in range(len(X)):
            d = X[a] - X[b]
            p, r = B @ d, B @ B @ d
            expected -= W[a, b] * K[a, b] * (np.outer(d, r) + np.outer(p, p))
    expected = np.where(np.eye(D, dtype=bool), expected, expected + expected.T)[np.triu_indices(D)]
    np.testing.assert_allclose(ManifoldGaussian(B).contract(X, None, W), expected, rtol=1e-10)


@pytest.mark.parametrize("variant", ["shape", "shape and orientation"])
def test_without_size_the_determinant_stays_the_same_over_many_steps(variant):
    B = centre() if variant != "shape" else np.diag([0.5, 0.9, 1.4])
    kernel, random = ManifoldGaussian(B, variant=variant), np.random.default_rng(3)
    for _ in range(50):
        signs = 0.05 * np.sign(random.normal(size=kernel.theta.size))  # of an optimiser that looks at signs
        kernel = kernel.with_theta(signs).recentred()
    assert np.linalg.det(kernel.B) == pytest.approx(np.linalg.det(B), rel=1e-10)
    assert np.linalg.eigvalsh(kernel.B).min() > 0
    np.testing.assert_array_equal(kernel.B, kernel.B.T)


def test_radial_diagonal_general_and_manifold_kernels_are_the_same_where_they_meet():
    gamma = 0.35
    K = wm.Gaussian(gamma).gram(X)
    B = np.sqrt(2 * gamma) * np.eye(D)
    np.testing.assert_allclose(wm.ARDGaussian(np.full(D, gamma)).gram(X), K, rtol=1e-12)
    np.testing.assert_allclose(ManifoldGaussian(B).gram(X), K, rtol=1e-12)
    np.testing.assert_allclose(wm.GeneralGaussian(B @ B).gram(X), K, rtol=1e-12)
    B = centre()
    np.testing.assert_allclose(wm.Gaussian(0.5).gram(X @ B), ManifoldGaussian(B).gram(X), rtol=1e-10)


def test_a_linear_map_of_the_data_is_undone_by_the_matrix():
    A = np.random.default_rng(4).normal(size=(D, D))
    M = centre() @ centre()
    inverse = np.linalg.inv(A)
    there = wm.GeneralGaussian(inverse @ M @ inverse.T).gram(X @ A)
    np.testing.assert_allclose(there, wm.GeneralGaussian(M).gram(X), rtol=1e-8)


def test_kernels_of_a_width_are_radial():
    K = wm.Gaussian(1 / 8).gram(X)
    for kernel in (
        wm.Gaussian(1.0),
        wm.ARDGaussian(1.0),
        wm.ARDGaussian(np.ones(D)),
        wm.GeneralGaussian(np.eye(D)),
        ManifoldGaussian(np.eye(D), variant="shape"),
    ):
        np.testing.assert_allclose(at_width(kernel, 2.0).gram(X), K, rtol=1e-12)
    assert at_width(wm.Linear(), 2.0) is None


@pytest.mark.parametrize(
    ("parameters", "words"),
    [
        ({"B": -np.eye(2)}, "positive definite"),
        ({"B": np.ones((2, 3))}, "square"),
        ({"B": np.eye(2), "A": np.eye(3)}, "A must be a finite symmetric matrix"),
        ({"B": np.eye(2), "variant": "F"}, "variant must be one of"),
    ],
)
def test_bad_matrices_are_refused(parameters, words):
    with pytest.raises(ValueError, match=words):
        ManifoldGaussian(**parameters).gram(X[:, :2])


def test_names_of_parameters_are_those_of_theta():
    combined = 0.5 * wm.ARDGaussian([1.0, 2.0]) + wm.Gaussian(1.0) * wm.Polynomial(2, 1.0, 1.0)
    assert combined.theta_names == [
        "log left__factor",
        "log left__kernel__gamma[0]",
        "log left__kernel__gamma[1]",
        "log right__left__gamma",
        "log right__right__gamma",
        "log right__right__coef0",
    ]
    for kernel in (combined, wm.GeneralGaussian(np.eye(2)), ManifoldGaussian(np.eye(2)), wm.Linear()):
        assert len(kernel.theta_names) == kernel.theta.size


def test_the_derivative_of_values_is_row_by_row_the_contraction():
    c = np.random.default_rng(5).normal(size=7)
    for kernel in (wm.ARDGaussian([0.3, 0.5, 0.2]), wm.ARDGaussian(0.3), wm.Gaussian(0.4), wm.Linear()):
        found = kernel.derivative(X, X[:7], c)
        expected = [kernel.contract(X[[i]], X[:7], c[None, :]) for i in range(len(X))]
        np.testing.assert_allclose(found, np.reshape(expected, found.shape), rtol=1e-9, atol=1e-12)
