"""Solvers that read the points themselves in place of a kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from widemargin.kernels.points import as_points
from widemargin.solvers import Solution


@dataclass(frozen=True)
class ByWeights:
    """A solver with the points X; it has the interface of those on a Gram, and needs none."""

    solver: Any
    X: Any
    options: dict[str, Any]
    """Arguments of its `solve`."""

    def solve(
        self, problem: Any, gram: Any, *, cache_bytes: int, n_threads: int, **options: Any
    ) -> Solution:
        """Solve, whatever the Gram."""
        return self.solver.solve(problem, as_points(self.X), **self.options, **options)
