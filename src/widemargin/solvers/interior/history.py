"""A run, recorded step by step."""

from __future__ import annotations

from collections import defaultdict

import numpy as np


class History:
    """Columns of numbers, one entry for every so many steps.

    Parameters
    ----------
    every : int
        Steps between two records; 0 for none.
    """

    def __init__(self, every: int) -> None:
        self._every = every
        self._columns: dict[str, list[float]] = defaultdict(list)

    def record(self, **values: float) -> None:
        """Append a record, if it is time for one; `iteration` counts."""
        if self._every and values["iteration"] % self._every == 0:
            for name, value in values.items():
                self._columns[name].append(value)

    def columns(self) -> dict[str, np.ndarray] | None:
        """The records by column; None if there were to be none."""
        return {name: np.array(values) for name, values in self._columns.items()} if self._every else None
