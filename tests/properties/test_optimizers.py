"""What the optimisers of model selection promise, on functions whose minima are known."""

import numpy as np
import pytest

from widemargin.selection.optimizers import (
    BFGS,
    CMAES,
    BestSoFar,
    BestStart,
    Box,
    CoordinateSearch,
    Evaluation,
    Grid,
    IRpropMinus,
    IRpropPlus,
    NestedGrid,
    NoisyRprop,
    Random,
    Rprop,
    minimize,
)

SMOOTH = [Rprop, IRpropMinus, IRpropPlus, BFGS]
FREE = [Grid, NestedGrid, Random, CoordinateSearch]
START = 1.0537  # no multiple of a step away from the optimum


def quadratic(x):
    centre = np.array([1.0, -2.0])
    return float((x - centre) @ (x - centre)), 2 * (x - centre)


def tilted(x):
    """Eigenvalues 3.8 and 0.2, off the axes; minimum at (1/2, 1/2)."""
    H = np.array([[2.0, 1.8], [1.8, 2.0]])
    return float((x - 0.5) @ H @ (x - 0.5)) / 2, H @ (x - 0.5)


class Noisy:
    """The four noisy functions: gradients of a random function whose mean has its minimum at `optimum`."""

    def __init__(self, name, seed):
        self.name, self.draw = name, np.random.default_rng(seed)
        self.optimum = {"f1": [0.0], "f2": [0.5, 0.5], "f3": [0.5, 0.5], "f4": [0.75]}[name]

    def __call__(self, x):
        m = self.draw.uniform(size=x.size)
        match self.name:
            case "f1":
                sign = -1.0 if m[0] < 0.25 else 1.0
                return sign * abs(x[0]), sign * np.sign(x)
            case "f2":
                return float((x - m) @ (x - m)), 2 * (x - m)
            case "f3":
                H = np.array([[2.0, 1.8], [1.8, 2.0]])
                return float((x - m) @ H @ (x - m)) / 2, H @ (x - m)
            case _:
                return 0.0, np.where(x <= m, -3.0, 1.0)

    @property
    def start(self):
        return np.array(self.optimum) + START


@pytest.mark.parametrize("optimizer", SMOOTH)
@pytest.mark.parametrize("function", [quadratic, tilted])
def test_gradient_followers_reach_the_minimum_of_a_quadratic(optimizer, function):
    run = minimize(function, optimizer(), [3.0, 3.0], max_evaluations=2000)
    assert run.reason == "converged"
    assert run.best.value < 1e-5


@pytest.mark.parametrize("optimizer", [Rprop(), IRpropMinus(), IRpropPlus()])
def test_rprop_takes_the_same_way_through_every_increasing_function_of_the_objective(optimizer):
    def steep(x):
        value, gradient = tilted(x)
        return np.expm1(3 * value), 3 * np.exp(3 * value) * gradient

    ways = [minimize(f, optimizer, [1.3, 0.2], max_evaluations=60).history.x for f in (tilted, steep)]
    np.testing.assert_array_equal(*ways)


@pytest.mark.parametrize("name", ["f1", "f2", "f3", "f4"])
def test_noise_stalls_rprop_but_not_noisy_rprop(name):
    far, near = [], []
    for seed in range(2):
        noisy = Noisy(name, seed)
        stalled = minimize(noisy, Rprop(first_step=0.01, tolerance=0.0), noisy.start, max_evaluations=1500)
        found = minimize(noisy, NoisyRprop(first_step=0.01), noisy.start, max_evaluations=6000)
        far.append(np.abs(stalled.history.x[-1] - noisy.optimum).max())
        near.append(np.abs(found.answer - noisy.optimum).max())
    assert max(near) < 0.15
    assert np.mean(far) > 4 * np.mean(near)


def test_noisy_rprop_halves_its_distance_again_and_again_where_the_sign_is_right_in_three_of_four_cases():
    noisy = Noisy("f1", 0)
    run = minimize(noisy, NoisyRprop(first_step=0.01), noisy.start, max_evaluations=6000)
    assert abs(run.state.x[0]) < 1e-10


def test_noisy_rprop_averages_until_it_finds_the_mean_and_not_the_median():
    noisy = Noisy("f4", 1)
    run = minimize(noisy, NoisyRprop(first_step=0.01), noisy.start, max_evaluations=12_000)
    assert abs(run.answer[0] - 0.75) < 0.03
    assert run.state.averaged[0] > 1


def test_half_the_drift_statistic_takes_longer():
    steps = []
    for scale in (1.0, 0.5):
        noisy = Noisy("f1", 2)
        run = minimize(noisy, NoisyRprop(first_step=0.01, s1_scale=scale), noisy.start, max_evaluations=4000)
        steps.append(abs(run.state.x[0]))
    assert steps[0] < steps[1]


def test_episodes_and_averages_are_powers_of_two_times_the_shortest_ones():
    noisy, optimizer = Noisy("f4", 3), NoisyRprop(first_step=0.01)
    state = optimizer.init(noisy.start)
    for _ in range(3000):
        state = optimizer.step(state, [Evaluation(state.x, *noisy(state.x))])
        assert state.episodes[0] >= 40
        assert state.averaged[0] >= 1
        assert np.log2(state.episodes[0] / 40) % 1 == 0
        assert np.log2(state.averaged[0]) % 1 == 0


def test_noisy_rprop_does_not_look_at_values():
    draw = np.random.default_rng(0)
    ways = []
    for scale in (0.0, 100.0):
        noisy = Noisy("f2", 4)

        def function(x, noisy=noisy, scale=scale):
            return scale * draw.normal(), noisy(x)[1]

        ways.append(minimize(function, NoisyRprop(), noisy.start, max_evaluations=500).history.x)
    np.testing.assert_array_equal(*ways)


def test_a_walk_at_a_fixed_step_spreads_as_its_stationary_law_says():
    """Right of the optimum of f1 each point of the lattice is a third as frequent as the one before."""
    draw, x, counts = np.random.default_rng(5), 0.5, {}
    for _ in range(60_000):
        x -= np.sign(x) * (1 if draw.uniform() < 0.75 else -1)
        counts[x] = counts.get(x, 0) + 1
    for k in (0.5, 1.5, 2.5):
        assert counts[k + 1] / counts[k] == pytest.approx(1 / 3, rel=0.1)


@pytest.mark.parametrize(
    "optimizer", [*(kind() for kind in SMOOTH), NoisyRprop(), *(kind() for kind in FREE)]
)
def test_steps_are_pure(optimizer):
    def after(n):
        state = optimizer.init([1.0, 2.0], random_state=0)
        for _ in range(n):
            state = optimizer.step(state, [Evaluation(x, *quadratic(x)) for x in state.points])
        return state

    state = after(2)
    evaluations = [Evaluation(x, *quadratic(x)) for x in state.points]
    before = state.points.copy()
    twice = [optimizer.step(state, evaluations).points for _ in range(2)]
    np.testing.assert_array_equal(*twice)
    np.testing.assert_array_equal(state.points, before)
    np.testing.assert_array_equal(after(3).points, twice[0])


@pytest.mark.parametrize(
    "optimizer", [*(kind() for kind in SMOOTH), NoisyRprop(), *(kind() for kind in FREE)]
)
def test_no_point_is_outside_the_box(optimizer):
    box = Box.around(np.zeros(2), 0.7)
    run = minimize(
        quadratic if optimizer.uses_gradient else lambda x: quadratic(x)[0],
        optimizer,
        [0.0, 0.0],
        box=box,
        random_state=0,
        max_evaluations=200,
    )
    assert (np.abs(run.history.x) <= 0.7 + 1e-12).all()


def test_a_grid_prefers_the_middle_of_a_plateau():
    run = minimize(lambda x: float(max(0.0, abs(x[0]) - 1.5)), Grid(reach=2.0, points=9), [0.0])
    assert run.answer[0] == 0.0
    run = minimize(lambda x: float(not 0.4 < x[0] < 2.1), Grid(reach=2.0, points=9), [0.0])
    assert run.answer[0] == 1.0


def test_a_nested_grid_is_finer_than_its_first_grid_where_it_matters():
    coarse = minimize(lambda x: abs(x[0] - 0.8), Grid(reach=4.0, points=5), [0.0])
    fine = minimize(lambda x: abs(x[0] - 0.8), NestedGrid(reach=4.0, points=5, rounds=4), [0.0])
    assert fine.best.value < coarse.best.value / 4
    assert len(fine.history) == 5 + 4 * 2


def test_a_grid_over_many_parameters_is_refused():
    with pytest.raises(ValueError, match="fewer points per axis"):
        Grid().init(np.zeros(20))


def test_random_points_depend_on_the_seed_alone():
    runs = [minimize(lambda x: x @ x, Random(), [0.0], random_state=s, max_evaluations=9) for s in (1, 1, 2)]
    np.testing.assert_array_equal(runs[0].history.x, runs[1].history.x)
    assert not np.array_equal(runs[0].history.x, runs[2].history.x)


def test_evolution_finds_the_minimum_without_derivatives_and_leaves_the_global_generator_alone():
    pytest.importorskip("cma")
    before = np.random.get_state()[1].copy()  # noqa: NPY002
    runs = [minimize(lambda x: quadratic(x)[0], CMAES(), [0.0, 0.0], random_state=3) for _ in range(2)]
    np.testing.assert_array_equal(runs[0].history.x, runs[1].history.x)
    np.testing.assert_array_equal(np.random.get_state()[1], before)  # noqa: NPY002
    assert runs[0].best.value < 1e-4


def test_without_the_package_evolution_says_what_to_install(monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "cma", None)
    with pytest.raises(ImportError, match=r"pip install widemargin\[cma\]"):
        CMAES().init([0.0])


def test_the_best_point_so_far_is_remembered():
    optimizer = BestSoFar(Rprop(first_step=1.5))
    state = optimizer.init([0.1])
    for _ in range(5):
        state = optimizer.step(state, [Evaluation(x, float(x @ x), 2 * x) for x in state.points])
    assert state.best.x == pytest.approx([0.1])


def test_values_that_are_no_numbers_are_the_worst():
    run = minimize(lambda x: np.nan if x[0] < 0 else x[0] ** 2, Grid(reach=1.0, points=5), [0.0])
    assert run.best.value == 0.0


def test_limits_end_a_run():
    assert minimize(quadratic, Rprop(), [0.0, 0.0], max_evaluations=3).reason == "max_evaluations"
    nothing = minimize(quadratic, Rprop(), [4.0, 5.0], max_time=0.0)
    assert nothing.reason == "max_time"
    assert nothing.best is None
    np.testing.assert_array_equal(nothing.answer, [4.0, 5.0])
    stopped = minimize(quadratic, Rprop(), [0.0, 0.0], callback=lambda evaluation, done: done == 4)
    assert (stopped.reason, len(stopped.history)) == ("callback", 4)


def test_an_interrupted_run_keeps_what_it_knows():
    seen = []

    def function(x):
        seen.append(x)
        if len(seen) == 4:
            raise KeyboardInterrupt
        return quadratic(x)

    run = minimize(function, IRpropPlus(), [0.0, 0.0])
    assert (run.reason, len(run.history)) == ("interrupted", 3)
    assert run.best.value == run.history.value.min()


def test_a_run_interrupted_between_evaluations_keeps_what_it_knows():
    def interrupt(evaluation, done):
        if done == 3:
            raise KeyboardInterrupt

    run = minimize(quadratic, IRpropPlus(), [0.0, 0.0], callback=interrupt)
    assert (run.reason, len(run.history)) == ("interrupted", 3)
    assert run.best.value == run.history.value.min()


def double_well(x):
    """Minima near -3 and +3 in the first coordinate, the left one lower; at 0 in all others."""
    wells = (x[0] ** 2 - 9) ** 2 / 9 + x[0]
    rest = x[1:] @ x[1:]
    return float(wells + rest), np.r_[4 * x[0] * (x[0] ** 2 - 9) / 9 + 1, 2 * x[1:]]


@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_best_start_leaves_the_valley_of_the_given_one(n):
    start = np.full(n, 2.5)
    trapped = minimize(double_well, IRpropPlus(), start)
    free = minimize(double_well, BestStart(IRpropPlus()), start)
    assert trapped.answer[0] > 2 and free.answer[0] < -2
    np.testing.assert_allclose(free.answer[1:], 0.0, atol=1e-2)


def test_starts_are_the_given_one_and_moves_of_the_first_and_of_all_others_within_the_box():
    optimizer = BestStart(IRpropPlus(), first=(-6.0, 0.0), others=(-1.0, 0.0))
    state = optimizer.init([4.0, 1.0, 1.0], Box.around(np.array([4.0, 1.0, 1.0]), 5.0))
    expected = [[4, 1, 1], [-1, 0, 0], [-1, 1, 1], [4, 0, 0]]
    np.testing.assert_array_equal(state.points, expected)


def test_a_search_that_ends_among_the_starts_answers_the_best_of_them():
    run = minimize(double_well, BestStart(IRpropPlus()), [2.5, 0.0], max_evaluations=6)
    assert run.reason == "max_evaluations"
    assert double_well(run.answer)[0] == run.history.value.min()


@pytest.mark.parametrize("optimizer", [Rprop(), IRpropMinus(), IRpropPlus()])
def test_a_coordinate_that_runs_out_of_the_box_does_not_keep_the_others_from_an_end(optimizer):
    def slide(x):
        return (x[0] - 1) ** 2 - x[1], np.array([2 * (x[0] - 1), -1.0])

    run = minimize(slide, optimizer, [0.0, 0.0], box=Box.around(np.zeros(2), 8.0), max_evaluations=1000)
    assert run.reason == "converged"
    np.testing.assert_allclose(run.best.x, [1.0, 8.0], atol=1e-3)
    fall = minimize(
        lambda x: (-x.sum(), -np.ones(2)), optimizer, [0.0, 0.0], box=Box.around(np.zeros(2), 8.0)
    )
    assert (fall.reason, fall.best.value) == ("converged", -16.0)
    assert len(fall.history) < 30


@pytest.mark.parametrize("seed", range(5))
def test_a_coordinate_search_ends_where_no_factor_improves_any_parameter(seed):
    random = np.random.default_rng(seed)
    roots, centre = random.normal(size=(3, 3)), random.normal(scale=3, size=3)

    def bowl(x):
        return float(np.linalg.norm(roots @ (x - centre)))

    run = minimize(bowl, CoordinateSearch(factor=1.5), np.zeros(3), max_evaluations=2000)
    assert run.reason == "converged"
    for move in np.log(1.5) * np.vstack([np.eye(3), -np.eye(3)]):
        assert bowl(run.answer + move) >= run.best.value


@pytest.mark.parametrize(("last_first", "coordinate"), [(True, 1), (False, 0)])
def test_a_coordinate_search_follows_one_parameter_to_its_end_before_the_next(last_first, coordinate):
    run = minimize(
        lambda x: abs(x[0] - np.log(8)) + abs(x[1] - np.log(8)),
        CoordinateSearch(last_first=last_first),
        [0.0, 0.0],
    )
    assert np.exp(run.answer) == pytest.approx([8, 8])
    moved = np.abs(np.diff(run.history.x, axis=0)) > 1e-12
    assert not moved[:5, 1 - coordinate].any()


def test_a_coordinate_search_refuses_a_factor_that_goes_nowhere():
    with pytest.raises(ValueError, match="factor must be a finite number above 1, not 1"):
        CoordinateSearch(factor=1).init([0.0])
