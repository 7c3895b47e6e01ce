"""What is to be known of a code."""

from __future__ import annotations

from dataclasses import dataclass

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class CodeReport:
    """The quality of a code; printed, a line for each property.

    Parameters
    ----------
    n_classes, n_columns : int
    row_separation : float
        rho, the smallest generalised Hamming distance of two rows.
    column_separation : float
        The smallest distance of two columns, either of which may be negated: columns far apart err apart.
    largest_difference : int
        G, the largest number of columns that two rows differ in.
    corrects : int
        Errors of columns that Hamming decoding makes good.
    zeros : float
        Share of zeros.
    dead_columns, empty_rows : list of int
        Columns without a class on one of their sides; rows of zeros.
    duplicated_columns, complementary_columns, equal_rows : list of pairs of int
        Columns that are equal or each other's negatives, and rows that are equal.
    is_equidistant, is_class_symmetric : bool
        All rows equally far apart and without zeros; all classes treated alike. With least squares such codes
        without zeros decide as one-vs-all does.

    Examples
    --------
    >>> from widemargin.codes import one_vs_all
    >>> print(one_vs_all(4).report())
    4 classes, 4 columns, 0 % zeros
    row separation 2, which corrects 0 errors; rows differ in 2 columns at most
    column separation 2
    equidistant, class-symmetric
    """

    n_classes: int
    n_columns: int
    row_separation: float
    column_separation: float
    largest_difference: int
    corrects: int
    zeros: float
    dead_columns: list[int]
    duplicated_columns: Pairs
    complementary_columns: Pairs
    empty_rows: list[int]
    equal_rows: Pairs
    is_equidistant: bool
    is_class_symmetric: bool

    def __str__(self) -> str:
        flags = ["equidistant"] * self.is_equidistant + ["class-symmetric"] * self.is_class_symmetric
        faults = {
            "dead columns": self.dead_columns,
            "duplicated columns": self.duplicated_columns,
            "complementary columns": self.complementary_columns,
            "empty rows": self.empty_rows,
            "equal rows": self.equal_rows,
        }
        lines = [
            f"{self.n_classes} classes, {self.n_columns} columns, {100 * self.zeros:.0f} % zeros",
            f"row separation {self.row_separation:g}, which corrects {self.corrects} errors; "
            f"rows differ in {self.largest_difference} columns at most",
            f"column separation {self.column_separation:g}",
            ", ".join(flags),
            *(f"{name}: {which}" for name, which in faults.items() if which),
        ]
        return "\n".join(filter(None, lines))
