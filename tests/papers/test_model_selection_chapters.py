"""Chapters 9 to 11 of the thesis: limits of kernels, the stretched chess board, noisy functions."""

import io

import numpy as np
import pytest

from widemargin.papers import (
    boundary_optima,
    experiments,
    kernel_limits,
    many_optima,
    noisy_functions,
    objective_surfaces,
    rotated_chess_board,
    walk_statistics,
)
from widemargin.papers.objective_surfaces import Extent, local_minima
from widemargin.papers.rotated_chess_board import VARIANTS, Trial, descend, judge
from widemargin.selection.optimizers import NoisyRprop, Rprop


def rebuilt(name):
    table = experiments[name].run(out=io.StringIO())
    assert table.rows and table.complete
    return table


# --- chapter 9 ------------------------------------------------------------------------------------


def test_machines_and_objectives_reach_the_limits_of_narrow_and_wide_kernels():
    for record in rebuilt("kernel-limits").records():
        assert record["largest difference"] < (1e-4 if record["quantity"] == "R" else 1e-7)
        assert record["ours"] == pytest.approx(record["by formula"], abs=1e-4)


def test_a_narrow_machine_gives_far_away_points_to_the_majority():
    for seed in range(6):
        near = kernel_limits.narrow(kernel_limits.random_sample(seed))
        positive, negative = near.counts
        if positive != negative:
            far = near.machine.predict(np.full((1, kernel_limits.DIMENSIONS), 1e3))[0]
            assert far == np.sign(positive - negative)


def test_the_closest_pair_decides_whether_a_search_runs_to_the_boundary():
    for record in rebuilt("boundary-optima").records():
        for column in ("as predicted", "flipped, as predicted"):
            right, of = map(int, record[column].split(" of "))
            assert right == of > 10


def test_the_closest_pair_outweighs_all_others_in_kernel_and_derivative():
    for seed in range(5):
        sample = kernel_limits.random_sample(seed)
        gamma = boundary_optima.dominating_gamma(sample)
        squared = np.sort(((sample.X[:, None] - sample.X) ** 2).sum(axis=2)[np.triu_indices(12, 1)])
        # quotients of kernels, so that nothing is zero in rounding
        others = np.exp(-gamma * (squared[1:] - squared[0]))
        assert others.sum() < 1e-3
        assert (others * squared[1:] / squared[0]).sum() < 1e-3 * squared[-1] / squared[0]


def test_quotients_of_kernels_are_powers_of_quotients():
    a, b, gamma = 0.7, 1.9, 3.3
    assert np.exp(-gamma * a) / np.exp(-gamma * b) == pytest.approx((np.exp(-a) / np.exp(-b)) ** gamma)


def test_some_sample_has_two_minima_of_radius_over_margin_and_the_heuristic_leads_away_from_the_boundary():
    curve = many_optima.Curve.of("radius-margin", 5, 60)
    assert curve.minima == 2
    for name in ("radius-margin", "polarization", "alignment"):
        assert many_optima.Curve.of(name, 5, 60).is_inside


def test_the_curves_are_drawn_with_the_end_of_each_search():
    figure = many_optima.draw(cells=10)
    assert [len(ax.lines) for ax in figure.axes] == [2] * 4


def test_minima_of_a_curve_count_ends_and_plains_once():
    def minima(*values):
        return many_optima.Curve(np.arange(len(values)), np.array(values, dtype=float), 0.0, 0.0).minima

    assert minima(1, 2, 3) == minima(3, 2, 1) == minima(2, 1, 1, 1, 2) == 1
    assert minima(1, 2, 1, 1, 3, 0) == 3
    assert minima(-1, -3, -2, -4) == 2
    assert minima(5, 5, 5) == 1


def test_minima_of_a_surface_are_cells_or_plains_with_higher_ones_around():
    x = np.linspace(-2, 2, 21)
    bowl = x[:, None] ** 2 + x**2
    assert local_minima(bowl) == 1
    assert local_minima(np.maximum(bowl, 1.0)) == 1
    assert local_minima((x[:, None] ** 2 - 1) ** 2 + (x**2 - 1) ** 2) == 4
    assert local_minima(np.zeros((4, 4))) == 1


def test_surfaces_say_how_objectives_go_with_the_test_error():
    extent = Extent(n=60, n_test=1500, cells=5, draws=4)
    sample = objective_surfaces.chess_board(extent.n, seed=0)
    errors = objective_surfaces.errors_of_cells(sample, extent)
    surfaces = {
        name: objective_surfaces.surface(name, sample, extent) for name in objective_surfaces.OBJECTIVES
    }
    assert all(values.shape == (5, 5) for values in surfaces.values())
    assert (surfaces["span bound"] >= surfaces["leave-one-out"] - 1e-6).all()
    assert objective_surfaces.correlation(surfaces["likelihood"], errors) > 0.5
    assert objective_surfaces.correlation(surfaces["likelihood"], surfaces["bootstrap error"]) > 0.7


def test_the_surfaces_are_drawn():
    figure = objective_surfaces.draw(Extent(n=40, n_test=200, cells=3, draws=1))
    panels = [ax for ax in figure.axes if ax.get_xlabel()]
    assert len(panels) == 6


# --- chapter 10 -----------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def ends():
    """Before and after twelve steps of each variant, on one board of 250 points."""
    trial, found = Trial.draw(0, n=250), {}
    for letter, (variant, _) in VARIANTS.items():
        way = list(descend(trial, variant, 12))
        found[letter] = judge(trial, *way[0]), judge(trial, *way[-1]), way
    return found


def test_every_variant_lowers_the_quotient(ends):
    for before, after, _ in ends.values():
        assert after.quotient < before.quotient


def test_a_free_size_makes_nearly_all_points_support_vectors(ends):
    for letter in "ACE":
        before, after, _ = ends[letter]
        assert after.support > 0.75 > 1.5 * before.support
    for letter in "BD":
        before, after, _ = ends[letter]
        assert after.support < 1.2 * before.support


def test_a_fixed_size_with_free_orientation_is_the_best(ends):
    errors = {letter: after.error for letter, (_, after, _) in ends.items()}
    assert min(errors, key=errors.get) == "D"
    assert errors["E"] < errors["C"]
    before, after, _ = ends["D"]
    assert before.ratio == pytest.approx(9.0) and after.ratio < 4
    assert after.error < 0.7 * before.error


def test_a_fixed_size_is_kept(ends):
    for letter in "BD":
        way = ends[letter][2]
        sizes = [np.linalg.det(kernel.B) for _, kernel in way]
        np.testing.assert_allclose(sizes, sizes[0], rtol=1e-10)


def test_the_way_of_every_variant_is_drawn():
    figure = rotated_chess_board.draw(steps=2, n=60)
    assert [len(ax.lines) for ax in figure.axes] == [5, 5, 5]


# --- chapter 11 -----------------------------------------------------------------------------------


@pytest.mark.parametrize("function", noisy_functions.FUNCTIONS, ids=lambda function: function.name)
def test_gradients_of_the_noisy_functions_vanish_in_the_mean_at_their_optimum(function):
    random = np.random.default_rng(0)
    m = random.uniform(size=(len(function.optimum), 200_000))
    x = np.array(function.optimum)[:, None] * np.ones_like(m)
    for offset in (0.01, -0.01):
        mean = function.gradient(x + offset, m).mean(axis=1)
        assert (np.sign(mean) == np.sign(offset)).all()


@pytest.mark.parametrize("function", noisy_functions.FUNCTIONS, ids=lambda function: function.name)
def test_noise_stalls_rprop_and_not_noisy_rprop(function):
    looks = [500, 6000]
    stalled = noisy_functions.follow(function, Rprop(first_step=0.01, tolerance=0.0), looks, runs=20)
    found = noisy_functions.follow(function, NoisyRprop(first_step=0.01), looks, runs=20)
    np.testing.assert_allclose(stalled.distances[0], stalled.distances[1], atol=1e-6)
    assert np.median(found.distances[1]) < 0.6 * np.median(stalled.distances[1])


def test_f1_falls_by_the_same_factor_again_and_again():
    f1 = noisy_functions.FUNCTIONS[0]
    course = noisy_functions.follow(f1, NoisyRprop(first_step=0.01), [2000, 4000, 6000], runs=20)
    decades = np.diff(np.median(np.log10(course.distances), axis=1))
    assert (decades < -3).all() and decades[0] == pytest.approx(decades[1], rel=0.5)
    text = noisy_functions.zero_after([2000, 4000, 6000], course)
    assert text.startswith("about") and 60_000 < float(text.removeprefix("about ").replace(",", "")) < 250_000


def test_the_skewed_function_makes_noisy_rprop_average():
    f4 = noisy_functions.FUNCTIONS[3]
    course = noisy_functions.follow(f4, NoisyRprop(first_step=0.01), [4000], runs=20)
    assert course.averaged > 4
    assert np.median(course.x) == pytest.approx(0.75, abs=0.02)


def test_the_ways_on_the_noisy_functions_are_drawn():
    figure = noisy_functions.draw(iterations=300, runs=2)
    assert [len(ax.lines) for ax in figure.axes] == [4] * 4


def test_thresholds_are_the_quantiles_of_walks_without_drift():
    for record in rebuilt("walk-statistics").records():
        assert record["ours"] == pytest.approx(record["printed"], abs=0.04)


def test_short_walks_have_other_tails():
    walks = walk_statistics.statistics(20_000, 40)
    assert (walks["|S1|"] > 1.64).mean() == pytest.approx(0.081, abs=0.01)
    assert (walks["|S1|"] < 0.25).mean() == pytest.approx(0.125, abs=0.01)
    assert (walks["S2"] < 0.95).mean() == pytest.approx(0.18, abs=0.02)
