"""The variables that can move, and the program among them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.problems import GROUNDED, Problem, Vector

ROUNDING = 1e-12
"""A sum this near to the least or the greatest that its bounds allow, relative to them, leaves no choice."""


@dataclass(frozen=True, eq=False)
class Program:
    """minimise 1/2 a'(K + diag(ridge))a - linear'a,  lower < a < upper,  each group's sum fixed,

    over the variables of a problem that can move: every box has an inside, and so has the program.

    Attributes
    ----------
    linear : array of shape (m,)
        With what variables that cannot move add to it, and less `shift`.
    shift : array of shape (groups,)
        The mean of each group's linear term: with fixed sums it says nothing, and only costs digits.
    variables : integer array of shape (m,)
        Which variables of the problem these are.
    rest : array
        The problem's variables where they cannot move, zero elsewhere.
    rows : int32 array of shape (n,)
        The rows of the Gram that they belong to.
    point : integer array of shape (m,)
        The place of each variable's row among `rows`; -1 if it has none.
    group, sums
        The group of each variable, and what each group has to add up to.
    """

    linear: Vector
    lower: Vector
    upper: Vector
    ridge: Vector
    rows: NDArray[np.int32]
    point: NDArray[np.intp]
    group: NDArray[np.intp]
    sums: Vector
    shift: Vector
    variables: NDArray[np.intp]
    rest: Vector

    @classmethod
    def of(cls, problem: Problem, gram: _core.Gram, threads: int = 1) -> Program:
        """What is left of a problem once variables without a choice are set aside."""
        stuck, rest = _without_choice(problem)
        variables = np.flatnonzero(~stuck)
        ridge = np.zeros(problem.size) if problem.ridge is None else problem.ridge
        group = np.repeat(np.arange(len(problem.groups)), [g.stop - g.start for g in problem.groups])
        used = np.unique(problem.rows[variables])
        rows = used[used != GROUNDED].astype(np.int32)
        point = np.where(
            problem.rows[variables] == GROUNDED, GROUNDED, np.searchsorted(rows, problem.rows[variables])
        )
        linear = problem.linear[variables].copy()
        here = point != GROUNDED
        linear[here] -= _pull(problem, gram, rest, rows, threads)[point[here]]
        totals = np.array([problem.start[each].sum() - rest[each].sum() for each in problem.groups])
        present, here_group = np.unique(group[variables], return_inverse=True)  # others are settled
        shift = np.bincount(here_group, weights=linear) / np.maximum(np.bincount(here_group), 1)
        return cls(
            linear=linear - shift[here_group],
            lower=problem.lower[variables],
            upper=problem.upper[variables],
            ridge=ridge[variables],
            rows=rows,
            point=point,
            group=here_group,
            sums=totals[present],
            shift=shift,
            variables=variables,
            rest=rest,
        )

    @property
    def size(self) -> int:
        """Number of variables."""
        return self.linear.size

    @property
    def inequalities(self) -> int:
        """Number of finite bounds: M, and the gap on the central path is M/t."""
        return int(np.isfinite(self.lower).sum() + np.isfinite(self.upper).sum())

    @property
    def loose(self) -> NDArray[np.bool_]:
        """Variables that only their group's sum knows: no row, no bound, no ridge."""
        unbounded = np.isinf(self.lower) & np.isinf(self.upper)
        return unbounded & (self.point == GROUNDED) & (self.ridge == 0)

    def by_point(self, x: Vector) -> Vector:
        """P'x: what the variables of each point add up to."""
        here = self.point != GROUNDED
        return np.bincount(self.point[here], weights=x[here], minlength=self.rows.size).astype(float)

    def by_variable(self, values: Vector) -> Vector:
        """P values: the value of each variable's point, zero without one."""
        if not values.size:
            return np.zeros(self.size)
        return np.where(self.point == GROUNDED, 0.0, values[self.point])

    def by_group(self, x: Vector) -> Vector:
        """E'x: the sum over each group."""
        return np.bincount(self.group, weights=x, minlength=self.sums.size).astype(float)

    def whole(self, a: Vector) -> Vector:
        """All variables of the problem."""
        alpha = self.rest.copy()
        alpha[self.variables] = a
        return alpha


def _without_choice(problem: Problem) -> tuple[NDArray[np.bool_], Vector]:
    """Which variables cannot move, and where they are: their bounds are equal, or their group's sum is the
    least or the greatest that the bounds allow."""
    stuck = problem.lower == problem.upper
    value = problem.lower.copy()
    for group in problem.groups:
        lower, upper = problem.lower[group], problem.upper[group]
        total = problem.start[group].sum()
        rounding = ROUNDING * max(np.abs(problem.start[group]).sum(), abs(total))
        for bound, room in ((lower, total - lower.sum()), (upper, upper.sum() - total)):
            if room <= rounding:
                stuck[group], value[group] = True, bound
    return stuck, np.where(stuck, value, 0.0)


def _pull(problem: Problem, gram: _core.Gram, rest: Vector, rows: NDArray[np.int32], threads: int) -> Vector:
    """What the variables that cannot move add to the gradient at some rows."""
    weights = problem.by_point(rest, gram.shape[0])
    support = np.flatnonzero(weights).astype(np.int32)
    if not support.size:
        return np.zeros(rows.size)
    return np.asarray(gram.accumulated(support, weights[support], rows, threads=threads))
