"""Expansions are elements of the kernel's Hilbert space (kernel-methods notes, properties 7 to 9)."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import widemargin as wm
from widemargin.expansion import Expansion

seeds = st.integers(0, 10_000)


def element(points, coefficients, gamma=0.7):
    return Expansion(wm.Gaussian(gamma), points, np.asarray(coefficients, float)[:, None], np.zeros(1))


def random_element(random, n=6):
    return element(random.standard_normal((n, 3)), random.standard_normal(n))


@given(seeds)
def test_reproducing_property_7_inner_product_with_the_kernel_at_a_point_is_the_value_there(seed):
    random = np.random.default_rng(seed)
    f, x = random_element(random), random.standard_normal((1, 3))
    assert element(x, [1.0]).inner(f)[0, 0] == pytest.approx(f(x)[0, 0], abs=1e-12)


@given(seeds)
def test_inner_product_7_does_not_depend_on_how_an_element_is_written(seed):
    random = np.random.default_rng(seed)
    f, g = random_element(random), random_element(random)
    share = random.uniform(-2, 2, 6)
    split = element(np.vstack([f.points, f.points]), np.r_[share, f.coefficients.ravel() - share])
    assert split.inner(g)[0, 0] == pytest.approx(f.inner(g)[0, 0], abs=1e-11)


@given(seeds)
def test_cauchy_schwarz_7(seed):
    random = np.random.default_rng(seed)
    f, g = random_element(random), random_element(random)
    assert f.inner(g)[0, 0] ** 2 <= f.inner(f)[0, 0] * g.inner(g)[0, 0] * (1 + 1e-12)


@given(seeds)
def test_projection_8_leaves_a_residual_orthogonal_to_the_direction(seed):
    random = np.random.default_rng(seed)
    w, x = random_element(random), random.standard_normal((1, 3))
    share = w(x)[0, 0] / w.inner(w)[0, 0]
    residual = element(np.vstack([x, w.points]), np.r_[1.0, -share * w.coefficients.ravel()])
    assert residual.inner(w)[0, 0] == pytest.approx(0, abs=1e-11)


@given(seeds)
def test_smoothness_9_values_differ_by_at_most_the_norm_times_the_distance_over_sigma(seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((30, 3))
    machine = wm.SVC(kernel=wm.Gaussian.from_sigma(0.8), C=5.0).fit(X, np.arange(30) % 2)
    f = Expansion(machine.kernel_, machine.support_vectors_, machine.dual_coef_.T, machine.intercept_)
    x, z = random.standard_normal((2, 10, 3))
    bound = f.norm()[0] * np.linalg.norm(x - z, axis=1) / 0.8
    assert (np.abs(f(x) - f(z)).ravel() <= bound * (1 + 1e-12)).all()
