"""The examples run as they are, each in a directory of its own."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

import widemargin

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.py"))
PACKAGES = str(Path(widemargin.__file__).parents[1])


def test_there_are_examples():
    assert len(EXAMPLES) >= 5


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_runs_and_says_something(path, tmp_path):
    environment = os.environ | {"MPLBACKEND": "agg", "PYTHONPATH": PACKAGES, "PYTHONUTF8": "1"}
    done = subprocess.run(
        [sys.executable, "-W", "error::sklearn.exceptions.ConvergenceWarning", str(path)],
        cwd=tmp_path,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout
    for picture in tmp_path.glob("*.png"):
        assert f"wrote {picture.name}" in done.stdout


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_an_example_fits_on_a_page(path):
    assert len(path.read_text(encoding="utf-8").splitlines()) < 40
