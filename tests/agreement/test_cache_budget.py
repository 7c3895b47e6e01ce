"""The cache takes the bytes it was given and no more: as counted by the solver, and as seen from outside."""

import os
import subprocess
import sys

import pytest
from real_sets import classification

import widemargin as wm
from widemargin.problems import epsilon_regression, soft_margin
from widemargin.solvers import SMO, Decomposition, Status

MEGABYTE = 2**20
SIZES = {"single": 4, "double": 8}  # bytes of a kernel value


def problem(name):
    X, labels = classification("pima")
    if name == "regression":
        return X, epsilon_regression(X[:, 0] + 0.1 * labels, C=1.0, epsilon=0.05)
    return X, soft_margin(2.0 * labels - 1, C=100.0)


@pytest.mark.parametrize("rows", [0, 1, 3, 7.5, 40, 300])
@pytest.mark.parametrize("precision", SIZES)
@pytest.mark.parametrize("shrinking", [True, False])
@pytest.mark.parametrize("name", ["classification", "regression"])
def test_the_budget_is_obeyed_down_to_the_three_rows_in_use(name, shrinking, precision, rows):
    X, posed = problem(name)
    row = SIZES[precision] * len(X)
    budget = int(rows * row)
    solution = SMO(precision=precision).solve(
        posed, wm.Gaussian(gamma=0.2).bind(X), cache_bytes=budget, shrinking=shrinking
    )
    assert solution.status is Status.OPTIMAL
    assert 0 < solution.counters["peak_cache_bytes"] <= max(budget, 3 * row)
    assert solution.counters["peak_cache_bytes"] >= min(budget, row * solution.counters["cache_misses"]) / 2


@pytest.mark.parametrize("rows", [0, 20, 300])
@pytest.mark.parametrize(
    "solver",
    [
        SMO("hybrid-maximum-gain"),
        SMO("most-violating-pair"),
        SMO(step="planning-ahead"),
        Decomposition(size=10),
    ],
)
def test_every_solver_obeys_the_budget(solver, rows):
    X, posed = problem("classification")
    solution = solver.set_params(precision="single").solve(
        posed, wm.Gaussian(gamma=0.2).bind(X), cache_bytes=rows * 4 * len(X)
    )
    assert solution.status is Status.OPTIMAL
    assert solution.counters["peak_cache_bytes"] <= max(rows, 3) * 4 * len(X)


GROWTH = """
import sys
from widemargin import SMO, Gaussian
from widemargin.datasets import chess_board
from widemargin.problems import soft_margin
from widemargin.solvers import Stop

def fit(n, cache_bytes):
    sample = chess_board(n, seed=0)
    problem, gram = soft_margin(sample.y, C=1.0), Gaussian(gamma=50.0).bind(sample.X)
    SMO(precision="single").solve(
        problem, gram, cache_bytes=cache_bytes, shrinking=False, stop=Stop(max_iter=5_000)
    )

def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) * 1024 for line in lines if line.startswith("VmHWM"))

fit(200, 0)  # whatever is allocated once
before = peak()
fit(4000, int(sys.argv[1]))
print(peak() - before)
"""


def growth(megabytes):
    """Megabytes by which the peak memory of a fresh process grows in a fit whose rows would fill 61."""
    run = subprocess.run(
        [sys.executable, "-c", GROWTH, str(megabytes * MEGABYTE)],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        text=True,
        check=True,
    )
    return int(run.stdout) / MEGABYTE


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_a_process_grows_by_the_budget_and_little_else():
    small, large = map(growth, (4, 32))
    assert small <= 4 + 12 and large <= 32 + 12
    assert large - small > 15  # what is measured here is the cache
