"""Several classes by several two-class problems."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .columns import canonical, equal_columns, equal_rows, is_usable, keys
from .report import CodeReport

Matrix = NDArray[np.int8]


@dataclass(frozen=True, eq=False)
class Code:
    """A matrix M over {-1, 0, +1} with a row per class and a column per two-class problem.

    In column j the points of the classes with M_rj = +1 stand against those with M_rj = -1; the others stay
    out. Two rows differ by the generalised Hamming distance

        d(r, s) = sum_j (1 - M_rj M_sj) / 2,

    in which a zero counts one half. The smallest of them, rho, is the row separation: a code without zeros
    names the right class as long as at most (rho - 1) / 2 of its columns err.

    Parameters
    ----------
    matrix : array-like of shape (n_classes, n_columns)
        M.
    name : str, default="user"

    References
    ----------
    Dietterich and Bakiri, Solving multiclass learning problems via error-correcting output codes, JAIR 2,
    1995.
    Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1, 2000.

    Examples
    --------
    >>> from widemargin.codes import Code
    >>> code = Code([[+1, +1, -1], [+1, -1, +1], [-1, +1, +1], [-1, -1, -1]])
    >>> code.row_separation, code.column_separation
    (2.0, 2.0)
    >>> code.is_equidistant
    True
    """

    matrix: Matrix = field(repr=False)
    name: str = "user"

    def __post_init__(self) -> None:
        object.__setattr__(self, "matrix", read_matrix(self.matrix))

    def __repr__(self) -> str:
        return f"Code({self.name!r}, {self.n_classes} classes, {self.n_columns} columns)"

    @property
    def n_classes(self) -> int:
        """Rows."""
        return self.matrix.shape[0]

    @property
    def n_columns(self) -> int:
        """Two-class problems."""
        return self.matrix.shape[1]

    @property
    def has_zeros(self) -> bool:
        """Whether some class stays out of some problem."""
        return not self.matrix.all()

    @cached_property
    def row_distances(self) -> NDArray[np.float64]:
        """d(r, s) for all rows; that of a row to itself is half the number of its zeros."""
        M = self.matrix.astype(np.float64)
        return (self.n_columns - M @ M.T) / 2

    @property
    def row_separation(self) -> float:
        """rho, the smallest distance of two rows."""
        return float(self.row_distances[~np.eye(self.n_classes, dtype=bool)].min())

    @property
    def column_separation(self) -> float:
        """The smallest distance of two columns, of which either may be negated; infinite for one column."""
        M = self.matrix.astype(np.float64)
        products = np.abs(M.T @ M)[~np.eye(self.n_columns, dtype=bool)]
        return float((self.n_classes - products.max()) / 2) if products.size else np.inf

    @property
    def largest_difference(self) -> int:
        """G, the largest number of columns that two rows differ in; the constant of the stability bound."""
        M = self.matrix
        return max(int((row != M).sum(axis=1).max()) for row in M)

    @property
    def corrects(self) -> int:
        """(rho - 1) / 2, rounded down: errors of columns that Hamming decoding makes good, without zeros."""
        return max(0, int((self.row_separation - 1) // 2))

    @property
    def is_equidistant(self) -> bool:
        """Whether all rows without zeros lie equally far apart: least squares then decide as one-vs-all."""
        off = self.row_distances[~np.eye(self.n_classes, dtype=bool)]
        return not self.has_zeros and bool((off == off[0]).all())

    @property
    def is_class_symmetric(self) -> bool:
        """Whether exchanging two classes gives the same columns, in another order or with other signs."""
        return all(self._is_unchanged_by(r, r + 1) for r in range(self.n_classes - 1))

    def _is_unchanged_by(self, r: int, s: int) -> bool:
        order = np.arange(self.n_classes)
        order[[r, s]] = s, r
        return Counter(keys(canonical(self.matrix))) == Counter(keys(canonical(self.matrix[order])))

    def report(self) -> CodeReport:
        """What a code is good for, and what is wrong with it."""
        M = self.matrix
        return CodeReport(
            n_classes=self.n_classes,
            n_columns=self.n_columns,
            row_separation=self.row_separation,
            column_separation=self.column_separation,
            largest_difference=self.largest_difference,
            corrects=self.corrects,
            zeros=float((M == 0).mean()),
            dead_columns=np.flatnonzero(~is_usable(M)).tolist(),
            duplicated_columns=equal_columns(M),
            complementary_columns=equal_columns(M, negated=True),
            empty_rows=np.flatnonzero(~M.any(axis=1)).tolist(),
            equal_rows=equal_rows(M),
            is_equidistant=self.is_equidistant,
            is_class_symmetric=self.is_class_symmetric,
        )

    def check(self, names: Any = None) -> None:
        """Raise a ValueError, in one sentence, for a code that no machine should be trained with.

        Parameters
        ----------
        names : sequence, optional
            The classes, as they are called in the sentence.
        """
        named = list(range(self.n_classes) if names is None else names)
        if len(named) != self.n_classes:
            raise ValueError(
                f"the code has {self.n_classes} rows, but there are {len(named)} classes: give it a row for "
                "each class, in sorted order."
            )
        M = self.matrix
        if not (filled := M.any(axis=1)).all():
            r = int(np.argmin(filled))
            raise ValueError(
                f"row {r} of the code, class {named[r]!r}, has zeros only: set it against another class."
            )
        if not (usable := is_usable(M)).all():
            j = int(np.argmin(usable))
            side = "-1" if (M[:, j] == 1).any() else "+1"
            raise ValueError(f"column {j} of the code is unused, it has no {side}: drop it or fill it.")
        if twins := equal_columns(M) or equal_columns(M, negated=True):
            i, j = twins[0]
            raise ValueError(
                f"columns {i} and {j} of the code set the same classes against each other: drop one of them."
            )
        if same := equal_rows(M):
            r, s = same[0]
            raise ValueError(
                f"rows {r} and {s} of the code are the same, so that nothing tells class {named[r]!r} from "
                f"class {named[s]!r}: add a column that does."
            )


def read_matrix(matrix: Any) -> Matrix:
    """A code as an array that nobody changes; a ValueError if it is none."""
    try:
        M = np.asarray(matrix)
    except ValueError:
        raise ValueError("a code must be a matrix, but its rows are not equally long.") from None
    if M.ndim != 2 or M.shape[0] < 2 or M.shape[1] < 1:
        raise ValueError(
            f"a code must be a matrix with a row for each of at least 2 classes and a column for each "
            f"problem, not of shape {M.shape}."
        )
    if M.dtype.kind not in "biuf" or not np.isin(M, (-1, 0, 1)).all():
        raise ValueError("a code must have the entries -1, 0 and +1 only.")
    M = np.array(M, dtype=np.int8)
    M.flags.writeable = False
    return M
