"""`widemargin demo`, `reproduce` and the command line as a whole."""

import contextlib
import signal
import subprocess
import sys
from types import SimpleNamespace

import matplotlib
import pytest

matplotlib.use("agg")

import widemargin as wm
from widemargin.cli import demo, main


def test_demo_compares_three_solvers_on_two_data_sets_and_draws(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path / "pictures")]) == 0
    said = capsys.readouterr().out
    for solver in ("second order", "hybrid maximum gain", "planning ahead"):
        rows = [line for line in said.splitlines() if line.startswith(solver)]
        assert len(rows) == 2
        accuracies = [float(row.removeprefix(solver).split()[0]) for row in rows]
        assert accuracies[0] > 0.8 and accuracies[1] > 0.97
    for name in ("decision-boundary.png", "convergence.png"):
        assert f"wrote {tmp_path / 'pictures' / name}" in said
        assert (tmp_path / "pictures" / name).read_bytes().startswith(b"\x89PNG")
    assert "next:" in said


def test_demo_without_matplotlib_says_how_to_get_it(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "find_spec", lambda name: None)
    assert main(["demo", "--out", str(tmp_path / "pictures")]) == 0
    assert "pip install 'widemargin[plot]'" in capsys.readouterr().out
    assert not (tmp_path / "pictures").exists()


@pytest.fixture
def papers(monkeypatch):
    """Two experiments that note how they were run."""
    calls = []

    def experiment(name):
        def run(*, data_dir=None, full=False, trials=None, out=sys.stdout):
            calls.append((name, data_dir, full, trials))
            print(f"table of {name}", file=out)

        about = {"title": f"title of {name}", "source": "a paper", "needs": "nothing"}
        return SimpleNamespace(**about, trials=(2, 100) if name == "second" else None, run=run)

    module = SimpleNamespace(experiments={name: experiment(name) for name in ("first", "second")})
    monkeypatch.setitem(sys.modules, "widemargin.papers", module)
    return calls


def test_reproduce_without_a_name_lists_the_experiments(papers, capsys):
    assert main(["reproduce"]) == 0
    said = capsys.readouterr().out
    assert "title of first" in said and "title of second" in said and papers == []


def test_reproduce_runs_the_named_experiment_with_its_options(papers, tmp_path, capsys):
    assert main(["reproduce", "second", "--data", str(tmp_path), "--full", "--trials", "7"]) == 0
    assert papers == [("second", tmp_path, True, 7)]
    assert "table of second" in capsys.readouterr().out


def test_reproduce_stops_after_an_interrupted_experiment(papers, monkeypatch):
    def interrupted(**options):
        with contextlib.suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
            pytest.fail("the experiment was not interrupted")

    monkeypatch.setattr(sys.modules["widemargin.papers"].experiments["first"], "run", interrupted)
    assert main(["reproduce", "all"]) == 130
    assert papers == []


def test_reproduce_all_runs_all(papers):
    assert main(["reproduce", "all"]) == 0
    assert [name for name, *_ in papers] == ["first", "second"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["third"], "first, second"),
        (["first", "--data", "nowhere"], "nowhere: not a directory"),
        (["second", "--trials", "0"], "--trials must be at least 1, not 0"),
        (["second", "first", "--trials", "3"], "--trials has no meaning for first"),
    ],
)
def test_reproduce_names_what_is_wrong(papers, arguments, words, capsys):
    assert main(["reproduce", *arguments]) == 2
    said = capsys.readouterr().err
    assert words in said and said.count("\n") == 1
    assert papers == []


def test_the_package_runs_as_a_module():
    run = subprocess.run([sys.executable, "-m", "widemargin", "--version"], capture_output=True, text=True)
    assert run.returncode == 0
    assert run.stdout.strip() == f"widemargin {wm.__version__}"


@pytest.mark.parametrize("arguments", [[], ["fly"]])
def test_an_unknown_command_is_answered_in_one_sentence(arguments, capsys):
    assert main(arguments) == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", ["demo", "train", "predict", "reproduce"])
def test_every_command_explains_itself(command, capsys):
    assert main([command, "--help"]) == 0
    assert f"usage: widemargin {command}" in capsys.readouterr().out


def test_an_interrupted_command_ends_with_130(monkeypatch, capsys):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "chess_board", interrupted)
    assert main(["demo"]) == 130
    assert "Traceback" not in capsys.readouterr().err
