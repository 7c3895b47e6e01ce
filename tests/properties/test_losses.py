"""Losses: convexity, sub-gradients, margin forms, bounds and population minimisers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.base import clone

from widemargin import losses
from widemargin.losses import (
    Absolute,
    EpsilonInsensitive,
    ExponentialLoss,
    Hinge,
    Logistic,
    Power,
    Ramp,
    Square,
    SquaredHinge,
    ZeroOne,
)

MARGIN = [Hinge(), SquaredHinge(), Power(1.5), Power(3), ExponentialLoss(), Logistic()]
DIFFERENCE = [Square(), Absolute(), EpsilonInsensitive(0.3)]
BOUNDED = [Ramp(0.5), Ramp(2.0), ZeroOne()]
CONVEX = MARGIN + DIFFERENCE
ALL = CONVEX + BOUNDED

values = st.floats(-20, 20)
labels = st.sampled_from([-1.0, 1.0])


def named(many):
    return pytest.mark.parametrize("loss", many, ids=repr)


@named(CONVEX)
@given(f=values, h=values, t=st.floats(0, 1), y=labels)
def test_a_convex_loss_lies_below_its_chords_and_above_its_tangents(loss, f, h, t, y):
    low, high = loss.value(f, y), loss.value(h, y)
    slack = 1e-9 * (1 + low + high)
    assert loss.value((1 - t) * f + t * h, y) <= (1 - t) * low + t * high + slack
    assert high >= low + loss.subgradient(f, y) * (h - f) - slack


@named(ALL)
def test_the_slope_is_that_of_the_values_where_there_is_one(loss):
    f, y = np.random.default_rng(0).uniform(-3, 3, size=200), np.tile([-1.0, 1.0], 100)
    h = 1e-6
    numerical = (loss.value(f + h, y) - loss.value(f - h, y)) / (2 * h)
    np.testing.assert_allclose(loss.subgradient(f, y), numerical, atol=1e-4, rtol=1e-6)


@named(ALL)
@given(f=values, y=labels)
def test_losses_of_margins_depend_on_the_margin_only(loss, f, y):
    if loss.has_margin_form:
        assert loss.value(f, y) == pytest.approx(loss.margin(y * f), rel=1e-12)
    else:
        with pytest.raises(ValueError, match="no function of the margin"):
            loss.margin(f)


@named(ALL)
@given(f=values, h=values, y=labels)
def test_no_two_values_differ_by_more_than_the_lipschitz_constant_allows(loss, f, h, y):
    if np.isfinite(loss.lipschitz):
        bound = loss.lipschitz * abs(f - h) * (1 + 1e-9) + 1e-9
        assert abs(loss.value(f, y) - loss.value(h, y)) <= bound


@named(ALL)
def test_B_is_the_largest_loss_of_the_function_zero(loss):
    assert loss.bound == max(loss.value(0.0, -1.0), loss.value(0.0, 1.0))


def test_the_published_values_of_B():
    assert [loss.bound for loss in (Hinge(), SquaredHinge(), Power(3), Square(), Absolute(), ZeroOne())] == [
        1
    ] * 6
    assert EpsilonInsensitive(0.25).bound == 0.75


@named([loss for loss in ALL if not isinstance(loss, EpsilonInsensitive) or isinstance(loss, Absolute)])
@pytest.mark.parametrize("p", [0.1, 0.35, 0.8])
def test_the_population_minimiser_minimises_the_expected_loss(loss, p):
    grid = np.linspace(-4, 4, 8001)
    expected = p * loss.value(grid, 1.0) + (1 - p) * loss.value(grid, -1.0)
    f = loss.population_minimizer(p)
    here = p * loss.value(f, 1.0) + (1 - p) * loss.value(f, -1.0)
    assert here <= expected.min() + 1e-6


def test_the_square_loss_has_twice_the_probability_minus_one_and_power_3_its_square_roots():
    np.testing.assert_allclose(Square().population_minimizer([0.2, 0.5, 1.0]), [-0.6, 0.0, 1.0])
    np.testing.assert_allclose(SquaredHinge().population_minimizer([0.2, 0.5]), [-0.6, 0.0])
    np.testing.assert_allclose(
        Power(3).population_minimizer(0.8), (0.8**0.5 - 0.2**0.5) / (0.8**0.5 + 0.2**0.5)
    )


@pytest.mark.filterwarnings("error::RuntimeWarning")
def test_a_power_near_one_has_the_population_minimiser_of_the_hinge():
    p = [0.0, 0.2, 0.5, 0.8, 1.0]
    np.testing.assert_allclose(Power(1.0005).population_minimizer(p), Hinge().population_minimizer(p))


def test_an_unknown_population_minimiser_is_said_to_be_unknown():
    with pytest.raises(ValueError, match="EpsilonInsensitive"):
        EpsilonInsensitive(0.1).population_minimizer(0.3)


@named([Hinge(), Square(), ExponentialLoss()])
@given(z=values)
def test_the_conditions_of_decoding_hold(loss, z):
    assert (loss.margin(z) + loss.margin(-z)) / 2 >= loss.margin(0.0) - 1e-12
    if z < 0:
        assert loss.margin(z) >= loss.margin(0.0) >= 0


@given(f=values, y=labels, gamma=st.floats(0.01, 10))
def test_the_ramp_covers_the_zero_one_loss(f, y, gamma):
    assert Ramp(gamma).value(f, y) >= ZeroOne().value(f, y)


def test_extreme_margins_do_not_overflow():
    z = np.array([-1e5, 1e5])
    np.testing.assert_allclose(Logistic().value(z, 1.0), [1e5, 0.0])
    np.testing.assert_allclose(Logistic().subgradient(z, 1.0), [-1.0, 0.0])


@pytest.mark.parametrize(
    ("loss", "message"),
    [
        (Power(1.0), "q must be a finite number above 1, not 1.0"),
        (EpsilonInsensitive(-1.0), "epsilon must be a finite number >= 0, not -1.0"),
        (Ramp(0.0), "gamma must be a positive finite number, not 0.0"),
    ],
)
def test_bad_parameters_are_named(loss, message):
    with pytest.raises(ValueError, match=message):
        loss.value(0.0, 1.0)


@named(ALL)
def test_losses_are_records_that_can_be_cloned(loss):
    assert clone(loss).get_params() == loss.get_params()
    assert type(loss).__name__ in losses.__all__
