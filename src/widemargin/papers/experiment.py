"""What every experiment is: a published table, rebuilt row by row."""

from __future__ import annotations

import inspect
import sys
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, TextIO

from widemargin.papers.table import Column, Table


@dataclass(frozen=True)
class Scope:
    """How much of a table to rebuild, and from which data."""

    data_dir: Path | None = None
    full: bool = False
    trials: int | None = None
    """Instead of the experiment's own number."""


class Experiment(ABC):
    """A published table that can be rebuilt; its docstring is printed as the legend of the table.

    Attributes
    ----------
    title : str
        What is shown.
    source : str
        Which table of which work.
    needs : str
        A sentence on the data.
    trials : tuple of two int, or None
        Repetitions with new random numbers, quickly and fully, for those whose number can be chosen.
    """

    title: ClassVar[str]
    source: ClassVar[str]
    needs: ClassVar[str]
    columns: ClassVar[Sequence[Column]]
    trials: ClassVar[tuple[int, int] | None] = None

    @abstractmethod
    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        """The rows, each as soon as it is known."""

    @abstractmethod
    def notes(self, table: Table, scope: Scope) -> list[str]:
        """What the rows say together, and what is missing."""

    def trials_of(self, scope: Scope) -> int:
        """How many are wanted."""
        assert self.trials is not None
        return self.trials[scope.full] if scope.trials is None else scope.trials

    def run(
        self,
        *,
        data_dir: str | Path | None = None,
        full: bool = False,
        trials: int | None = None,
        out: TextIO | None = None,
    ) -> Table:
        """Rebuild the table, print it to `out` (standard output by default) and return it.

        The quick subset takes well under a minute; `full` takes all data sets at hand and as many repetitions
        as the original, which can be hours; `trials` says how many repetitions instead, where that can be
        chosen. Ctrl-C prints what there is so far.
        """
        scope = Scope(None if data_dir is None else Path(data_dir), full, trials)
        table = Table(self.columns)
        try:
            for row in self.rows(scope):
                table.add(*row)
        except KeyboardInterrupt:
            table.complete = False
            table.notes.append("Stopped before the end: rows are missing.")
        if table.rows:
            table.notes += [inspect.getdoc(self) or "", *self.notes(table, scope)]
        print(table, file=out or sys.stdout)
        return table


def say(text: str) -> None:
    """Say what is running now, out of the way of the table."""
    print(f"{text} ...", file=sys.stderr, flush=True)
