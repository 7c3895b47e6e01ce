"""Small quadratic programs with a story: maximise linear'a - 1/2 a'Ka, 1'a = 0, lower <= a <= upper."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .sample import Array


class QuadraticProgram(NamedTuple):
    """The four arrays of a quadratic program whose variables sum to zero."""

    K: Array
    linear: Array
    lower: Array
    upper: Array


def mg_counter_example() -> QuadraticProgram:
    """Four variables on which pure maximum-gain selection is stuck after one step.

    From a = 0 the first pair (3, 1), counted from one, ends in (-C, 0, C, 0) with objective 0.17; only (4,
    2), which shares no variable with it, can still make progress. The optimum is (-C, -m, C, m) with
    m = (1 - sqrt(3)/5)/7 and objective 0.2310256681... (C = 1/10).
    """
    C, s = 0.1, np.sqrt(3.0)
    K = np.array([[2, s, -1, -s], [s, 4, -s, -3], [-1, -s, 2, s], [-s, -3, s, 4]])
    linear = np.array([-1.0, -1.0, 1.0, 1.0])
    return QuadraticProgram(K, linear, np.minimum(0, C * linear), np.maximum(0, C * linear))


def three_variable_problem(seed: int, bound: float = 1e6) -> QuadraticProgram:
    """Three variables, a random positive definite K and bounds too wide to matter.

    Planning ahead solves it in exactly three steps; second-order SMO needs many more.
    """
    random = np.random.default_rng(seed)
    root = random.standard_normal((3, 3))
    K = root @ root.T + 1e-3 * np.eye(3)
    return QuadraticProgram(K, random.standard_normal(3), np.full(3, -bound), np.full(3, bound))
