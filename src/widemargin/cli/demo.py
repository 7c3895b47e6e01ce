"""Train on two data sets with three solvers, print what they cost, and draw the result.

A noisy chess board, drawn as a picture too, and scikit-learn's handwritten digits.
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import widemargin as wm
from widemargin import datasets, display
from widemargin.cli.exit_code import SUCCESS
from widemargin.cli.table import table

SOLVERS: dict[str, dict[str, Any]] = {
    "second order": {"working_set": "second-order"},
    "hybrid maximum gain": {"working_set": "hybrid-maximum-gain"},
    "planning ahead": {"step": "planning-ahead"},
}
COLUMNS = (
    "solver",
    "accuracy",
    "support",
    "iterations",
    "kernel evaluations",
    "relative duality gap",
    "time",
)


@dataclass(frozen=True)
class Task:
    """Data in two parts and the parameters to learn them with."""

    title: str
    X: np.ndarray
    y: np.ndarray
    X_test: np.ndarray
    y_test: np.ndarray
    parameters: dict[str, Any]

    def fit(self, solver: wm.SMO, **parameters: Any) -> wm.SVC:
        """A machine trained on the first part."""
        return wm.SVC(**self.parameters, solver=solver, **parameters).fit(self.X, self.y)


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin demo`."""
    parser.add_argument(
        "--out", type=Path, default=Path(), metavar="DIR", help="directory of the pictures (default: here)"
    )


def run(arguments: argparse.Namespace) -> int:
    """Print a table for each data set, then draw."""
    board = chess_board()
    for task in (board, digits()):
        print(_description(task))
        print(table(COLUMNS, [_row(name, task, options) for name, options in SOLVERS.items()]), end="\n\n")
    if find_spec("matplotlib") is None:
        print("no pictures without matplotlib: pip install 'widemargin[plot]' and run this again")
    else:
        for path in _draw(board, arguments.out):
            print(f"wrote {path}")
    print(NEXT)
    return SUCCESS


NEXT = """
next: widemargin train DATA MODEL --scale standard   your own CSV or LIBSVM file
      widemargin predict DATA MODEL                  labels for new points
      widemargin reproduce --list                    published tables, rebuilt here
      import widemargin as wm; wm.SVC(...)           in place of sklearn.svm.SVC"""


def chess_board() -> Task:
    """Points on a board of 4 x 4 fields, one in twenty labels drawn by a coin."""
    train, test = (datasets.noisy_chess_board(n, noise=0.05, seed=seed) for n, seed in ((1000, 1), (5000, 2)))
    return Task("chess board", train.X, train.y, test.X, test.y, {"C": 100.0, "gamma": 2.0})


def digits() -> Task:
    """The handwritten digits of scikit-learn, 8 x 8 pixels."""
    X, y = load_digits(return_X_y=True)
    X, X_test, y, y_test = train_test_split(X / 16.0, y, test_size=0.3, random_state=0, stratify=y)
    return Task("handwritten digits", X, y, X_test, y_test, {"C": 10.0, "gamma": 0.02})


def _description(task: Task) -> str:
    n, d = task.X.shape
    parameters = ", ".join(f"{name} = {value:g}" for name, value in task.parameters.items())
    classes = len(np.unique(task.y))
    return f"{task.title}: {n:,} points, {d} features, {classes} classes; Gaussian kernel, {parameters}"


def _row(name: str, task: Task, options: dict[str, Any]) -> list[str]:
    start = time.perf_counter()
    machine = task.fit(wm.SMO(**options))
    seconds = time.perf_counter() - start
    return [
        name,
        f"{machine.score(task.X_test, task.y_test):.4f}",
        f"{len(machine.support_):,}",
        f"{np.sum(machine.n_iter_):,}",
        f"{machine.kernel_evaluations_:,}",
        f"{machine.duality_gap_ / abs(machine.primal_objective_):.1e}",
        f"{1000 * seconds:.0f} ms",
    ]


def _draw(task: Task, directory: Path) -> list[Path]:
    import matplotlib

    matplotlib.use("agg")  # files only, no window
    directory.mkdir(parents=True, exist_ok=True)
    return [_draw_boundary(task, directory), _draw_convergence(task, directory)]


def _draw_boundary(task: Task, directory: Path) -> Path:
    machine = task.fit(wm.SMO())
    ax = display.decision_boundary(machine, task.X, task.y)
    support = f"{len(machine.support_)} of {len(task.X):,} points are support vectors"
    ax.set(xticks=range(5), yticks=range(5))
    ax.set_title(f"{task.title}: {support}", loc="left", fontsize=11)
    ax.set_xlabel("solid: decision boundary    dashed: margins    ringed: support vectors", fontsize=9)
    return _save(ax.figure, directory / "decision-boundary.png")


def _draw_convergence(task: Task, directory: Path) -> Path:
    tol = 1e-3
    traces = {name: task.fit(wm.SMO(**options, trace=1), tol=tol).trace_ for name, options in SOLVERS.items()}
    optimum = task.fit(wm.SMO(), tol=1e-6).dual_objective_
    violation, _ = display.convergence(traces, optimum=optimum, tol=tol)
    return _save(violation.figure, directory / "convergence.png")


def _save(figure: Any, path: Path) -> Path:
    figure.savefig(path, dpi=120)
    return path
