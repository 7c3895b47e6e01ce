"""Strategies of model selection beside the printed ones; whole tables are in test_whole_tables.py."""

import io

import numpy as np
import pytest

import widemargin as wm
from widemargin.datasets import chess_board, ringnorm, twonorm
from widemargin.papers import experiments, model_selection
from widemargin.papers.experiment import Scope
from widemargin.papers.model_selection import against, error_of, stars
from widemargin.papers.selection_problems import POINTS, benchmarks, toys
from widemargin.papers.selection_tables import DIAGONAL, RADIAL, STRATEGIES, TOYS
from widemargin.selection.objectives import LogPosterior

TABLES = ("model-selection-toys", "model-selection-radial", "model-selection-diagonal")
MIRROR = str.maketrans("<>", "><")


def rebuilt(name, **how):
    return experiments[name].run(out=io.StringIO(), **how)


@pytest.mark.parametrize("printed", [TOYS, RADIAL, DIAGONAL])
def test_printed_comparisons_mirror_each_other(printed):
    for rows in printed.values():
        matrix = [row.against.split() for row in rows]
        for i, j in np.ndindex(5, 5):
            assert (matrix[i][j] == "-") == (i == j)
            if matrix[i][j][0] in "<>":
                assert matrix[j][i] == matrix[i][j].translate(MIRROR)


def test_printed_best_means_are_those_of_the_summary():
    best = {name: min(row.mean for row in rows) for name, rows in (TOYS | RADIAL).items()}
    assert best == pytest.approx(
        {
            "sparse-3": 0.141,
            "sparse-5": 0.246,
            "chess": 0.099,
            "noisy-chess": 0.230,
            "banana": 0.114,
            "diabetis": 0.244,
            "flare-solar": 0.347,
            "german": 0.262,
            "image": 0.091,
            "ringnorm": 0.017,
            "splice": 0.170,
            "titanic": 0.226,
            "twonorm": 0.027,
            "waveform": 0.111,
        }
    )


def test_every_problem_of_the_tables_can_be_drawn():
    assert [problem.name for problem in toys(full=True)] == list(TOYS)
    for problem in [*toys(full=False), *benchmarks(["titanic", "twonorm"], None, per_feature=False)]:
        train, test = problem.trial(3)
        again, _ = problem.trial(3)
        other, _ = problem.trial(4)
        assert train.X.shape == (POINTS, test.X.shape[1]) and len(test.y) > 2000
        assert np.array_equal(train.X, again.X) and not np.array_equal(train.X, other.X)


def test_comparisons_are_one_sided_rank_tests_at_three_levels():
    errors = {"kta": list(range(10)), "posterior": list(range(5, 15)), "likelihood": list(range(20, 30))}
    assert against("kta", "kta", errors) == "-"
    assert against("kta", "span-bound", errors) is None
    assert (against("kta", "likelihood", errors), against("likelihood", "kta", errors)) == ("<<<", ">>>")
    assert against("kta", "posterior", errors) == "<<"
    same = {"kta": [0.1, 0.2], "posterior": [0.1, 0.2]}
    assert float(against("kta", "posterior", same)) > 0.05
    assert [stars("<", p) for p in (0.06, 0.04, 0.004, 0.0004)] == ["", "<", "<<", "<<<"]


@pytest.fixture
def at_once(monkeypatch):
    """Searches that take no time: the error says which strategy and trial it was."""
    asked = []

    def error(strategy, per_feature, train, test, seed):
        asked.append((strategy, per_feature))
        return 0.1 + 0.01 * seed + 0.1 * STRATEGIES.index(strategy)

    monkeypatch.setattr(model_selection, "error_of", error)
    return asked


@pytest.mark.parametrize("name", TABLES)
def test_a_table_has_a_row_for_each_problem_and_strategy_beside_the_printed_one(name, at_once):
    table, experiment = rebuilt(name, trials=4), experiments[name]
    assert len(table.rows) == 3 * len(experiment.quick_problems)
    for record in table.records():
        printed = experiment.printed[record["problem"]][STRATEGIES.index(record["strategy"])]
        assert record["trials"] == 4
        assert (record["printed mean"], record["printed deviation"]) == printed[:2]
        assert record["mean"] == pytest.approx(0.115 + 0.1 * STRATEGIES.index(record["strategy"]))
        assert record["(1)"] is None  # not among the quick ones
    diagonal = {per_feature for strategy, per_feature in at_once}
    assert (
        diagonal
        == {
            "model-selection-toys": {True, False},
            "model-selection-radial": {False},
            "model-selection-diagonal": {True},
        }[name]
    )


def test_all_strategies_and_problems_are_in_the_full_table(at_once, monkeypatch):
    monkeypatch.setattr(model_selection, "is_here", lambda strategy: True)
    monkeypatch.setattr("widemargin.papers.selection_problems.TEST_POINTS", (100, 100))
    table = rebuilt("model-selection-toys", full=True, trials=2)
    assert table["problem"] == [name for name in TOYS for _ in STRATEGIES]
    assert table["strategy"] == list(STRATEGIES) * len(TOYS)
    assert experiments["model-selection-toys"].trials_of(Scope(full=True)) == 100


def test_whole_trials_are_kept_after_an_interruption(at_once, monkeypatch):
    calm = model_selection.error_of

    def interrupted(strategy, per_feature, train, test, seed):
        if seed == 2 and strategy == "posterior":
            raise KeyboardInterrupt
        return calm(strategy, per_feature, train, test, seed)

    monkeypatch.setattr(model_selection, "error_of", interrupted)
    table = rebuilt("model-selection-toys", trials=5)
    assert not table.complete
    assert table["problem"] == ["sparse-3"] * 3
    assert table["trials"] == [2] * 3


def test_what_is_reached_is_said(at_once):
    table = rebuilt("model-selection-toys", trials=2)
    note = next(note for note in table.notes if note.startswith("The best printed mean"))
    assert note.endswith("on 0 of 2 problems, not on sparse-3, chess.")


# --- what the strategies find -----------------------------------------------------------------------


@pytest.mark.parametrize("strategy", ["likelihood", "posterior"])
def test_chess_boards_are_learned_as_well_as_in_print(strategy):
    errors = [
        error_of(strategy, False, chess_board(200, seed=s), chess_board(4000, seed=99), s) for s in (0, 2)
    ]
    assert np.mean(errors) < 0.099 + 2 * 0.0174


def test_the_posterior_leaves_the_plateau_of_separable_classes():
    """Where all machines are hard margins, nothing says that a small C is far better on twonorm."""
    assert error_of("posterior", False, twonorm(200, seed=0), twonorm(4000, seed=1), 0) < 0.027 + 3 * 0.0034


def test_the_posterior_does_not_begin_at_the_edge_of_a_cliff():
    assert error_of("posterior", False, ringnorm(200, seed=0), ringnorm(4000, seed=1), 0) < 0.029


def test_subsets_that_stay_the_same_need_hundreds_of_times_fewer_evaluations():
    board = chess_board(200, seed=0)
    search = wm.ModelSearch.preset("posterior", random_state=0).fit(board.X, board.y)
    assert search.reason_ == "converged" and len(search.history_) < 100
    assert isinstance(search.objective, LogPosterior) and not search.objective.noisy
