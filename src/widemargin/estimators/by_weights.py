"""Solvers that read the points themselves in place of a kernel matrix."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
import scipy.sparse as sp

from widemargin.kernels.points import as_points, count, entries_per_row
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.solvers import LinearDescent, Solution, Status, Stop


@dataclass(frozen=True)
class ByWeights:
    """A solver with the points X; it has the interface of those on a Gram, and needs none."""

    solver: Any
    X: Any
    options: dict[str, Any]
    """Arguments of its `solve`."""

    @cached_property
    def points(self) -> Any:
        """The points as the core sees them: looked through once for all problems."""
        return as_points(self.X)

    def solve(self, problem: Any, gram: Any, *, cache_bytes: int, n_threads: int, **options: Any) -> Solution:
        """Solve, whatever the Gram."""
        return self.solver.solve(problem, self.points, **self.options, **options)


MANY_VARIABLES, FEW_FEATURES, TALL = 2000, 512, 10
"""Measured: with more variables, on points of no more features and so many times as many rows, sweeps and
Newton steps by weights are the faster way to the same certificate."""

FEW_ENTRIES, SWEEPS = 512, 500
"""On sparse points with no more entries in a row, so many sweeps are."""


@dataclass(frozen=True)
class WhereItPays:
    """A solver on a Gram, and a descent by weights for those problems that it solves faster."""

    solver: Any
    X: Any

    @cached_property
    def _descent(self) -> ByWeights:
        return ByWeights(LinearDescent(), self.X, {})

    @classmethod
    def of(cls, solver: Any, X: Any) -> Any:
        """This for points X of a linear kernel, or the solver itself if no problem could pay."""
        both = cls(solver, X)
        return both if both._pays(count(X)) else solver

    def reads_gram(self, size: int) -> bool:
        """Whether kernel values are needed for a problem of this size."""
        return not self._pays(size)

    def solve(
        self, problem: Problem, gram: Any, *, start: Vector | None = None, stop: Stop, **options: Any
    ) -> Solution:
        """Solve by weights if that is possible and pays, and on the Gram what is left to do then."""
        if self._pays(problem.size) and _is_bounded(problem):
            unlimited = stop.max_iter < 0 and not self._is_tall(problem.size)
            patience = replace(stop, max_iter=SWEEPS) if unlimited else stop
            solution = self._descent.solve(problem, gram, start=start, stop=patience, **options)
            left = Status.MAX_ITERATIONS if unlimited else Status.STALLED
            if solution.status not in (Status.STALLED, left):
                return solution
            start = solution.alpha
        return self.solver.solve(problem, gram, start=start, stop=stop, **options)

    def _pays(self, size: int) -> bool:
        few = sp.issparse(self.X) and entries_per_row(self.X) <= FEW_ENTRIES
        return size > MANY_VARIABLES and (few or self._is_tall(size))

    def _is_tall(self, size: int) -> bool:
        return self.X.shape[1] <= FEW_FEATURES and size >= TALL * self.X.shape[1]


def _is_bounded(problem: Problem) -> bool:
    """Whether there is a single sum, and every variable has finite bounds or a ridge."""
    finite = np.isfinite(problem.lower) & np.isfinite(problem.upper)
    held = finite if problem.ridge is None else finite | (problem.ridge > 0)
    return len(problem.groups) == 1 and bool(held[problem.rows != GROUNDED].all())
