"""Machines without a bias."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.problems.problem import GROUNDED, Problem


def without_bias(problem: Problem) -> Problem:
    """The machine without a bias: a grounded free variable absorbs the sum, whose multiplier is then zero.

    Examples
    --------
    >>> from widemargin.problems import soft_margin
    >>> without_bias(soft_margin([+1, -1], C=1.0)).points
    array([ 0,  1, -1], dtype=int32)
    """
    if len(problem.groups) > 1:
        raise ValueError("only a problem with a single fixed sum can do without its bias.")

    def append(values: NDArray, value: float) -> NDArray:
        return np.append(values, values.dtype.type(value))

    return Problem(
        linear=append(problem.linear, 0.0),
        lower=append(problem.lower, -np.inf),
        upper=append(problem.upper, np.inf),
        start=append(problem.start, 0.0),
        ridge=None if problem.ridge is None else append(problem.ridge, 0.0),
        points=append(problem.rows, GROUNDED),
    )
