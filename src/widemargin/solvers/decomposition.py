"""Decomposition with working sets of more than two variables."""

from __future__ import annotations

import numpy as np
from sklearn.base import BaseEstimator

from widemargin import _core
from widemargin.problems import Problem
from widemargin.solvers.setting import is_between
from widemargin.solvers.smo import (
    PRECISIONS,
    SMO,
    Observer,
    check_tie_break,
    check_trace,
    choice,
    run,
    tie_order,
)
from widemargin.solvers.solution import Solution, Stop
from widemargin.solvers.task import check_task

LARGEST, FEW = 1024, 256
"""Variables whose block of the kernel matrix stays in a near cache; fewer than these take too many rounds."""

USUAL = SMO()


class Decomposition(BaseEstimator):
    """Improve many variables at a time with an inner solver (Osuna et al. 1997, Joachims 1999).

    A working set holds free variables and violators of both sides, the worst always among them, so that the
    method converges. Its block of the kernel matrix is small enough for a near cache, where the inner
    solver's iterations cost next to nothing; rows are computed many at a time, and only for variables that
    moved.

    Parameters
    ----------
    size : int or None, default=None
        Variables in the working set, at least 2; up to twice as many where that takes in all free
        variables. Problems with no more variables are left to the inner solver as they are. None: an eighth
        of all variables, of which half, but at least 256, are left where the kernel matrix lies in memory,
        from which blocks are picked more slowly than rows are read; at most 1024. Problems of up to 1024
        variables are not decomposed.
    inner : SMO or None, default=None
        Solver of the inner problem; second-order SMO if None. Its policies, finish and stopping rule count.
    tie_break, seed, precision, trace
        As in :class:`~widemargin.solvers.SMO`. A trace has a record for every working set; ``step`` is the
        number of variables that moved.
    """

    def __init__(
        self,
        size: int | None = None,
        inner: SMO | None = None,
        *,
        tie_break: str = "lowest",
        seed: int = 0,
        precision: str = "auto",
        trace: int = 0,
    ):
        self.size = size
        self.inner = inner
        self.tie_break = tie_break
        self.seed = seed
        self.precision = precision
        self.trace = trace
        self._check()

    def _check(self) -> None:
        """Refuse what cannot work or would not be read."""
        if self.size is not None and not is_between(self.size, 1):
            raise ValueError(f"size must be at least 2; got {self.size!r}.")
        if self.inner is not None:
            _check_inner(self.inner)
        check_tie_break(self.tie_break)
        check_trace(self.trace)
        choice("precision", self.precision, PRECISIONS)

    def solve(
        self,
        problem: Problem,
        gram: _core.Gram,
        *,
        start: np.ndarray | None = None,
        stop: Stop | None = None,
        shrinking: bool = True,
        cache_bytes: int = 200 * 2**20,
        n_threads: int = 1,
        observer: Observer | None = None,
    ) -> Solution:
        """Solve a problem on a kernel matrix; parameters as in :meth:`SMO.solve`."""
        self._check()
        check_task(problem, gram, stop)
        size = _usual_size(problem.size, gram.stored_rounded) if self.size is None else self.size
        inner = self.inner if self.inner is not None else USUAL
        settings = inner.settings(stop or Stop(), shrinking, cache_bytes, n_threads)
        settings.precision = choice("precision", self.precision, PRECISIONS)
        return run(
            problem,
            gram,
            settings=settings,
            order=tie_order(problem, self.tie_break, self.seed),
            first_pair=None,
            start=start,
            trace=self.trace,
            observer=observer,
            working_set_size=int(size),
        )


def _usual_size(n: int, stored: bool) -> int:
    """Of the working sets of n variables."""
    if n <= LARGEST:
        return max(n, 2)
    return min(n // 8, max(n // 16, FEW) if stored else LARGEST, LARGEST)


def _check_inner(inner: SMO) -> None:
    """Refuse what would not be read."""
    if not isinstance(inner, SMO):
        raise ValueError(f"inner must be an SMO or None, not {inner!r}.")
    for name in ("tie_break", "seed", "precision", "trace", "first_pair"):
        if getattr(inner, name) != getattr(USUAL, name):
            place = "has no meaning there" if name == "first_pair" else "belongs to the Decomposition itself"
            raise ValueError(f"{name} of the inner solver {place}.")
