"""Aligned columns of text."""

from __future__ import annotations

from collections.abc import Sequence


def table(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """The rows under their header, the first column to the left and all others to the right.

    Examples
    --------
    >>> print(table(["solver", "iterations"], [["second order", "1,204"], ["planning ahead", "911"]]))
    solver          iterations
    second order         1,204
    planning ahead         911
    """
    lines = [list(header), *map(list, rows)]
    widths = [max(map(len, column)) for column in zip(*lines, strict=True)]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if k == 0 else cell.rjust(width)
            for k, (cell, width) in enumerate(zip(line, widths, strict=True))
        )
        for line in lines
    )
