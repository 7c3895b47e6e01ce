"""The quadratic program with its whole matrix.

maximise  f(a) = linear'a - 1/2 a'Qa   s.t.  lower <= a <= upper,  sum of a over each group fixed by `start`.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np


@dataclass(frozen=True, eq=False)
class Program:
    """A problem written out: K is the kernel part of the matrix, Q = K + diag(ridge) all of it."""

    K: np.ndarray
    linear: np.ndarray
    lower: np.ndarray
    upper: np.ndarray
    start: np.ndarray
    ridge: np.ndarray
    group: np.ndarray  # the number of each variable's group

    @cached_property
    def Q(self):
        return self.K + np.diag(self.ridge)

    def objective(self, alpha):
        return self.linear @ alpha - alpha @ self.Q @ alpha / 2

    def gradient(self, alpha):
        return self.linear - self.Q @ alpha

    def groups(self):
        return [np.flatnonzero(self.group == g) for g in range(self.group.max() + 1)]


def program(K, linear, lower, upper, start=None, ridge=None, group=None):
    """A `Program` with defaults: start 0, no ridge, one group."""
    m = len(linear)
    zeros = np.zeros(m)
    return Program(
        np.asarray(K, float),
        np.asarray(linear, float),
        np.asarray(lower, float),
        np.asarray(upper, float),
        zeros if start is None else np.asarray(start, float),
        zeros if ridge is None else np.asarray(ridge, float),
        np.zeros(m, int) if group is None else np.asarray(group),
    )


def written_out(problem, K):
    """The `Program` of a product's `Problem` on K: rows repeated by `points`, grounded rows zero."""
    m = len(problem.linear)
    points = np.arange(m) if problem.points is None else np.asarray(problem.points)
    real = points >= 0
    big = np.where(np.outer(real, real), np.asarray(K, float)[np.ix_(points, points)], 0.0)
    sizes = problem.group_sizes or (m,)
    group = np.repeat(np.arange(len(sizes)), sizes)
    return program(big, problem.linear, problem.lower, problem.upper, problem.start, problem.ridge, group)
