"""A table that prints itself aligned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import fill
from typing import Any

NOTE_WIDTH = 110


@dataclass(frozen=True)
class Column:
    """A name, the format of the numbers below it, and the heading if it is not the name."""

    name: str
    format: str = ",.0f"
    heading: str | None = None

    def cell(self, value: Any) -> str:
        if value is None:
            return ""
        return value if isinstance(value, str) else format(value, self.format)


@dataclass
class Table:
    """Rows under named columns, and remarks below them; not `complete` if somebody stopped it.

    Examples
    --------
    >>> table = Table([Column("set"), Column("ratio", ".2f")])
    >>> table.add("titanic", 0.4912)
    >>> print(table)
    set      ratio
    -------  -----
    titanic   0.49
    >>> table["ratio"]
    [0.4912]
    """

    columns: Sequence[Column]
    rows: list[tuple[Any, ...]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)
    complete: bool = True

    def add(self, *values: Any) -> None:
        """Append a row; None is an empty cell."""
        if len(values) != len(self.columns):
            raise ValueError(f"a row of {len(values)} values does not fit {len(self.columns)} columns.")
        self.rows.append(values)

    def __getitem__(self, name: str) -> list[Any]:
        """The values of a column."""
        place = [column.name for column in self.columns].index(name)
        return [row[place] for row in self.rows]

    def records(self) -> list[dict[str, Any]]:
        """The rows by column name."""
        return [
            {column.name: value for column, value in zip(self.columns, row, strict=True)} for row in self.rows
        ]

    def __str__(self) -> str:
        """Aligned text; columns without any value are left out."""
        lines = map(_line, zip(*map(self._cells, self._shown()), strict=True))
        return "\n".join([*lines, *(fill(note, NOTE_WIDTH) for note in self.notes)])

    def _shown(self) -> list[Column]:
        return [column for column in self.columns if any(value is not None for value in self[column.name])]

    def _cells(self, column: Column) -> list[str]:
        """The heading, a rule and the values, all of one width: text to the left, numbers to the right."""
        values = self[column.name]
        cells = [column.name if column.heading is None else column.heading, *map(column.cell, values)]
        width = max(map(len, cells))
        text = all(isinstance(value, str) for value in values)
        padded = [cell.ljust(width) if text else cell.rjust(width) for cell in cells]
        return [padded[0], "-" * width, *padded[1:]]


def _line(cells: Sequence[str]) -> str:
    return "  ".join(cells).rstrip()
