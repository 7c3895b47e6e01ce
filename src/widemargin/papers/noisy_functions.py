"""Rprop and its relative for noisy gradients on four functions whose optima are known."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.selection.optimizers import Evaluation, NoisyRprop, Optimizer, Rprop

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Matrix = NDArray[np.float64]

START, FIRST_STEP = 1.0537, 0.01
"""How far from the optimum: no multiple of the step, or a walk would meet the optimum exactly."""

SMALLEST = np.log10(5e-324)
"""Decades from 1 to the smallest number above zero."""

HALF = "half drift"
METHODS: dict[str, Optimizer] = {
    "Rprop": Rprop(first_step=FIRST_STEP, tolerance=0.0),
    "NoisyRprop": NoisyRprop(first_step=FIRST_STEP),
    HALF: NoisyRprop(first_step=FIRST_STEP, s1_scale=0.5),
}


@dataclass(frozen=True)
class NoisyFunction:
    """Random functions, drawn by uniform numbers m, that have a mean with one minimum.

    `gradient` maps x and m, each with a row for every dimension and a column for every run, to a gradient.
    """

    name: str
    formula: str
    optimum: tuple[float, ...]
    gradient: Callable[[Matrix, Matrix], Matrix]
    printed: str


FUNCTIONS = (
    NoisyFunction(
        "f1",
        "|x|, but -|x| with probability 1/4",
        (0.0,),
        lambda x, m: np.where(m < 0.25, -1.0, 1.0) * np.sign(x),
        "exactly 0 after about 230,000",
    ),
    NoisyFunction(
        "f2",
        "(x - m)^2 + (y - n)^2",
        (0.5, 0.5),
        lambda x, m: 2 * (x - m),
        "falls like a power, with oscillations",
    ),
    NoisyFunction(
        "f3",
        "f2 + 9/5 (x - m)(y - n)",
        (0.5, 0.5),
        lambda x, m: 2 * (x - m) + 1.8 * (x - m)[::-1],
        "slower than f2",
    ),
    NoisyFunction(
        "f4",
        "3 (m - x) below m, x - m above",
        (0.75,),
        lambda x, m: np.where(x <= m, -3.0, 1.0),
        "first to 0.5, the median, then to 0.75, the mean",
    ),
)


class NoisyFunctions(Experiment):
    """The distance from the optimum after so many gradients, each of another function (m and n uniform in
    [0, 1]), in the median over runs; for more dimensions the largest coordinate. Steps are 0.01 at first,
    1.0537 from the optimum. "half drift" is NoisyRprop with half of the statistic S1 (s1_scale=0.5), the
    only reading of the study that has its number for f1. "averaged" are the gradients averaged for one move
    at the end, in the mean."""

    title = "Noisy gradients: Rprop stalls, NoisyRprop arrives"
    source = "Glasmachers 2008, thesis, chapter 11, figure 11.1"
    needs = "Nothing."
    columns = (
        Column("function"),
        Column("method"),
        Column("after 1,000", ".1e"),
        Column("after 5,000", ".1e"),
        Column("after 20,000", ".1e"),
        Column("after 1,000,000", ".1e"),
        Column("averaged", ".1f"),
        Column("zero after"),
        Column("printed"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        looks = [1000, 5000, 20_000, 1_000_000] if scope.full else [1000, 5000, 20_000]
        runs = 100 if scope.full else 20
        for function in FUNCTIONS:
            for name, optimizer in METHODS.items():
                if name == HALF and function.name != "f1":
                    continue
                say(f"{function.name}, {name}")
                course = follow(function, optimizer, looks, runs)
                medians = [float(np.median(distances)) for distances in course.distances]
                yield (
                    function.name,
                    name,
                    *medians,
                    *[None] * (4 - len(looks)),
                    course.averaged,
                    zero_after(looks, course) if function.name == "f1" and name != "Rprop" else None,
                    function.printed if name == "NoisyRprop" else "",
                )

    def notes(self, table: Table, scope: Scope) -> list[str]:
        formulas = "; ".join(f"{function.name} = {function.formula}" for function in FUNCTIONS)
        return [
            f"{formulas}. The study makes 100,000,000 iterations.",
            '"zero after" are gradients until x is zero in double precision, "about" if extrapolated from '
            "the decades per gradient between the last two looks.",
        ]


@dataclass(frozen=True, eq=False)
class Course:
    """Distances from the optimum, a row for each look and a column for each run, and how it ended."""

    distances: Matrix
    averaged: float | None
    zero: float | None
    """Gradients until half of the runs were exactly at zero."""
    x: Matrix


def follow(
    function: NoisyFunction, optimizer: Optimizer, looks: list[int], runs: int, seed: int = 0
) -> Course:
    """Run the optimiser many times at once: coordinates do not know of each other."""
    random = np.random.default_rng(seed)
    optimum = np.repeat(np.array(function.optimum)[:, None], runs, axis=1)
    state = optimizer.init((optimum + START).ravel())
    distances, zero = [], None
    for count in range(1, max(looks) + 1):
        x = state.x.reshape(optimum.shape)
        gradient = function.gradient(x, random.uniform(size=optimum.shape))
        state = optimizer.step(state, [Evaluation(state.x, 0.0, gradient.ravel())])
        if count in looks:
            distances.append(np.abs(state.x.reshape(optimum.shape) - optimum).max(axis=0))
        if zero is None and count % 1000 == 0 and np.median(np.abs(state.x)) == 0:
            zero = float(count)
    averaged = float(state.averaged.mean()) if isinstance(optimizer, NoisyRprop) else None
    return Course(np.array(distances), averaged, zero, state.x.reshape(optimum.shape))


def zero_after(looks: list[int], course: Course) -> str:
    """Gradients until underflow, measured or extrapolated."""
    if course.zero is not None:
        return f"{course.zero:,.0f}"
    before, last = np.median(np.log10(course.distances[-2:]), axis=1)
    rate = (before - last) / (looks[-1] - looks[-2])
    return f"about {looks[-1] + (last - SMALLEST) / rate:,.0f}"


def draw(iterations: int = 20_000, runs: int = 3, seed: int = 0) -> Figure:
    """The figure: distances from the optimum over iterations, a panel for each function."""
    from matplotlib.figure import Figure

    from widemargin.display.style import colour

    looks = np.unique(np.geomspace(10, iterations, 200).astype(int)).tolist()
    figure = Figure(figsize=(12, 3.4), layout="constrained")
    for ax, function in zip(figure.subplots(1, len(FUNCTIONS)), FUNCTIONS, strict=True):
        for place, name in enumerate(("NoisyRprop", "Rprop")):
            course = follow(function, METHODS[name], looks, runs, seed)
            lines = ax.plot(looks, course.distances, color=colour(place), linewidth=0.8)
            lines[0].set_label(name)
        ax.set(title=f"{function.name}: {function.formula}", xlabel="iterations", yscale="log")
        if function.name != "f1":  # geometric progress is a line as it is
            ax.set_xscale("log")
        ax.title.set_fontsize(8)
    figure.axes[0].set_ylabel("distance from the optimum")
    figure.axes[0].legend(fontsize=8)
    return figure
