"""lambda, C and the ridge are one thing."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import widemargin as wm
from widemargin import Regularization

positive = st.floats(1e-9, 1e9)


@given(lam=positive, n=st.integers(1, 10**6))
def test_the_conversions_are_inverse_to_one_another(lam, n):
    one = Regularization(lam, n)
    assert one.ridge == pytest.approx(1 / (2 * one.C))
    assert Regularization.from_C(one.C, n).lam == pytest.approx(lam)
    assert Regularization.from_ridge(one.ridge, n).lam == pytest.approx(lam)


def test_fits_through_each_agree():
    random = np.random.default_rng(0)
    X = random.normal(size=(40, 3))
    y = np.where(X[:, 0] + 0.5 * random.normal(size=40) > 0, 1.0, -1.0)
    scale = Regularization(0.02, 40)
    hinge = wm.TikhonovEstimator("hinge", wm.Gaussian(0.4), 0.02, tol=1e-10).fit(X, y)
    machine = wm.SVC(C=scale.C, kernel=wm.Gaussian(0.4), fit_intercept=False, tol=1e-10).fit(X, y)
    np.testing.assert_allclose(hinge.decision_function(X), machine.decision_function(X), atol=1e-8)
    c = np.linalg.solve(wm.Gaussian(0.4).gram(X) + scale.ridge * np.eye(40), y)
    square = wm.TikhonovEstimator("square", wm.Gaussian(0.4), 0.02).fit(X, y)
    np.testing.assert_allclose(square.dual_coef_[0], c, atol=1e-10)


@pytest.mark.parametrize(("lam", "n"), [(0.0, 3), (-1.0, 3), (np.inf, 3), (np.nan, 3), (1.0, 0)])
def test_what_is_not_positive_is_refused(lam, n):
    with pytest.raises(ValueError, match="must be a positive finite number"):
        Regularization(lam, n)


def test_a_consistent_C_makes_lam_fall_and_its_square_times_n_grow():
    C = {n: wm.regularization.consistent_C(n, c=3.0, beta=0.6) for n in (100, 10_000)}
    small, large = (wm.Regularization.from_C(C[n], n) for n in C)
    assert large.lam < small.lam
    assert large.lam**2 * large.n > small.lam**2 * small.n
    for bad in ({"n": 0}, {"n": 10, "c": 0.0}, {"n": 10, "beta": 0.5}, {"n": 10, "beta": 1.0}):
        with pytest.raises(ValueError, match=r"beta must lie|n must be at least 1"):
            wm.regularization.consistent_C(**bad)


@pytest.mark.parametrize("make", [Regularization.from_C, Regularization.from_ridge])
@pytest.mark.parametrize(("value", "n"), [(0.0, 5), (1.0, 0), (np.inf, 5), (-1.0, 5)])
def test_nor_is_it_converted(make, value, n):
    with pytest.raises(ValueError, match="must be a positive finite number"):
        make(value, n)
