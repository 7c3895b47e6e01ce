"""The core of LASVM against its slow twin, step by step."""

import numpy as np
import pytest

from reference.lasvm import Lasvm, State
from widemargin import _core
from widemargin.kernels import Linear
from widemargin.problems import soft_margin

RULES = {
    "second-order": _core.Selection.second_order,
    "most-violating-pair": _core.Selection.most_violating_pair,
}


def short_numbers(seed, n=60, d=4):
    """Points whose kernel values are exact in any precision, and noisy labels."""
    random = np.random.default_rng(seed)
    X = random.integers(-512, 512, (n, d)) / 256
    return X, np.where(X[:, 0] + X[:, 1] + random.normal(size=n) > 0, 1.0, -1.0)


def learnt(X, y, C, rule, order, most=10000, cache=2**20):
    learner, gram, problem = _core.OnlineLearner(), Linear().bind(X), soft_margin(y, C)
    rows = np.asarray(order, dtype=np.int32)
    box = problem.linear[rows], problem.lower[rows], problem.upper[rows]
    learner.learn(gram, rows, *box, RULES[rule], 1e-3, most, 5, cache, None)
    return learner


def follow(X, y, C, rule, order, most=10000):
    """Let the learner go on example by example; each time it must be where the twin may be."""
    twin, state, learner = Lasvm(X @ X.T, y, C, rule, most=most), State(), _core.OnlineLearner()
    gram, problem = Linear().bind(X), soft_margin(y, C)
    for k in order:
        rows = np.array([k], dtype=np.int32)
        box = problem.linear[rows], problem.lower[rows], problem.upper[rows]
        learner.learn(gram, rows, *box, RULES[rule], 1e-3, most, 5, 2**20, None)
        a = dict(zip(learner.points.tolist(), learner.alpha.tolist(), strict=True))
        ends = [end for end in twin.learn(state, k) if set(a) == end.S]
        ends = [end for end in ends if all(abs(end.of(s) - a[s]) < 1e-9 * C for s in a)]
        assert ends, f"the twin does not go there after example {k}"
        state = State(ends[0].S, {s: value for s, value in a.items() if value != 0}, ends[0].begun)
    assert learner.objective == pytest.approx(twin.f(state), rel=1e-10)
    assert learner.violation == pytest.approx(max(0, twin.violation(state)), rel=1e-8, abs=1e-10)
    return learner


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("C", [0.01, 1.0])
def test_it_takes_the_steps_of_the_twin(rule, seed, C):
    X, y = short_numbers(seed)
    learner = follow(X, y, C, rule, range(len(y)))
    assert 2 < learner.size < len(y)


@pytest.mark.parametrize("rule", RULES)
def test_it_takes_the_steps_of_the_twin_in_further_epochs(rule):
    X, y = short_numbers(0)
    follow(X, y, 0.1, rule, np.tile(np.arange(len(y)), 2))


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("seed", range(2))
def test_a_full_set_takes_no_newcomers(rule, seed):
    X, y = short_numbers(seed)
    assert follow(X, y, 0.1, rule, range(len(y)), most=16).size == 16


def test_the_size_of_the_cache_does_not_change_a_step_of_the_most_violating_pair():
    X, y = short_numbers(1, n=200)
    whole = learnt(X, y, 0.1, "most-violating-pair", range(200))
    small = learnt(X, y, 0.1, "most-violating-pair", range(200), cache=0)
    assert whole.points.tolist() == small.points.tolist()
    np.testing.assert_array_equal(whole.alpha, small.alpha)
    assert small.row_bytes < whole.row_bytes
    assert small.counters["cache_misses"] > whole.counters["cache_misses"] == 0


def test_second_order_prefers_partners_whose_row_is_kept():
    X, y = short_numbers(1, n=400)
    whole, small = (learnt(X, y, 0.1, "second-order", range(400), cache=cache) for cache in (2**20, 20_000))
    violating = learnt(X, y, 0.1, "most-violating-pair", range(400), cache=20_000)
    assert 0 < small.counters["cache_misses"] < violating.counters["cache_misses"]
    assert small.objective > 0.99 * whole.objective


def test_a_small_cache_keeps_to_its_budget():
    X, y = short_numbers(1, n=300)
    learner = learnt(X, y, 0.1, "most-violating-pair", range(300), cache=8000)
    assert 4 * 4 * learner.size < learner.row_bytes <= 8000


def test_the_gradient_is_computed_again_before_rounding_adds_up():
    random = np.random.default_rng(0)
    X = random.normal(size=(3000, 2)) + 1e3  # far from the origin: kernel values are rounded to 0.06
    y = np.where(X[:, 0] > 1e3, 1.0, -1.0)
    learner = learnt(X, y, 10.0, "second-order", range(3000), most=200)
    a, S = learner.alpha, learner.points
    true = y[S] - Linear().gram(X[S]) @ a
    assert learner.counters["refreshes"] > 0
    spread = np.abs(learner.state()["gradient"] - true).max()
    assert spread < 1e-3 * np.abs(true).max()
