"""A first look at data that come in chunks."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.estimators.centre_choice import check_count
from widemargin.estimators.chunks import Chunk, RowSample, Spread
from widemargin.kernels.points import take
from widemargin.least_squares import GivenCentres

__all__ = ["Survey"]


@dataclass
class Survey:
    """What one look at all chunks has found: their sizes, their spread, and rows to choose centres from.

    Parameters
    ----------
    rule : Centres, or None
        How centres are chosen; None if they are given.
    """

    rule: Any
    n: int = 0
    d: int = 0
    weighted: int = 0
    spread: Spread = field(default_factory=Spread)
    sparse: bool = False
    rows: NDArray[np.int32] = field(default_factory=lambda: np.empty(0, dtype=np.int32))

    def __post_init__(self) -> None:
        size = 0 if self.rule is None else self.rule.candidates * self.rule.size
        self.sample = RowSample(size, np.random.default_rng(getattr(self.rule, "seed", 0)))

    def add(self, chunk: Chunk) -> None:
        """Look at a chunk."""
        self.n += chunk.size
        self.d = chunk.X.shape[1]
        self.sparse = hasattr(chunk.X, "tocsr")
        self.weighted += int(np.count_nonzero(chunk.weight))
        self.spread.add(chunk.X, chunk.weight)
        if isinstance(self.rule, GivenCentres):
            self.sample.pick(chunk, np.asarray(self.rule.positions))
        elif self.rule is not None:
            self.sample.add(chunk)

    def check(self) -> None:
        """Raise a ValueError if there is no weight, or not enough of it for all centres."""
        if not self.weighted:
            raise ValueError("sample_weight is zero for every sample: give at least one a positive weight.")
        if self.rule is not None:
            check_count(self.rule, self.weighted)
        if isinstance(self.rule, GivenCentres) and self.sample.rows.size < self.rule.size:
            lost = np.setdiff1d(self.rule.positions, self.sample.rows)
            raise ValueError(f"centres names row {lost[0]}, which is not there or has no weight.")

    def choose(self, kernel: kernels.Kernel, n_jobs: int | None) -> Any:
        """The centres, None if they are given as points; `rows` tells their positions."""
        if self.rule is None:
            return None
        pool, rows = self.sample.points, self.sample.rows.astype(np.int32)
        named = rows if isinstance(self.rule, GivenCentres) else np.arange(rows.size, dtype=np.int32)
        chosen = self.rule.choose(kernel.bind(pool), named, n_jobs)
        self.rows = rows[chosen]
        return take(pool, chosen)
