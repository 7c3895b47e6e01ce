"""What a solver is asked to solve."""

from __future__ import annotations

from typing import Any

from widemargin import _core
from widemargin.problems import Problem
from widemargin.solvers.solution import Stop


def check_task(problem: Any, gram: Any, stop: Any) -> None:
    """Refuse what is no problem, no kernel matrix of its points or no tolerance, before any work."""
    if not isinstance(problem, Problem):
        raise ValueError(
            f"problem must be a Problem, as soft_margin(y, C) of widemargin.problems; got {_kind(problem)}."
        )
    if not isinstance(gram, _core.Gram):
        raise ValueError(
            f"gram must be a kernel matrix, as Gaussian(gamma=1.0).bind(X), or Precomputed().bind(K) of an "
            f"array K; got {_kind(gram)}."
        )
    rows, columns = gram.shape
    needed = problem.size if problem.points is None else int(problem.points.max()) + 1
    if rows != columns or rows < needed:
        raise ValueError(
            f"gram must be square, with a row for each of the {needed} points of the problem; got "
            f"{rows} x {columns}: bind the kernel to their X."
        )
    if stop is not None and not isinstance(stop, Stop):
        raise ValueError(f"stop must be a Stop, as Stop(tol=1e-3), or None; got {stop!r}.")


def _kind(value: Any) -> str:
    """What somebody has passed instead."""
    name = type(value).__name__
    return f"an array of shape {value.shape}" if name == "ndarray" else f"a value of type {name}"
