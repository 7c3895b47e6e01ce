"""A two-class machine that learns from a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.online.examples import Examples
from widemargin.problems import Problem, Vector, soft_margin
from widemargin.solvers import Solution

INITIAL = 50
"""The first examples of each class that stay, whatever they are."""


@dataclass(frozen=True)
class Settings:
    """How all machines of a classifier learn."""

    selection: Any
    tol: float
    max_candidates: int
    cache_bytes: int


class PairLearner:
    """LASVM for two classes, +1 and -1, of which it has seen some examples and kept a few.

    Points are rows of a Gram that is given with every call; in between, candidates are rows of what is kept.

    Parameters
    ----------
    positive, negative : object
        The names of the classes.
    """

    def __init__(self, positive: Any, negative: Any) -> None:
        self.positive = positive
        self.negative = negative
        self._core = _core.OnlineLearner()

    def __getstate__(self) -> dict[str, Any]:
        return {"positive": self.positive, "negative": self.negative, "candidates": self._core.state()}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__init__(state["positive"], state["negative"])  # type: ignore[misc]
        self._core.set_state(state["candidates"])

    def own(self, data: Examples, rows: NDArray[np.integer]) -> NDArray[np.int32]:
        """Those of the rows that are of its classes."""
        return rows[self.concerns(data.labels[rows])].astype(np.int32)

    def concerns(self, labels: NDArray[Any]) -> NDArray[np.bool_]:
        """Which of the labels are of its classes."""
        which: Any = (labels == self.positive) | (labels == self.negative)
        return which

    def problem(self, data: Examples, rows: NDArray[np.int32]) -> Problem:
        """The problem of some of its own rows."""
        y = np.where(data.labels[rows] == self.positive, 1.0, -1.0)
        return soft_margin(y, data.prices[rows]).on(rows)

    def learn(self, gram: Any, problem: Problem, settings: Settings, observer: Any) -> bool:
        """Learn the variables of a problem one after the other; False if Ctrl-C came between."""
        _, interrupted = self._core.learn(
            gram,
            problem.rows,
            problem.linear,
            problem.lower,
            problem.upper,
            settings.selection,
            settings.tol,
            settings.max_candidates,
            INITIAL,
            settings.cache_bytes,
            observer,
        )
        return not interrupted

    def restart(self, problem: Problem, solution: Solution, diagonal: Vector) -> None:
        """Go on from a solution: its support vectors become candidates, and who decides over the bias."""
        a, G = solution.alpha, solution.gradient
        rises, falls = a < problem.upper, a > problem.lower
        stays = (a != 0) | np.isin(problem.rows, self.points)
        stays[np.argmax(np.where(rises, G, -np.inf))] = True
        stays[np.argmin(np.where(falls, G, np.inf))] = True
        rows = problem.rows[stays]
        self._core.restart(
            {
                "point": rows,
                "linear": problem.linear[stays],
                "lower": problem.lower[stays],
                "upper": problem.upper[stays],
                "alpha": a[stays],
                "gradient": G[stays],
                "diagonal": diagonal[rows],
            }
        )

    def renumber(self, place: NDArray[np.int32]) -> None:
        """Row r of the last Gram is row place[r] of the next."""
        self._core.renumber(np.ascontiguousarray(place[self.points]))

    @property
    def points(self) -> NDArray[np.int32]:
        """The rows of the candidates."""
        points: Any = self._core.points
        return points

    def coefficients(self, n: int) -> Vector:
        """The coefficients of n rows."""
        everywhere = np.zeros(n)
        alpha: Any = self._core.alpha
        everywhere[self.points] = alpha
        return everywhere

    @property
    def is_new(self) -> bool:
        """Whether it has not seen any example."""
        return self.seen == 0

    @property
    def seen(self) -> int:
        """Number of examples that it has learnt; those that it met again count again."""
        return self._core.seen

    @property
    def size(self) -> int:
        """Number of candidates."""
        return self._core.size

    @property
    def intercept(self) -> float:
        """The bias, positive for the first class."""
        return self._core.offset

    @property
    def objective(self) -> float:
        """The dual value of the candidates, which is one of all examples seen."""
        return self._core.objective

    @property
    def violation(self) -> float:
        """The KKT violation among the candidates."""
        return self._core.violation

    @property
    def counters(self) -> dict[str, int]:
        """What learning has cost so far."""
        return self._core.counters
