"""The comparison of AutoSVC with a grid search."""

import numpy as np
import pytest

from widemargin.benchmarks import auto
from widemargin.cli import main


@pytest.fixture
def two_blobs(tmp_path):
    draw = np.random.default_rng(0)
    X = np.r_[draw.normal(size=(40, 2)), draw.normal(size=(40, 2)) + 3]
    np.savez(tmp_path / "glass.npz", X=X, y=np.repeat(["float", "table"], 40))
    return tmp_path


def test_both_contenders_are_measured_on_the_same_points(two_blobs, monkeypatch, capsys):
    monkeypatch.setattr(auto, "CS", np.array([1.0]))
    monkeypatch.setattr(auto, "GAMMAS", np.array([0.1]))
    assert main(["bench", "--auto", "--data", str(two_blobs)]) == 0
    printed = capsys.readouterr().out
    assert "glass" in printed
    assert "AutoSVC beside GridSearchCV on 1 sets" in printed


def test_the_summary_ranks_errors_and_averages_ratios():
    better = auto.Comparison("a", 9, auto.Result(0.2, 1.0, 20.0), auto.Result(0.1, 0.5, 1.0))
    same = auto.Comparison("b", 9, auto.Result(0.3, 1.0, 5.0), auto.Result(0.3, 0.5, 1.0))
    line = auto.summary([better, same])
    assert "rank of the error 1.25 against 1.75" in line
    assert "1/10 of the time" in line


def test_without_data_the_comparison_says_what_to_give(tmp_path, capsys):
    assert main(["bench", "--auto", "--data", str(tmp_path)]) != 0
    assert "--data DIR" in capsys.readouterr().err
