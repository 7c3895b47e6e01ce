"""Reduced sets: projections, choices, constructions (kernel-methods notes, section 4.9, property 33)."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import widemargin as wm
from reference import reduced_set as reference
from widemargin.reduction import construct, project, select
from widemargin.reduction.construction import _Distance

seeds = st.integers(0, 10_000)
few = settings(max_examples=20)
KERNELS = [wm.Gaussian(0.7), wm.Polynomial(2, 0.5, 1.0), wm.Laplacian(0.4), wm.ARDGaussian([0.3, 1.0, 0.6])]


def random_function(seed, n=12, columns=2, kernel=None):
    random = np.random.default_rng(seed)
    points, coefficients = random.standard_normal((n, 3)), random.standard_normal((n, columns))
    return wm.Expansion(kernel or wm.Gaussian(0.7), points, coefficients, random.standard_normal(columns))


@pytest.mark.parametrize("kernel", KERNELS)
@given(seeds)
@few
def test_the_projection_agrees_with_the_function_at_its_points(kernel, seed):
    f = random_function(seed, kernel=kernel)
    z = np.random.default_rng(seed + 1).standard_normal((4, 3))
    np.testing.assert_allclose(project(f, z)(z), f(z), atol=1e-8)


@given(seeds)
@few
def test_no_other_coefficients_are_nearer_than_those_of_the_projection(seed):
    random, f = np.random.default_rng(seed), random_function(seed)
    g = project(f, random.standard_normal((4, 3)))
    for size in (1e-2, 1.0):
        moved = g.coefficients + size * random.standard_normal((4, 2))
        other = wm.Expansion(g.kernel, g.points, moved, g.offsets)
        assert (f.distance(other) >= f.distance(g) - 1e-9).all()


@given(seeds)
@few
def test_the_greedy_choice_is_that_of_trying_every_point(seed):
    f = random_function(seed)
    chosen, squared = reference.greedy(f.kernel.gram(f.points), f.coefficients, 5)
    np.testing.assert_array_equal(select(f, 5), chosen)
    for m in range(1, 6):
        g = project(f, f.points[chosen[:m]])
        assert (f.distance(g) ** 2).sum() == pytest.approx(squared[m - 1], abs=1e-9)


@given(seeds)
@few
def test_the_choice_for_fewer_points_is_the_beginning_of_that_for_more_33(seed):
    f = random_function(seed)
    chosen = select(f, 12)
    np.testing.assert_array_equal(select(f, 5), chosen[:5])
    distances = [(f.distance(project(f, f.points[chosen[:m]])) ** 2).sum() for m in range(1, 13)]
    assert (np.diff(distances) <= 1e-9).all()
    assert distances[-1] <= 1e-9  # with all points nothing is lost


def test_points_that_add_nothing_are_not_chosen():
    x = np.repeat(np.random.default_rng(0).standard_normal((4, 3)), 3, axis=0)
    f = wm.Expansion(wm.Gaussian(0.7), x, np.ones((12, 1)), np.zeros(1))
    assert sorted(select(f, 12) // 3) == [0, 1, 2, 3]


@given(seeds)
@few
def test_the_gradient_of_the_distance_is_that_of_differences(seed):
    random, gamma = np.random.default_rng(seed), 0.7
    x, a, z = random.standard_normal((8, 2)), random.standard_normal((8, 2)), random.standard_normal((3, 2))
    f = wm.Expansion(wm.Gaussian(gamma), x, a, np.zeros(2))
    value, gradient = _Distance(f, np.sqrt(gamma) * x)((np.sqrt(gamma) * z).ravel())
    assert value == pytest.approx(reference.distance_from_span(z, x, a, gamma), abs=1e-8)
    for i, step in enumerate(np.eye(6).reshape(6, 3, 2) * 1e-5):
        ahead, behind = (reference.distance_from_span(z + s * step, x, a, gamma) for s in (1, -1))
        assert np.sqrt(gamma) * gradient[i] == pytest.approx((ahead - behind) / 2e-5, abs=1e-5)


@pytest.mark.parametrize("kernel", [KERNELS[0], KERNELS[3]])
@given(seeds)
@few
def test_constructed_points_are_never_farther_than_chosen_ones(kernel, seed):
    f = random_function(seed, kernel=kernel)
    chosen = project(f, f.points[select(f, 3)])
    assert (f.distance(construct(f, 3)) ** 2).sum() <= (f.distance(chosen) ** 2).sum() + 1e-12


def test_the_pre_image_of_a_single_kernel_function_is_found():
    """f is a sum of two bells so near to each other that it is nearly one, half-way between them."""
    x = np.array([[0.0, 1.0], [0.0, 1.02]])
    f = wm.Expansion(wm.Gaussian(0.5), x, np.ones((2, 1)), np.zeros(1))
    g = construct(f, 1)
    np.testing.assert_allclose(g.points, [[0.0, 1.01]], atol=1e-4)
    np.testing.assert_allclose(g.coefficients, [[2.0]], atol=1e-3)


@pytest.mark.parametrize("method", ["selection", "construction"])
@given(seeds)
@settings(max_examples=5)
def test_decision_values_change_by_at_most_kappa_times_the_distance(method, seed):
    random = np.random.default_rng(seed)
    X = random.standard_normal((40, 3))
    machine = wm.SVC(kernel=wm.Gaussian(0.5), C=5.0).fit(X, np.arange(40) % 2)
    small = wm.compress(machine, 6, method)
    anywhere = random.standard_normal((200, 3)) * 2
    change = np.abs(small.decision_function(anywhere) - machine.decision_function(anywhere))
    assert (change <= small.compression_.distance[0] + 1e-9).all()  # kappa = 1
    assert change.max() > 0


def test_the_bound_grows_with_the_length_of_the_points_where_kappa_is_not_bounded():
    random = np.random.default_rng(0)
    X = random.standard_normal((60, 3))
    machine = wm.SVC(kernel=wm.Polynomial(3, 0.5, 1.0), C=5.0).fit(X, np.arange(60) % 2)
    small = wm.compress(machine, 8)
    anywhere = random.standard_normal((200, 3)) * 3
    change = np.abs(small.decision_function(anywhere) - machine.decision_function(anywhere))
    assert (change <= small.compression_.bound(anywhere)[:, 0]).all()
    assert change.max() > small.compression_.distance[0]


def test_predictions_agree_more_and_more_33():
    moons = wm.datasets.two_moons(200, seed=0)
    machine = wm.SVC(C=10, gamma=2.0).fit(moons.X, moons.y)
    n, values = len(machine.support_), machine.decision_function(moons.X)
    small = [wm.compress(machine, m) for m in (2, 8, n // 2, n)]
    distances = [each.compression_.distance[0] for each in small]
    assert distances == sorted(distances, reverse=True)
    np.testing.assert_allclose(small[-1].decision_function(moons.X), values, atol=1e-6)
    agreement = [np.mean(each.predict(moons.X) == machine.predict(moons.X)) for each in small]
    assert agreement[0] < agreement[2] <= agreement[3] == 1.0
