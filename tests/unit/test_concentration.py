"""Tails of bounded differences and of sums."""

import numpy as np
import pytest

from widemargin import bounds


def test_tails_dominate_simulated_frequencies():
    random = np.random.default_rng(0)
    n, draws = 40, 20_000
    means = random.integers(0, 2, size=(draws, n)).mean(axis=1) - 0.5
    for epsilon in (0.02, 0.05, 0.1, 0.2):
        c = np.full(n, 1 / n)
        assert (means >= epsilon).mean() <= bounds.mcdiarmid_tail(epsilon, c)
        assert (np.abs(means) >= epsilon).mean() <= bounds.hoeffding_tail(
            n * epsilon, np.zeros(n), np.ones(n)
        )


def test_the_width_is_the_inverse_of_the_tail():
    c = np.array([0.1, 0.4, 0.0])
    assert bounds.mcdiarmid_tail(bounds.mcdiarmid_width(0.03, c), c) == pytest.approx(0.03)
    assert bounds.mcdiarmid_tail(0.1, [0.0]) == 0.0


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: bounds.mcdiarmid_tail(-1.0, [1.0]), "epsilon"),
        (lambda: bounds.mcdiarmid_tail(1.0, [-1.0]), r"c\[0\]"),
        (lambda: bounds.mcdiarmid_width(2.0, [1.0]), "delta"),
        (lambda: bounds.hoeffding_tail(1.0, [0.0, 2.0], [1.0, 1.0]), "at 1"),
    ],
)
def test_wrong_numbers_are_named(call, words):
    with pytest.raises(ValueError, match=words):
        call()
