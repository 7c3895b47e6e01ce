"""The linear system among the free variables of a solution."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import ArrayLike

from widemargin import _core


class FreeSet:
    """The free variables F of a program and the linear system among them,

    ``[[Q_FF, E], [E', 0]] [d, r] = [b, s]``

    with Q = K + diag(ridge) and E_ig = 1 if variable i is in group g, else 0. Its factor follows when a
    variable enters or leaves.

    With b the gradient and s = 0, d is the exact step to the best point with all other variables fixed, and r
    the offsets there. The derivative of a solution in a hyperparameter, the solution without one of its
    points, and the span of its support vectors are found from the same system.

    Building it takes O(m^3) operations for m variables; ``add``, ``remove`` and ``solve`` take O(m^2). Where
    the system is singular (repeated points, a kernel of low rank), a ridge of rounding size chooses a
    solution.

    Parameters
    ----------
    gram : Gram
        Square kernel matrix, positive semi-definite, from ``kernel.bind(X)``.
    points : sequence of int
        The row of the matrix for each variable; -1 for a variable without one.
    ridge : float or sequence of float, default=0
        What Q has on its diagonal besides K, for each variable.
    groups : sequence of int or None, default=None
        The group of each variable, counted from 0; None for a single group.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import Gaussian
    >>> from widemargin.solvers import FreeSet
    >>> X = np.array([[0.0], [1.0], [2.0], [4.0]])
    >>> free = FreeSet(Gaussian(0.5).bind(X), [0, 1, 3])
    >>> d, r = free.solve([1.0, -1.0, 1.0])
    >>> d.round(3).tolist()
    [2.263, -2.836, 0.573]
    >>> free.add(2)
    >>> free.remove(0)
    >>> free.points.tolist()
    [1, 3, 2]
    >>> span = 1 / free.inverse_diagonal()
    """

    def __init__(
        self,
        gram: _core.Gram,
        points: Sequence[int],
        *,
        ridge: float | Sequence[float] = 0.0,
        groups: Sequence[int] | None = None,
    ) -> None:
        rows, columns = gram.shape
        if rows != columns:
            raise ValueError(f"gram must be square; got the shape {(rows, columns)}.")
        self._gram = gram
        self._points = self._checked_points(points)
        m = len(self._points)
        self._ridge = _checked_ridges(ridge, m)
        self._groups = [0] * m if groups is None else [_checked_group(group) for group in groups]
        if len(self._groups) != m:
            raise ValueError(f"groups must have one entry per variable, {m}; got {len(self._groups)}.")
        count = max(self._groups, default=0) + 1
        self._core = _core.FreeSet(gram, self._points, self._ridge, self._groups, count)

    def __len__(self) -> int:
        return len(self._points)

    @property
    def points(self) -> np.ndarray:
        """The row of the matrix for each variable, in the order of the positions."""
        return np.array(self._points, dtype=int)

    @property
    def groups(self) -> np.ndarray:
        """The group of each variable."""
        return np.array(self._groups, dtype=int)

    def add(self, point: int, *, ridge: float = 0.0, group: int = 0) -> None:
        """A variable enters, at the last position."""
        (point,), (ridge,), group = (
            self._checked_points([point]),
            _checked_ridges(ridge, 1),
            _checked_group(group),
        )
        if group >= self._core.groups:
            raise ValueError(f"group must be one of the {self._core.groups} groups there are; got {group}.")
        column = self._block([point], [*self._points, point]).ravel()
        self._core.add(column[:-1].copy(), float(column[-1]) + ridge, group)
        self._points.append(point)
        self._ridge.append(ridge)
        self._groups.append(group)

    def remove(self, position: int) -> None:
        """The variable at a position leaves; those after it move up by one."""
        if not 0 <= position < len(self):
            raise ValueError(f"position must lie between 0 and {len(self) - 1}; got {position}.")
        self._core.remove(position)
        for values in (self._points, self._ridge, self._groups):
            del values[position]

    def solve(self, b: ArrayLike, sums: ArrayLike = 0.0) -> tuple[np.ndarray, np.ndarray]:
        """Solve the system for one or many right-hand sides.

        Parameters
        ----------
        b : array of shape (m,) or (m, k)
        sums : float or array, default=0
            The sum of d in each group: a number, or an array that fits the shape of the multipliers.

        Returns
        -------
        d : array of the shape of b
        r : array of shape (groups,) or (groups, k)
            The multipliers of the sums; 0 for a group without variables.
        """
        right = np.asarray(b, dtype=float)
        if right.ndim not in (1, 2) or len(right) != len(self):
            raise ValueError(f"b must have one row for each of the {len(self)} variables; got {right.shape}.")
        shape = (self._core.groups, *right.shape[1:])
        try:
            wanted = np.broadcast_to(np.asarray(sums, dtype=float), shape)
        except ValueError:
            raise ValueError(f"sums must fit the shape {shape}; got {np.shape(sums)}.") from None
        if not (np.isfinite(right).all() and np.isfinite(wanted).all()):
            raise ValueError("b and sums must be finite.")
        if right.ndim == 1:
            return self._core.solve(right.copy(), wanted.copy())
        d, r = np.empty(right.shape), np.empty(shape)
        self._core.solve_all(np.ascontiguousarray(right), np.ascontiguousarray(wanted), d, r)
        return d, r

    def inverse_diagonal(self) -> np.ndarray:
        """The diagonal of the inverse of the whole system, for the variables.

        ``1 / inverse_diagonal()`` is the squared distance of each point from the span of the others, in the
        kernel's feature space, with coefficients that add up to one. Takes O(m^3) operations.
        """
        return self._core.inverse_diagonal()

    def log_determinant(self) -> float:
        """log det of Z'Q_FF Z, the columns of Z an orthonormal basis of the vectors whose sums are zero."""
        return self._core.log_determinant()

    def _block(self, rows: list[int], columns: list[int]) -> np.ndarray:
        """Entries of K; zero for variables without a row."""
        which, others = np.asarray(rows, dtype=np.int32), np.asarray(columns, dtype=np.int32)
        if (which >= 0).all() and (others >= 0).all():
            return self._gram.block(which, others)
        K = np.zeros((len(which), len(others)))
        K[np.ix_(which >= 0, others >= 0)] = self._gram.block(which[which >= 0], others[others >= 0])
        return K

    def _checked_points(self, points: Sequence[int]) -> list[int]:
        rows, given = self._gram.shape[0], np.asarray(points)
        bad = (given < -1) | (given >= rows)
        if bad.any():
            raise ValueError(f"points must lie between 0 and {rows - 1}, or be -1; got {given[bad][0]}.")
        return given.astype(int).tolist()


def _checked_ridges(value: float | Sequence[float], m: int) -> list[float]:
    try:
        ridge = np.broadcast_to(np.asarray(value, dtype=float), (m,))
    except ValueError:
        raise ValueError(f"ridge must be a number or have one entry per variable, {m}.") from None
    bad = ~(np.isfinite(ridge) & (ridge >= 0))
    if bad.any():
        raise ValueError(f"ridge must be finite and not negative; got {ridge[bad][0]}.")
    return ridge.tolist()


def _checked_group(group: int) -> int:
    if group < 0:
        raise ValueError(f"groups must be counted from 0; got {group}.")
    return int(group)
