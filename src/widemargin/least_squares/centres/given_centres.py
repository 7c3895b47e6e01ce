"""Centres that somebody else has chosen."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin import _core

from .centres import Centres, Indices

__all__ = ["GivenCentres"]


class GivenCentres(Centres):
    """The points with these positions.

    Parameters
    ----------
    positions : array of int
        Distinct.
    """

    def __init__(self, positions: Any) -> None:
        super().__init__(np.size(positions))
        self.positions = positions

    def choose(self, gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Indices:
        order = np.argsort(rows, kind="stable")
        at = np.searchsorted(rows, self.positions, sorter=order)
        found = order[np.minimum(at, rows.size - 1)]
        strange = np.flatnonzero(rows[found] != self.positions)
        if strange.size:
            raise ValueError(
                f"centres names sample {np.asarray(self.positions)[strange[0]]}, which is not there or has "
                f"no weight: name some of the {rows.size} samples by their row."
            )
        return found.astype(np.int32)
