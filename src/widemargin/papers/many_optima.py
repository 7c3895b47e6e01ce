"""How many optima objectives have along gamma, and which of them a search finds."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from widemargin.datasets import Sample, noisy_chess_board
from widemargin.estimators import SVC
from widemargin.kernels import Gaussian
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.selection import width_heuristic
from widemargin.selection.objectives import Alignment, Objective, Polarization, RadiusMargin, SpanBound
from widemargin.selection.optimizers import Box, IRpropPlus, minimize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Vector = NDArray[np.float64]

POINTS = 40
SPAN = (-1.5, 12.0)
"""log gamma, from the width heuristic: not so wide that hard margins are lost in rounding."""

SAME = 1e-6
"""Values that differ by less, as shares of the value or of their range, are a plain."""

OBJECTIVES: dict[str, tuple[Objective, float]] = {
    "radius-margin": (RadiusMargin(), np.inf),
    "polarization": (Polarization(), 1.0),
    "alignment": (Alignment(), 1.0),
    "span bound, C = 10": (SpanBound(), 10.0),
}
"""To be minimised, and C of the machine."""


class ManyOptima(Experiment):
    """Objectives along log gamma, on samples of 40 points from the noisy chess board (20 % of the labels by a
    coin): how many local minima there are on a fine grid in the median and at most, on how many samples there
    are several, on how many the last cell, the narrowest kernel, is one of them; and where gradient descent
    (iRprop+) ends that begins at the width heuristic: "inside" is on how many samples it stays away from the
    ends of the grid, "global" on how many it finds the least value of all."""

    title = "Local optima along gamma, and at its boundary"
    source = "Glasmachers 2008, thesis, chapter 9"
    needs = "Nothing."
    columns = (
        Column("objective"),
        Column("samples"),
        Column("minima", ".1f"),
        Column("most"),
        Column("several"),
        Column("at the boundary"),
        Column("inside"),
        Column("global"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        seeds, cells = (range(50), 400) if scope.full else (range(8), 60)
        for name in OBJECTIVES:
            say(name)
            curves = [Curve.of(name, seed, cells) for seed in seeds]
            minima = [curve.minima for curve in curves]
            yield (
                name,
                len(curves),
                float(np.median(minima)),
                max(minima),
                sum(each > 1 for each in minima),
                sum(curve.ends_low for curve in curves),
                sum(curve.is_inside for curve in curves),
                sum(curve.is_global for curve in curves),
            )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        return [
            "The study proves that the boundary is an optimum of the first two wherever the closest pair has "
            "different labels (see boundary-optima), and finds local optima to be the rule."
        ]


class Curve:
    """An objective along log gamma, and the end of a search on it."""

    def __init__(self, log_gammas: Vector, values: Vector, end: float, end_value: float) -> None:
        self.log_gammas, self.values, self.end, self.end_value = log_gammas, values, end, end_value

    @classmethod
    def of(cls, name: str, seed: int, cells: int) -> Curve:
        """On the sample of this seed."""
        sample = noisy_chess_board(POINTS, 0.2, seed=seed)
        along = Along(name, sample)
        log_gammas = along.start + np.linspace(*SPAN, cells)
        values = np.array([along.value(x) for x in log_gammas])
        box = Box(log_gammas[:1], log_gammas[-1:])
        run = minimize(along.value_and_gradient, IRpropPlus(), [along.start], box=box)
        assert run.best is not None
        return cls(log_gammas, values, float(run.answer[0]), run.best.value)

    @property
    def _turns(self) -> Vector:
        """The directions of the curve from left to right, -1 down and +1 up, plains left out."""
        positive = (self.values > 0).all()
        scale = np.log(self.values) if positive else self.values / max(np.ptp(self.values), SAME)
        directions = np.sign(np.diff(np.round(scale / SAME)))
        return directions[directions != 0]

    @property
    def minima(self) -> int:
        """Local minima, those at the ends and plains included."""
        return int((np.diff(np.concatenate([[-1], self._turns, [1]])) > 0).sum())

    @property
    def ends_low(self) -> bool:
        """Whether it falls last, to an optimum at the boundary of narrow kernels."""
        return bool(self._turns.size and self._turns[-1] < 0)

    @property
    def is_inside(self) -> bool:
        return bool(self.log_gammas[1] < self.end < self.log_gammas[-2])

    @property
    def is_global(self) -> bool:
        return bool(self.end_value <= self.values.min() + 1e-3 * np.ptp(self.values))


class Along:
    """An objective as a function of log gamma, C fixed.

    Attributes
    ----------
    start : float
        The width heuristic.
    """

    def __init__(self, name: str, sample: Sample) -> None:
        objective, C = OBJECTIVES[name]
        self.start = float(-np.log(2 * width_heuristic(sample.X, sample.y) ** 2))
        self._bound = objective.bind(SVC(C=C, kernel=Gaussian()), sample.X, sample.y)
        self._fixed = np.log([C]) if self._bound.parameters.price else np.empty(0)

    def value(self, x: float) -> float:
        return self._bound.value(np.append(self._fixed, x))

    def value_and_gradient(self, x: Vector) -> tuple[float, Vector]:
        value, gradient = self._bound.value_and_gradient(np.append(self._fixed, x))
        return value, gradient[-1:]


def draw(seed: int = 0, cells: int = 200) -> Figure:
    """A picture: the objectives along log gamma, a star where the search ends."""
    from matplotlib.figure import Figure

    from widemargin.display.style import colour

    figure = Figure(figsize=(12, 3.2), layout="constrained")
    for ax, name in zip(figure.subplots(1, len(OBJECTIVES)), OBJECTIVES, strict=True):
        curve = Curve.of(name, seed, cells)
        ax.plot(curve.log_gammas / np.log(10), curve.values, color=colour(0))
        ax.plot(curve.end / np.log(10), curve.end_value, "*", color=colour(5), markersize=12)
        ax.set(title=name, xlabel="log10 gamma", yscale="log" if name == "radius-margin" else "linear")
    return figure
