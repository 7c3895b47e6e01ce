"""What all optimisers have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator

from .box import Box
from .evaluation import Evaluation

Vector = NDArray[np.float64]


class State(Protocol):
    """How far an optimiser has come: a record that nothing changes."""

    @property
    def points(self) -> NDArray[np.float64]:
        """The points to evaluate next, one per row; none when it is done."""
        ...


class Optimizer(BaseEstimator):
    """A record of settings with two pure functions, `init` and `step`, that minimise over x in R^n.

    An optimiser of one's own inherits from this class and defines `_begin`, `step` and `budget`.
    """

    uses_gradient: ClassVar[bool] = False
    """Whether evaluations must have gradients."""

    bears_noise: ClassVar[bool] = False
    """Whether it finds the minimum of the mean of a random objective."""

    recentres: ClassVar[bool] = False
    """Whether each point is a step from the last one, and only its gradient matters for the next: on a
    manifold, kernels can then be recentred wherever it is."""

    def init(self, x0: ArrayLike, box: Box | None = None, random_state: Any = None) -> Any:
        """The state before the first evaluation.

        Parameters
        ----------
        x0 : array of shape (n,)
            Where to begin.
        box : Box, optional
            Where x may go; anywhere by default.
        random_state : int, optional
            For those that draw.
        """
        x = np.array(x0, dtype=np.float64)
        if x.ndim != 1 or x.size == 0 or not np.isfinite(x).all():
            raise ValueError(f"x0 must be a vector of at least one finite number, not {x0!r}.")
        box = Box.unlimited(x.size) if box is None else box
        seed = int(np.random.SeedSequence(random_state).generate_state(1)[0])
        return self._begin(box.clip(x), box, seed)

    def _begin(self, x: Vector, box: Box, seed: int) -> Any:
        raise NotImplementedError(f"{type(self).__name__} must define _begin.")

    def step(self, state: Any, evaluations: Sequence[Evaluation]) -> Any:
        """The state after evaluations of all points of this one, in their order."""
        raise NotImplementedError(f"{type(self).__name__} must define step.")

    def answer(self, state: Any) -> Vector | None:
        """The point to return, None for the best one seen."""
        return None

    def budget(self, n: int) -> int:
        """Evaluations to allow in n dimensions if nobody says how many."""
        raise NotImplementedError(f"{type(self).__name__} must define budget.")


def check_steps(first: float, last: float) -> None:
    """Raise a ValueError unless a search that ends when steps are shorter than the last one can begin."""
    if not (isinstance(first, int | float | np.number) and first > 0):
        raise ValueError(f"first_step must be a positive number, not {first!r}.")
    if not (isinstance(last, int | float | np.number) and 0 <= last < first):
        raise ValueError(
            f"tolerance must be a number >= 0 and less than the first step, not {last!r}: the search "
            "would end where it begins."
        )


def nowhere(n: int) -> NDArray[np.float64]:
    """No points: the optimiser is done."""
    return np.empty((0, n))
