"""Rprop for random gradients: it watches its own walk to learn whether steps are too long or too short."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from .box import Box
from .evaluation import Evaluation
from .optimizer import Optimizer

Vector = NDArray[np.float64]

SHORTEST = 40
"""Moves of the first episode, and the fewest of any."""

LOOKS = 100
"""Times per episode at which the range of the walk is looked at."""

DRIFT = (0.25, 1.64)
"""Of a walk without drift, |S1| is below the first value in 20 % of all cases, above the second in 10 %."""

RANGE = (0.95, 1.77)
"""S2 is below the first in 10 %, above the second in 25 %."""

SKEW = (0.29, 2.5)
"""|S3| is below the first in 15 %, above the second in 10 %."""


@dataclass
class _Walk:
    """What is known of every coordinate; rows are replaced, never changed by a later step."""

    x: Vector
    d: Vector
    """Length of a move."""
    N: Vector
    """Moves of the present episode."""
    M: Vector
    """Derivatives averaged for a move."""
    t: Vector
    """Moves made."""
    c: Vector
    """Derivatives gathered for the next move."""
    acc: Vector
    """Their sum."""
    begin: Vector
    """x at the beginning of the episode."""
    low: Vector
    high: Vector
    sum_left: Vector
    sum_right: Vector
    """Sums of the derivatives (their absolute values) that made it move left and right."""
    left: Vector
    right: Vector
    """How many."""
    passed: Vector
    """Sum of x over the moves of this episode."""
    passed_before: Vector
    moves_before: Vector
    """The same of the episode before, and its moves."""


@dataclass(frozen=True, eq=False)
class NoisyRpropState:
    """The walk of every coordinate."""

    table: NDArray[np.float64]
    box: Box

    @property
    def walk(self) -> Any:
        """Rows of a copy of the table, by name."""
        return _Walk(*self.table.copy())

    @property
    def x(self) -> Vector:
        """Where the walk is."""
        return self.table[0]

    @property
    def steps(self) -> Vector:
        """Lengths of moves."""
        return self.table[1]

    @property
    def episodes(self) -> Vector:
        """Moves per episode."""
        return self.table[2]

    @property
    def averaged(self) -> Vector:
        """Derivatives averaged for one move."""
        return self.table[3]

    @property
    def points(self) -> NDArray[np.float64]:
        """The next point."""
        return self.table[0][None]


class NoisyRprop(Optimizer):
    """Rprop on random gradients, whose mean is the gradient of what is to be minimised.

    Every coordinate makes moves of length d against the sign of its derivative, averaged over M draws. After
    an episode of N moves it looks at three statistics of its walk, which without drift is a random walk:

        S1 = (x - x0) / (d sqrt N)                  how far it has come,
        S2 = (max x - min x) / (d sqrt N)           how far it has been,
        S3 = sqrt N (r / n_r - l / n_l) N / (r + l)     whether moves to the right and to the left
                                                    have equally large derivatives (sums r, l of n_r, n_l).

    A drift (large S1) doubles d and halves N; none at all (small S1) halves d and doubles N. Otherwise a
    narrow range (S2) halves N, a wide one doubles it. Where S3 says that the mean of the derivatives is not
    zero where their median is, M is doubled and N halved; it is halved again when they agree. Values of the
    objective play no part.

    Parameters
    ----------
    first_step : float, default=0.05
    min_step : float, default=0.0
        On a plateau, where derivatives are zero, steps would shrink for ever.
    s1_scale : float, default=1.0
        Factor of S1; 0.5 is the variant behind published figures, half as fast.

    Notes
    -----
    The answer is the mean of x over the last episode, which varies less than the last point.

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, 2008, chapter 11; in print, text and
    listing disagree, and S1 governs d here, S2 only N.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.optimizers import NoisyRprop, minimize
    >>> draw = np.random.default_rng(0)
    >>> def noisy(x):
    ...     m = draw.uniform(size=1)
    ...     return float((x - m) @ (x - m)), 2 * (x - m)
    >>> run = minimize(noisy, NoisyRprop(), [2.0], max_evaluations=4000)
    >>> bool(abs(run.answer[0] - 0.5) < 0.05)
    True
    """

    uses_gradient: ClassVar[bool] = True
    recentres: ClassVar[bool] = True
    bears_noise: ClassVar[bool] = True

    def __init__(self, *, first_step: float = 0.05, min_step: float = 0.0, s1_scale: float = 1.0) -> None:
        self.first_step = first_step
        self.min_step = min_step
        self.s1_scale = s1_scale

    def budget(self, n: int) -> int:
        """10,000 sqrt(n) gradients."""
        return int(10_000 * np.sqrt(n))

    def _begin(self, x: Vector, box: Box, seed: int) -> NoisyRpropState:
        zero, one = np.zeros_like(x), np.ones_like(x)
        walk = _Walk(x, self.first_step * one, SHORTEST * one, one, zero, zero, zero, x, x, x, *[zero] * 7)
        return NoisyRpropState(_table(walk), box)

    def step(self, state: NoisyRpropState, evaluations: Sequence[Evaluation]) -> NoisyRpropState:
        """Gather a gradient; coordinates that have enough of them move, those at an episode's end adapt."""
        (here,) = evaluations
        walk = state.walk
        walk.acc += here.slope
        walk.c += 1
        ready = walk.c >= walk.M
        if ready.any():
            _move(walk, ready, state.box)
            ended = ready & (walk.t >= walk.N)
            if ended.any():
                self._adapt(walk, ended)
        return NoisyRpropState(_table(walk), state.box)

    def _adapt(self, walk: _Walk, ended: NDArray[np.bool_]) -> None:
        s1, s2, s3 = _statistics(walk)
        s1 = self.s1_scale * s1
        drifting, oscillating = s1 > DRIFT[1], s1 < DRIFT[0]
        log_d = 1.0 * drifting - oscillating
        log_N = 1.0 * oscillating + (s2 > RANGE[1]) - (s2 < RANGE[0])
        more, less = SKEW[1] < s3, (SKEW[0] > s3) & (walk.M >= 2)
        log_M = np.where(drifting, 0.0, 1.0 * more - less)
        log_N = np.where(drifting, -1.0, log_N - log_M)
        walk.d = np.where(ended, np.maximum(self.min_step, walk.d * 2.0**log_d), walk.d)
        walk.moves_before = np.where(ended, walk.N, walk.moves_before)
        walk.passed_before = np.where(ended, walk.passed, walk.passed_before)
        walk.N = np.where(ended, np.maximum(SHORTEST, walk.N * 2.0**log_N), walk.N)
        walk.M = np.where(ended, walk.M * 2.0**log_M, walk.M)
        for name in ("begin", "low", "high"):
            setattr(walk, name, np.where(ended, walk.x, getattr(walk, name)))
        for name in ("t", "sum_left", "sum_right", "left", "right", "passed"):
            setattr(walk, name, np.where(ended, 0.0, getattr(walk, name)))

    def answer(self, state: NoisyRpropState) -> Vector:
        """The mean of x since the beginning of the last whole episode."""
        walk = state.walk
        moves = walk.moves_before + walk.t
        total = walk.passed_before + walk.passed
        return np.where(moves > 0, total / np.maximum(moves, 1), walk.x)


def _table(walk: _Walk) -> NDArray[np.float64]:
    return np.array(list(vars(walk).values()))


def _move(walk: _Walk, ready: NDArray[np.bool_], box: Box) -> None:
    """The coordinates that are ready go one step; where that leads out of the box they stay."""
    left, right = ready & (walk.acc > 0), ready & (walk.acc < 0)
    size = np.abs(walk.acc)
    x = walk.x + walk.d * (1.0 * right - left)
    walk.x = np.where(box.holds(x), x, walk.x)
    walk.sum_left = walk.sum_left + size * left
    walk.sum_right = walk.sum_right + size * right
    walk.left = walk.left + left
    walk.right = walk.right + right
    walk.t = walk.t + ready
    walk.passed = walk.passed + walk.x * ready
    look = ready & (np.ceil(walk.t * LOOKS / walk.N) * walk.N // LOOKS == walk.t)
    walk.low = np.where(look, np.minimum(walk.low, walk.x), walk.low)
    walk.high = np.where(look, np.maximum(walk.high, walk.x), walk.high)
    walk.acc = np.where(ready, 0.0, walk.acc)
    walk.c = np.where(ready, 0.0, walk.c)


def _statistics(walk: _Walk) -> tuple[Vector, Vector, Vector]:
    """|S1|, S2 and |S3|; S3 is NaN, which no threshold exceeds, for a walk to one side."""
    way = walk.d * np.sqrt(walk.N)
    with np.errstate(divide="ignore", invalid="ignore"):
        lean = walk.sum_right / walk.right - walk.sum_left / walk.left
        S3 = np.sqrt(walk.N) * lean / ((walk.sum_right + walk.sum_left) / walk.N)
        return np.abs(walk.x - walk.begin) / way, (walk.high - walk.low) / way, np.abs(S3)
