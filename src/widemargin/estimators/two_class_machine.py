"""What a classifier is made of."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Protocol

from widemargin.problems import Problem, Vector


class TwoClassMachine(Protocol):
    """A two-class problem and how to read it."""

    @property
    def problem(self) -> Problem:
        """The problem to solve."""
        ...

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept; `size()` is the largest k(x, x)."""
        ...

    def start(self, coefficients: Vector) -> Vector:
        """A feasible start near the function with these coefficients."""
        ...
