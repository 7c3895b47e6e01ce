"""The claims of the papers, each on a few small problems; whole tables are in test_whole_tables.py."""

import io

import numpy as np
import pytest

from widemargin.datasets import chess_board, noisy_chess_board, ringnorm, titanic, twonorm, waveform_binary
from widemargin.papers import experiments
from widemargin.papers.experiment import Experiment, Scope
from widemargin.papers.planning_ahead import SOLVERS, compare
from widemargin.papers.planning_parts import SOLVERS as PARTS
from widemargin.papers.rows_considered import VARIANTS
from widemargin.papers.statistics import geometric_mean, paired_sign, unpaired_sign
from widemargin.papers.step_sizes import EDGES, RATIOS_ONLY, draw, histogram
from widemargin.papers.table import Column, Table
from widemargin.papers.trials import Task, permuted, random_starts
from widemargin.solvers import SMO, PlanningAhead

RULES = {name: SMO(name) for name in ("second-order", "hybrid-maximum-gain")}


def rebuilt(name):
    return experiments[name].run(out=io.StringIO())


def by(table, column):
    return {record[column]: record for record in table.records()}


def test_every_experiment_says_what_it_is_and_what_it_needs():
    for experiment in experiments.values():
        assert isinstance(experiment, Experiment)
        assert experiment.title and experiment.source and experiment.needs


# --- maximum gain ---------------------------------------------------------------------------------


def test_pure_maximum_gain_is_stuck_on_the_counter_example():
    stuck = by(rebuilt("counter-example"), "rule")["maximum-gain"]
    assert stuck["status"] == "stalled"
    assert stuck["iterations"] == 1
    assert stuck["f"] == pytest.approx(0.17, abs=1e-12)
    assert stuck["violation"] == pytest.approx(1.3071796769724491)


@pytest.mark.parametrize("rule", ["hybrid-maximum-gain", "most-violating-pair", "second-order", "greedy"])
def test_every_other_rule_solves_the_counter_example_in_two_steps(rule):
    solved = by(rebuilt("counter-example"), "rule")[rule]
    assert solved["status"] == "optimal"
    assert solved["iterations"] == 2
    assert solved["f"] == pytest.approx(0.2310256681389, abs=1e-12)


@pytest.mark.parametrize(
    "task",
    [
        Task("noisy chess board", noisy_chess_board(4000, 0.2, seed=0), C=10, gamma=2),
        Task("chess board", chess_board(4000, seed=0), C=1000, gamma=2),
    ],
    ids=lambda task: task.name,
)
def test_hybrid_maximum_gain_computes_fewer_rows_than_second_order_with_one_percent_cached(task):
    task = task.with_cache_share(0.01)
    runs = random_starts(task, RULES, trials=3)
    assert max(runs.of(rule, "violation").max() for rule in RULES) <= 1e-3
    assert runs.median("hybrid-maximum-gain", "cache_misses") < runs.median("second-order", "cache_misses")
    assert max(runs.of(rule, "peak_cache_bytes").max() for rule in RULES) <= task.cache_bytes


def test_the_authors_stop_of_maximum_gain_is_looser_than_kkt_accuracy():
    task = Task("noisy chess board", noisy_chess_board(1000, 0.2, seed=0), C=10, gamma=2)
    own_stop = task.solve(SMO("hybrid-maximum-gain", stopping="step"))
    assert 1e-3 < own_stop.kkt_violation < 1e-1


def test_considering_the_whole_cache_stops_nearer_to_the_optimum_than_considering_one_row():
    task = Task("noisy chess board", noisy_chess_board(600, 0.2, seed=0), C=10, gamma=2)
    runs = random_starts(task, VARIANTS, trials=3)
    assert runs.median("whole cache", "objective") > runs.median("one row", "objective")
    assert runs.median("whole cache", "violation") < runs.median("one row", "violation")


# --- planning ahead -------------------------------------------------------------------------------


def test_planning_ahead_solves_three_free_variables_in_exactly_three_steps():
    table = by(rebuilt("three-variables"), "solver")
    assert table["planning ahead"]["fewest"] == table["planning ahead"]["most"] == 3
    assert table["second order"]["median"] > 10


SMALL = {
    "titanic": Task("titanic", titanic(), C=1000, gamma=0.1),
    "waveform": Task("waveform", waveform_binary(500, seed=1), C=1, gamma=0.05),
    "chess-board-1000": Task("chess-board-1000", chess_board(1000, seed=1), C=1e4, gamma=0.5),
}


def test_planning_ahead_saves_iterations_in_the_geometric_mean_and_reaches_the_same_objective():
    table = Table(experiments["planning-ahead"].columns)
    for name, task in SMALL.items():
        runs = permuted(task, SOLVERS, trials=6)
        np.testing.assert_allclose(runs.of("PA", "objective"), runs.of("SMO", "objective"), rtol=1e-5)
        table.add(*compare(name, runs))
    assert geometric_mean(table["ratio"]) < 0.9
    assert "<" not in table["iterations sign"]
    assert by(table, "set")["titanic"]["iterations sign"] == ">"


def test_planning_ahead_saves_iterations_on_chess_boards():
    ratios = []
    for seed in range(3):
        runs = permuted(Task("board", chess_board(1000, seed=seed), C=1e5, gamma=0.5), SOLVERS, trials=2)
        ratios.append(runs.mean("PA", "iterations") / runs.mean("SMO", "iterations"))
    assert geometric_mean(ratios) < 0.8


def test_recalling_pairs_without_planning_brings_little():
    solvers = {"SMO": SMO(), "recall": PARTS["recall only"], "planning": SOLVERS["PA"]}
    runs = permuted(SMALL["titanic"], solvers, trials=4)
    saved = {name: 1 - runs.mean(name, "iterations") / runs.mean("SMO", "iterations") for name in solvers}
    assert abs(saved["recall"]) < 0.1 < saved["planning"]


# --- step sizes -----------------------------------------------------------------------------------


def test_with_one_planning_set_no_planning_step_is_shorter_than_the_newton_step():
    solution = SMALL["chess-board-1000"].solve(SMO(step="planning-ahead", trace=RATIOS_ONLY))
    counts = histogram(solution.planning_ratios)
    assert counts.sum() == solution.counters["planning_steps"] == len(solution.planning_ratios)
    newton = int(np.searchsorted(EDGES, 0.0)) - 1
    assert EDGES[newton] < 0 < EDGES[newton + 1]
    assert counts[:newton].sum() == 0
    assert counts[newton + 1 :].sum() > counts.sum() / 2
    assert solution.planning_ratios.min() > 1 - 1e-6


def test_with_several_planning_sets_some_steps_are_reversed():
    solution = SMALL["chess-board-1000"].solve(SMO(step=PlanningAhead(recent=3), trace=RATIOS_ONLY))
    assert (solution.planning_ratios < 0).any()


def test_the_histogram_counts_every_step_once_and_keeps_the_newton_step_in_the_middle_bin():
    counts = histogram(np.array([1.0, 1.01, 1e9, -1e9, 2.0]))
    assert counts.sum() == 5
    assert counts[0] == counts[-1] == 1
    assert counts[np.searchsorted(EDGES, 0.0) - 1] == 2


def test_the_picture_has_a_histogram_for_every_set():
    table = Table(experiments["step-sizes"].columns)
    table.add("a", -0.018, 0.018, 10, 1.0, "#####")
    table.add("b", -0.018, 0.018, 20, 1.0, "######")
    assert [axes.get_title() for axes in draw(table).axes] == ["a", "b"]


# --- the harness ----------------------------------------------------------------------------------


def test_all_solvers_of_a_trial_start_with_the_same_pair():
    task = Task("ringnorm", ringnorm(80, seed=0), C=1, gamma=0.1)
    first = {}

    class Recording(SMO):
        def solve(self, *arguments, **keywords):
            first.setdefault(self.working_set, []).append(self.first_pair)
            return super().solve(*arguments, **keywords)

    random_starts(task, {rule: Recording(rule) for rule in RULES}, trials=4)
    assert first["second-order"] == first["hybrid-maximum-gain"]
    assert len(set(first["second-order"])) > 1
    assert all(task.sample.y[i] > 0 > task.sample.y[j] for i, j in first["second-order"])


def test_permuting_the_examples_changes_the_path_but_not_the_optimum():
    runs = permuted(Task("twonorm", twonorm(200, seed=0), C=1, gamma=0.05), {"SMO": SMO()}, trials=5)
    assert len(set(runs.of("SMO", "iterations"))) > 1
    np.testing.assert_allclose(runs.of("SMO", "objective"), runs.of("SMO", "objective")[0], rtol=1e-5)


def test_ctrl_c_prints_the_rows_so_far():
    class Interrupted(Experiment):
        """Legend."""

        title = source = needs = "test"
        columns = (Column("row"),)

        def rows(self, scope):
            yield ("first",)
            raise KeyboardInterrupt

        def notes(self, table, scope):
            return []

    out = io.StringIO()
    table = Interrupted().run(out=out)
    assert table["row"] == ["first"] and not table.complete
    assert "first" in out.getvalue() and "Stopped" in out.getvalue()


def test_missing_data_sets_are_named():
    table = Table(experiments["working-sets"].columns)
    notes = " ".join(experiments["working-sets"].notes(table, Scope()))
    for name in ("MNIST", "connect-4", "spam-database", "face"):
        assert name in notes
    assert "connect4.npz" in " ".join(experiments["benchmark-sets"].notes(table, Scope()))


def test_significance_needs_a_consistent_difference():
    rising = np.arange(12.0)
    assert paired_sign(rising + 1, rising) == ">"
    assert paired_sign(rising, rising + 1) == "<"
    assert paired_sign(rising, rising) == ""
    assert paired_sign(rising, rising[::-1]) == ""
    assert unpaired_sign(rising, rising + 100) == "<"
    assert unpaired_sign(rising, rising + 1) == ""


def test_a_table_is_aligned_and_leaves_out_columns_without_values():
    table = Table([Column("set"), Column("ratio", ".2f"), Column("printed")])
    table.add("banana", 0.5, None)
    table.add("a", 12.25, None)
    assert str(table).splitlines() == ["set     ratio", "------  -----", "banana   0.50", "a       12.25"]
    with pytest.raises(ValueError, match="2 values"):
        table.add("b", 1.0)
