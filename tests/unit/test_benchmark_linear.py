"""LinearSVC beside scikit-learn's at the same duality gap."""

import numpy as np
import pytest

import widemargin as wm
from widemargin.benchmarks import linear
from widemargin.cli import main


@pytest.fixture
def two_files(tmp_path):
    random = np.random.default_rng(0)
    for name, classes in (("a9a", 2), ("sector", 3)):
        X = random.normal(size=(80, 4))
        y = (X @ random.normal(size=(4, classes))).argmax(axis=1)
        np.savez(tmp_path / f"{name}.npz", X_train=X, y_train=y, X_test=X, y_test=y)
    return tmp_path


def test_the_command_compares_both_on_the_sets_that_are_there(two_files, capsys):
    assert main(["bench", "--linear", "--data", str(two_files), "--repeats", "1"]) == 0
    lines = capsys.readouterr().out.splitlines()
    found = [line for line in lines if line.startswith(("a9a ", "sector "))]
    assert len(found) == 2 * len(linear.LOSSES) * len(linear.GAPS)
    assert any("at equal duality gap" in line for line in lines)


def test_without_data_the_option_is_named(tmp_path, capsys):
    assert main(["bench", "--linear", "--data", str(tmp_path)]) != 0
    assert "--linear" in capsys.readouterr().err


@pytest.mark.parametrize("loss", linear.LOSSES)
@pytest.mark.parametrize("k", [2, 3])
def test_the_judge_finds_the_primal_value(loss, k):
    random = np.random.default_rng(0)
    X = random.normal(size=(60, 3))
    y = (X @ random.normal(size=(3, k))).argmax(axis=1)
    machine = wm.LinearSVC(loss=loss, bias="penalised").fit(X, y)
    assert linear.primal_value(X, y, machine, loss) == pytest.approx(machine.primal_objective_, rel=1e-9)


def test_a_tolerance_is_tightened_until_the_gap_is_wanted():
    random = np.random.default_rng(0)
    X = random.normal(size=(2000, 3))
    y = X[:, 0] + random.normal(size=2000) > 0
    tried = []

    def make(tol):
        tried.append(tol)
        return wm.LinearSVC(tol=tol)

    found = linear.tightened(make, X, y, lambda machine: machine.tol, 1e-2, linear.TOLERANCES)
    assert found.gap <= 1e-2 < tried[-2]
    assert found.tol == tried[-1] == min(tried)
    again = linear.in_turns([make], [found], X, y, repeats=3)[0]
    assert tried[-2:] == [found.tol] * 2
    assert again.seconds <= found.seconds
