"""What cannot be done is refused before anything is."""

import numpy as np
import pytest

import widemargin as wm
from widemargin.least_squares import LeastSquares


@pytest.fixture
def no_fits(monkeypatch):
    def fit(*_, **__):
        raise AssertionError("something was fitted")

    monkeypatch.setattr(LeastSquares, "fit", fit)


def test_a_small_cache_is_named_before_gamma_is_searched(no_fits):
    X = np.random.default_rng(0).normal(size=(400, 3))
    with pytest.raises(ValueError, match=r"cache_size is too small .* take fewer centres"):
        wm.RLSRegressor(cache_size=1).fit(X, X[:, 0])


def test_many_centres_are_named_before_gamma_is_searched(no_fits, monkeypatch):
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.DIRECT_CENTRES", 20)
    X = np.random.default_rng(0).normal(size=(60, 3))
    with pytest.raises(ValueError, match="30 centres are solved for by conjugate gradients"):
        wm.RLSRegressor(centres=30, gamma="loo").fit(X, X[:, 0])


@pytest.mark.parametrize(
    ("centres", "words"), [(np.full((3, 2), np.nan), "NaN"), (np.ones((30, 2)), "30 centres")]
)
def test_given_centres_are_looked_at_before_the_chunks(centres, words, monkeypatch):
    monkeypatch.setattr("widemargin.estimators.low_rank_machine.DIRECT_CENTRES", 20)

    def chunks():
        raise AssertionError("a chunk was read")

    with pytest.raises(ValueError, match=words):
        wm.RLSRegressor(centres=centres).fit_chunks(chunks)


def test_passes_over_chunks_are_told_apart(caplog):
    X = np.random.default_rng(0).normal(size=(60, 2))
    with caplog.at_level("INFO", logger="widemargin"):
        machine = wm.RLSRegressor(centres=10, solver="cg", lam=1e-3, gamma=0.5, verbose=True)
        machine.fit_chunks([(X[:30], X[:30, 0]), (X[30:], X[30:, 0])])
    said = [record.getMessage() for record in caplog.records]
    assert "first pass: 30 rows" in said and "first pass: 60 rows" in said
    assert any(line.startswith("conjugate gradients, pass 2: 60 of 60 rows") for line in said)
