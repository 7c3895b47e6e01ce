"""What the fixed sums of nu machines become without a point."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.estimators import NuSVC
from widemargin.problems import Problem, Vector

__all__ = ["check_feasible", "shares_without"]


def shares_without(machine: Any, problem: Problem) -> Vector:
    """For each point of a problem on its own points, the fixed sums without it over those with it.

    The sums are nu (for two of them: nu / 2) times the weight of all points, of a classifier no more than the
    weight of the lighter class.
    """
    weight = problem.upper - problem.lower
    shares = np.empty(weight.size)
    if isinstance(machine, NuSVC):
        total, sums = weight.sum(), abs(float(problem.start[problem.groups[0]].sum()))
        sides = [weight[group].sum() for group in problem.groups]
        for own, other, group in zip(sides, sides[::-1], problem.groups, strict=True):
            allowed = np.minimum(own - weight[group], other)
            shares[group] = np.minimum(machine.nu * (total - weight[group]) / 2, allowed) / sums
    else:
        for group in problem.groups:
            shares[group] = 1 - weight[group] / weight[group].sum()
    by_point = np.empty(problem.rows.max() + 1)
    by_point[problem.rows] = shares
    return by_point


def check_feasible(machine: NuSVC, classes: Any, weight: Vector) -> None:
    """Raise a ValueError if nu is too large for the points that are left without some point."""
    rows = np.flatnonzero(weight)
    labels, w, M = classes.labels[rows], weight[rows], classes.scheme.M
    machine._check_feasible(labels, w, classes.weights[labels], M, classes.names)
    largest = np.zeros(rows.size)
    for side in M.T[:, labels]:
        total = [w[side == sign].sum() - np.where(side == sign, w, 0.0) for sign in (+1, -1)]
        largest = np.maximum(largest, 2 * np.minimum(*total) / (total[0] + total[1]))
    if (machine.nu > largest * (1 + 1e-12)).any():
        i = int(np.argmin(largest))
        raise ValueError(
            f"nu = {machine.nu} is infeasible without sample {rows[i]}: for leave-one-out it must lie in "
            f"(0, {largest[i]:.6g}]."
        )
