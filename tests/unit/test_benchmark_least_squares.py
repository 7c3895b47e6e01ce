"""RLSRegressor beside Cholesky solvers."""

import json

import pytest

from widemargin.benchmarks.least_squares import Timing, summary
from widemargin.cli import main


def test_the_command_times_fits_and_paths_and_writes_them(tmp_path, capsys):
    file = tmp_path / "times.json"
    assert main(["bench", "--least-squares", "--points", "60", "--repeats", "2", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    tasks = [record["task"] for record in json.loads(file.read_text())["least_squares"]]
    assert len(tasks) == len(set(tasks)) == 6
    assert all(f"{task} " in printed for task in tasks)
    assert "RLSRegressor takes" in printed


def test_the_summary_counts_in_fits():
    seconds = {
        "fit": 2.0,
        "cho_factor and cho_solve": 4.0,
        "KernelRidge": 8.0,
        "50 lam with leave-one-out": 48.0,
        "eigen fit": 40.0,
    }
    line = summary([Timing(*each) for each in seconds.items()])
    for part in ("0.50 of the time of cho_factor", "0.25 of that of KernelRidge", "24.0 fits", "1.2 fits"):
        assert part in line


@pytest.mark.parametrize("option", ["--auto", "--linear"])
def test_others_need_data(option, tmp_path, capsys):
    assert main(["bench", "--least-squares", option, "--data", str(tmp_path)]) != 0
    assert option in capsys.readouterr().err
