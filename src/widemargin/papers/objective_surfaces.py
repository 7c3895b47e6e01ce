"""Objectives of model selection over C and gamma, beside the test error."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from scipy.ndimage import binary_dilation, label
from scipy.stats import spearmanr

from widemargin.datasets import Sample, chess_board
from widemargin.estimators import SVC
from widemargin.kernels import Gaussian
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.selection.objectives import (
    BootstrapError,
    BootstrapLikelihood,
    CrossValidation,
    LeaveOneOut,
    Objective,
    SpanBound,
)

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

NEIGHBOURS = np.ones((3, 3), dtype=bool)
SAME = 6
"""Significant digits: values that agree to so many are a plain."""

TEST = "test error"
FINDINGS = {
    "cross-validation": "rough, many local optima, another surface for another split",
    "leave-one-out": "rough",
    "span bound": "smooth, above leave-one-out, grooves that trap gradients",
    "bootstrap error": "shaped like the test error, gamma shifted",
    "likelihood": "a monotone transform of the bootstrap error",
    TEST: "one broad basin, and a plain where gamma is large",
}


@dataclass(frozen=True)
class Extent:
    """How fine and how often: points of the sample and of the test set, cells in each direction, draws."""

    n: int
    n_test: int
    cells: int
    draws: int

    @property
    def Cs(self) -> Matrix:
        return np.logspace(-1, 4, self.cells)

    @property
    def gammas(self) -> Matrix:
        return np.logspace(-1.5, 2.5, self.cells)


QUICK, FULL = Extent(80, 4000, 9, 5), Extent(200, 20_000, 100, 100)


class ObjectiveSurfaces(Experiment):
    """Objectives of a 1-norm SVM with a radial kernel on a sample of the 4 x 4 chess board, over a grid of
    log C from 0.1 to 10,000 and log gamma from 0.03 to 300: the least value (of counts their share in the
    points), where it is, the local minima of the grid (plains count once), the rank correlation with the test
    error over all cells, and the test error at the least value. Bootstrap error and likelihood are means over
    random splits. "other split" is the rank correlation with the same objective on other splits."""

    title = "Surfaces of objectives over C and gamma"
    source = "Glasmachers 2008, thesis, figure 9.1"
    needs = "Nothing."
    columns = (
        Column("objective"),
        Column("least", ".3f"),
        Column("log10 C", ".1f"),
        Column("log10 gamma", ".1f"),
        Column("minima"),
        Column("correlation", ".2f"),
        Column("other split", ".2f"),
        Column("test error %", ".1f"),
        Column("printed"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        extent = FULL if scope.full else QUICK
        sample = chess_board(extent.n, seed=0)
        errors = errors_of_cells(sample, extent)
        for name in OBJECTIVES:
            say(name)
            values = surface(name, sample, extent)
            again = surface(name, sample, extent, seed=1) if OBJECTIVES[name](extent)[1] else None
            yield _row(name, values, errors, again, extent)
        yield _row(TEST, errors, errors, None, extent)

    def notes(self, table: Table, scope: Scope) -> list[str]:
        extent = FULL if scope.full else QUICK
        return [
            f"{extent.n} points, {extent.cells} x {extent.cells} cells, {extent.draws} splits for each mean "
            "(printed: 100 x 100 cells, 100 splits). The study prints surfaces and words, no numbers."
        ]


def _row(name: str, values: Matrix, errors: Matrix, again: Matrix | None, extent: Extent) -> tuple[Any, ...]:
    row, column = np.unravel_index(np.argmin(values), values.shape)
    return (
        name,
        float(values.min()),
        float(np.log10(extent.Cs[row])),
        float(np.log10(extent.gammas[column])),
        local_minima(values),
        None if name == TEST else correlation(values, errors),
        None if again is None else correlation(values, again),
        100 * float(errors[row, column]),
        FINDINGS[name],
    )


def correlation(left: Matrix, right: Matrix) -> float:
    """The rank correlation of two surfaces."""
    return float(spearmanr(left.ravel(), right.ravel()).statistic)


OBJECTIVES: dict[str, Callable[[Extent], tuple[Objective, bool]]] = {
    "cross-validation": lambda extent: (CrossValidation(), True),
    "leave-one-out": lambda extent: (LeaveOneOut(), False),
    "span bound": lambda extent: (SpanBound(), False),
    "bootstrap error": lambda extent: (BootstrapError(draws=extent.draws), True),
    "likelihood": lambda extent: (BootstrapLikelihood(draws=extent.draws), True),
}
"""The objective, and whether it depends on random splits."""


def surface(name: str, sample: Sample, extent: Extent, seed: int = 0) -> Matrix:
    """The values, a row for each C and a column for each gamma."""
    objective, _ = OBJECTIVES[name](extent)
    bound = objective.bind(SVC(kernel=Gaussian()), sample.X, sample.y, random_state=seed)
    # Along C for each gamma: the kernel matrix and the last solutions serve the next cell.
    columns = [[bound.value([np.log(C), np.log(gamma)]) for C in extent.Cs] for gamma in extent.gammas]
    values = np.array(columns).T
    return values / extent.n if name == "span bound" else values


def errors_of_cells(sample: Sample, extent: Extent) -> Matrix:
    """The share of wrong test points, for the same cells."""
    test = chess_board(extent.n_test, seed=10**6)
    columns = [
        [1 - SVC(C=C, gamma=gamma).fit(sample.X, sample.y).score(test.X, test.y) for C in extent.Cs]
        for gamma in extent.gammas
    ]
    return np.array(columns).T


def local_minima(values: Matrix) -> int:
    """The number of cells, or plains of cells, with higher cells all around.

    Examples
    --------
    >>> import numpy as np
    >>> local_minima(np.array([[1.0, 1.0, 5.0, 2.0], [3.0, 1.0, 5.0, 3.0]]))
    2
    """
    scale = 10.0 ** (SAME - np.ceil(np.log10(max(np.abs(values).max(), 1e-300))))
    heights = np.round(values * scale)
    found = 0
    for height in np.unique(heights):
        plains, count = label(heights == height, structure=NEIGHBOURS)
        for plain in range(1, count + 1):
            inside = plains == plain
            around = binary_dilation(inside, structure=NEIGHBOURS) & ~inside
            found += bool((heights[around] > height).all())
    return found


def draw(extent: Extent = QUICK) -> Figure:
    """The figure: a panel for each surface, bright where it is low."""
    from matplotlib.figure import Figure

    from widemargin.display.landscape import LandscapeDisplay

    sample = chess_board(extent.n, seed=0)
    figure = Figure(figsize=(13, 7), layout="constrained")
    surfaces = {name: surface(name, sample, extent) for name in OBJECTIVES}
    surfaces[TEST] = errors_of_cells(sample, extent)
    for ax, (name, values) in zip(figure.subplots(2, 3).ravel(), surfaces.items(), strict=True):
        LandscapeDisplay(extent.Cs, extent.gammas, values, value_name=name).plot(ax)
    return figure
