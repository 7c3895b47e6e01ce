"""What gradients of objectives cost."""

import json

from widemargin.benchmarks.gradients import MACHINES, OBJECTIVES, Cost, summary
from widemargin.cli import main


def test_the_command_times_every_objective_and_writes_it(tmp_path, capsys):
    file = tmp_path / "costs.json"
    assert main(["bench", "--gradients", "--points", "40", "--repeats", "1", "--json", str(file)]) == 0
    printed = capsys.readouterr().out
    records = json.loads(file.read_text())["gradients"]
    assert len(records) == len(OBJECTIVES) * len(MACHINES)
    assert all(record["objective"] in printed for record in records)
    assert "a gradient adds at most" in printed


def test_the_summary_names_the_dearest():
    found = [Cost("HoldOut", 1.0, 0.1, 2.0, 3.0, 4.0), Cost("Alignment", 10.0, 0.1, 2.0, 3.0, 8.0)]
    assert found[0].added == 0.5
    assert "at most 2.5 fits" in summary(found)
    assert "(Alignment, C=10)" in summary(found)
