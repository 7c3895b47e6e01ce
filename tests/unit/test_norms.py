"""Norms of functions whose coefficients all but cancel."""

import numpy as np
import pytest
import scipy.sparse as sp

import widemargin as wm
from widemargin.bounds.two_classes import TwoClasses


@pytest.fixture(scope="module")
def points():
    random = np.random.default_rng(0)
    X = random.normal(size=(120, 3))
    return X, np.sin(X[:, 0]), np.where(X[:, 0] + 0.5 * X[:, 1] + 0.5 * random.normal(size=120) > 0, 1, -1)


@pytest.mark.parametrize("lam", [1e-8, 1e-10, 1e-12])
@pytest.mark.parametrize("bias", ["none", "penalised"])
def test_the_norm_of_a_linear_function_is_that_of_its_weights(points, lam, bias):
    X, y, _ = points
    machine = wm.TikhonovEstimator("square", "linear", lam, bias=bias).fit(X, y)
    A = np.c_[X, np.ones(120)] if bias == "penalised" else X
    assert machine.norm_ == pytest.approx(np.linalg.norm(np.linalg.lstsq(A, y, rcond=None)[0]), rel=1e-3)


@pytest.mark.parametrize("C", [1e3, 1e7, 1e9])
def test_no_slope_exceeds_its_bound(points, C):
    X, _, y = points
    machine = wm.SVC(kernel="linear", C=C, fit_intercept=False).fit(X, y)
    slope = np.linalg.norm(machine.coef_)
    assert wm.bounds.lipschitz_bound(machine)[0] == pytest.approx(slope, rel=1e-9)
    assert TwoClasses.of(machine, X, y).squared_norm == pytest.approx(slope**2, rel=1e-9)


@pytest.mark.parametrize("radius", [10.0, 1e3])
def test_a_ball_that_is_too_large_to_matter_is_left_inside(points, radius):
    X, y, _ = points
    machine = wm.IvanovEstimator("square", "linear", radius=radius).fit(X, y)
    assert not machine.active_
    assert machine.norm_ == pytest.approx(np.linalg.norm(np.linalg.lstsq(X, y, rcond=None)[0]), rel=1e-3)


def test_a_ball_without_end_is_refused_in_its_own_words(points):
    X, y, _ = points
    with pytest.raises(ValueError, match=r"radius=1e\+07 is so large"):
        wm.IvanovEstimator("square", "linear", radius=1e7).fit(X, y)


@pytest.mark.parametrize("make", [np.asarray, sp.csr_array, sp.csr_matrix])
def test_parts_of_kernels_add_up(make):
    random = np.random.default_rng(1)
    X, c = random.normal(size=(9, 2)), random.normal(size=(9, 2))
    kernel = wm.Linear() + 0.5 * wm.Linear() + wm.kernels.Constant(3.0) + wm.Gaussian(0.7)
    f = wm.Expansion(kernel, make(X), make(c), np.zeros(2))
    np.testing.assert_allclose(f.norm() ** 2, np.diag(c.T @ kernel.gram(X) @ c))


@pytest.mark.parametrize(
    "make", [sp.csr_matrix, sp.csr_array, np.ndarray.tolist, lambda A: A.astype(np.float32)]
)
def test_points_may_have_any_form(make):
    random = np.random.default_rng(1)
    X, c = random.integers(0, 4, size=(9, 3)).astype(float), random.normal(size=(9, 3))
    for coefficients in (c, sp.csr_array(c), sp.csr_matrix(c)):
        f = wm.Expansion(wm.Linear(), make(X), coefficients, np.zeros(3))
        np.testing.assert_allclose(f.norm(), np.linalg.norm(X.T @ c, axis=0))


def test_tiny_boxes_are_boxes():
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 2))
    y, weight = (X[:, 0] + X[:, 1] > 0).astype(int), np.ones(60)
    weight[:20] = 1e-15
    machine = wm.SVC(C=1.0, gamma=1.0).fit(X, y, sample_weight=weight)
    assert machine.status_.name == "OPTIMAL"
    assert machine.score(X[20:], y[20:]) > 0.9
