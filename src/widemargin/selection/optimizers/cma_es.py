"""Evolution with a covariance matrix, by the package cma."""

from __future__ import annotations

import copy
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer, check_steps, nowhere

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class CMAESState:
    """The population to evaluate, and the strategy that has drawn it."""

    points: NDArray[np.float64]
    strategy: Any
    box: Box


class CMAES(Optimizer):
    """Covariance matrix adaptation evolution strategy: for rugged objectives without derivatives.

    Needs the package `cma` (``pip install widemargin[cma]``). A generation has max(5, floor(3 log n) + 4)
    candidates.

    Parameters
    ----------
    first_step : float, default=1.0
        Standard deviation of the first generation.
    tolerance : float, default=1e-3
        Standard deviation at which it ends.

    References
    ----------
    Hansen and Ostermeier, Completely derandomized self-adaptation in evolution strategies, 2001.
    """

    def __init__(self, *, first_step: float = 1.0, tolerance: float = 1e-3) -> None:
        self.first_step = first_step
        self.tolerance = tolerance

    def population(self, n: int) -> int:
        """Candidates per generation in n dimensions."""
        return max(5, int(3 * np.log(n)) + 4)

    def budget(self, n: int) -> int:
        """100 sqrt(n) generations."""
        return int(100 * np.sqrt(n)) * self.population(n)

    def _begin(self, x: Vector, box: Box, seed: int) -> CMAESState:
        check_steps(self.first_step, self.tolerance)
        cma = _package()
        lone = x.size == 1  # the package wants two dimensions; the second has no meaning
        options = {
            "popsize": self.population(x.size),
            "verbose": -9,
            "randn": _Normal(seed),
            "seed": np.nan,  # leaves NumPy's global generator alone
            "tolx": self.tolerance,
            "tolfun": 0,
            "tolfunhist": 0,
        }
        strategy = cma.CMAEvolutionStrategy(np.append(x, 0.0) if lone else x, self.first_step, options)
        return _asked(strategy, box)

    def step(self, state: CMAESState, evaluations: Sequence[Evaluation]) -> CMAESState:
        """The next generation."""
        strategy = copy.deepcopy(state.strategy)
        candidates = [_padded(each.x, strategy.N) for each in evaluations]
        worst = max((each.value for each in evaluations if np.isfinite(each.value)), default=0.0)
        strategy.tell(candidates, [min(each.value, worst + 1.0) for each in evaluations])
        if strategy.stop():
            return replace(state, strategy=strategy, points=nowhere(state.points.shape[1]))
        return _asked(strategy, state.box)


class _Normal:
    """A source of normal numbers that is copied with its strategy."""

    def __init__(self, seed: int) -> None:
        self.generator = np.random.default_rng(seed)

    def __call__(self, *shape: int) -> NDArray[np.float64]:
        return self.generator.standard_normal(shape)


def _asked(strategy: Any, box: Box) -> CMAESState:
    points = np.array(strategy.ask())[:, : box.lower.size]
    return CMAESState(np.array([box.clip(p) for p in points]), strategy, box)


def _padded(x: Vector, n: int) -> Vector:
    return np.append(x, np.zeros(n - x.size))


def _package() -> Any:
    try:
        import cma
    except ImportError:
        raise ImportError(
            "CMAES needs the package cma: pip install widemargin[cma], or take Random() or NestedGrid()."
        ) from None
    return cma
