"""General Gaussian kernels that have to undo a linear map of a chess board."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy.stats import ranksums, special_ortho_group

from widemargin.datasets import Sample, chess_board
from widemargin.estimators import SVC
from widemargin.kernels import ManifoldGaussian
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.selection import width_heuristic
from widemargin.selection.objectives import RadiusMargin
from widemargin.selection.optimizers import IRpropPlus, minimize

if TYPE_CHECKING:
    from matplotlib.figure import Figure

POINTS, TEST_POINTS = 500, 10_000
STRETCH = np.diag([3.0, 1.0 / 3.0])
VARIANTS = {
    "A": ("size", "error grows, support vectors too"),
    "B": ("shape", "controlled; worse than D"),
    "C": ("size and shape", "error grows, support vectors too"),
    "D": ("shape and orientation", "the best, p < 0.01 against all"),
    "E": ("all", "support vectors grow; better than C"),
}
"""The names of the study, what the kernel may change, and what is printed about it."""


@dataclass(frozen=True, eq=False)
class Trial:
    """A stretched and turned chess board, its test points, and the map."""

    train: Sample
    test: Sample
    B0: np.ndarray

    @classmethod
    def draw(cls, seed: int, n: int = POINTS) -> Trial:
        """The board is B0 x for x on an ordinary one."""
        D = special_ortho_group.rvs(2, random_state=seed)
        B0 = D.T @ STRETCH @ D
        train, test = chess_board(n, seed=2 * seed), chess_board(TEST_POINTS, seed=2 * seed + 1)
        return cls(Sample(train.X @ B0, train.y), Sample(test.X @ B0, test.y), B0)

    def first_kernel(self, variant: str) -> ManifoldGaussian:
        """The radial one of the width heuristic."""
        width = width_heuristic(self.train.X, self.train.y)
        return ManifoldGaussian(np.eye(2) / width, variant=variant)

    def machine(self, kernel: ManifoldGaussian) -> Any:
        return SVC(C=np.inf, kernel=kernel).fit(self.train.X, self.train.y)


@dataclass(frozen=True)
class Stage:
    """How good a kernel is: R^2 / rho^2, support vectors and test errors as shares, and how far it is from
    undoing the map: the ratio of the singular values of B B0, 1 if it does."""

    quotient: float
    support: float
    error: float
    ratio: float


class RotatedChessBoard(Experiment):
    """Hard margin machines on 500 points of a chess board that was mapped by D' diag(3, 1/3) D, D a rotation
    drawn for each trial; R^2 / rho^2 is minimised by iRprop+ on the manifold of positive definite matrices,
    from the radial kernel of the width heuristic. Means over trials, before and after: R^2 / rho^2 in
    10,000, per cent of support vectors, per cent of errors on 10,000 test points, and the ratio of the
    singular values of B B0, which is 9 at first and 1 where the kernel undoes the map. "p" is that of the
    rank sum test that D makes fewer errors."""

    title = "Kernels that adapt their size, shape and orientation to a stretched and turned chess board"
    source = "Glasmachers 2008, thesis, chapter 10"
    needs = "Nothing."
    columns = (
        Column("variant"),
        Column("adapts"),
        Column("quotient before", ".3f", "R^2/rho^2"),
        Column("quotient", ".3f", "after"),
        Column("SV % before", ".1f", "SV %"),
        Column("SV %", ".1f", "after"),
        Column("error % before", ".1f", "error %"),
        Column("error %", ".1f", "after"),
        Column("ratio", ".2f"),
        Column("p", ".1e"),
        Column("printed"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        trials, steps = (20, 40) if scope.full else (2, 15)
        boards = [Trial.draw(seed) for seed in range(trials)]
        ends: dict[str, list[tuple[Stage, Stage]]] = {}
        for letter in ("D", "A", "B", "C", "E"):  # all are compared with D
            say(f"variant {letter}")
            ends[letter] = [_ends(board, VARIANTS[letter][0], steps) for board in boards]
        best = [after.error for _, after in ends["D"]]
        for letter, (variant, finding) in VARIANTS.items():
            errors = [after.error for _, after in ends[letter]]
            p = None if letter == "D" else float(ranksums(best, errors, alternative="less").pvalue)
            means = np.mean(
                [
                    [(x.quotient / 1e4, 100 * x.support, 100 * x.error, x.ratio) for x in pair]
                    for pair in ends[letter]
                ],
                axis=0,
            )
            numbers = [means[when, what] for what in range(3) for when in range(2)]
            yield letter, variant, *numbers, means[1, 3], p, finding

    def notes(self, table: Table, scope: Scope) -> list[str]:
        trials = 20 if scope.full else 2
        return [
            f"{trials} trials; the study has 20 and prints curves, no numbers.",
            "As k(x, x) = 1, R is nearly constant, and the margin always grows with the size of B: wherever "
            "the size is free, R^2 / rho^2 falls most and the machine learns its points by heart.",
        ]


def descend(trial: Trial, variant: str, steps: int) -> Iterator[tuple[float, ManifoldGaussian]]:
    """R^2 / rho^2 and the kernel, at the start and after every step."""
    machine = SVC(C=np.inf, kernel=trial.first_kernel(variant))
    bound = RadiusMargin().bind(machine, trial.train.X, trial.train.y)
    bound.parameters.recentre()
    optimizer = IRpropPlus(tolerance=0.0)
    run = minimize(bound.value_and_gradient, optimizer, bound.parameters.start, max_evaluations=steps + 1)
    for x, value in zip(run.history.x, run.history.value, strict=True):
        yield value, bound.parameters.kernel_with(x)


def judge(trial: Trial, quotient: float, kernel: ManifoldGaussian) -> Stage:
    """What the machine with this kernel is like."""
    machine = trial.machine(kernel)
    first, second = np.linalg.svd(kernel.B @ trial.B0, compute_uv=False)
    return Stage(
        quotient,
        machine.support_.size / len(trial.train.y),
        1 - machine.score(trial.test.X, trial.test.y),
        float(first / second),
    )


def _ends(trial: Trial, variant: str, steps: int) -> tuple[Stage, Stage]:
    way = list(descend(trial, variant, steps))
    return judge(trial, *way[0]), judge(trial, *way[-1])


def draw(seed: int = 0, steps: int = 30, n: int = POINTS) -> Figure:
    """The figure: R^2 / rho^2, support vectors and test errors over the steps, a line for each variant."""
    from matplotlib.figure import Figure

    from widemargin.display.style import colour

    trial = Trial.draw(seed, n)
    figure = Figure(figsize=(12, 3.6), layout="constrained")
    panels = figure.subplots(1, 3)
    for place, (letter, (variant, _)) in enumerate(VARIANTS.items()):
        stages = [judge(trial, *stage) for stage in descend(trial, variant, steps)]
        curves = (
            [stage.quotient / 1e4 for stage in stages],
            [100 * stage.support for stage in stages],
            [100 * stage.error for stage in stages],
        )
        for ax, curve in zip(panels, curves, strict=True):
            ax.plot(curve, color=colour(place), label=f"{letter}: {variant}")
    for ax, label in zip(
        panels, ("R²/ρ² in 10,000", "support vectors in per cent", "test errors in per cent"), strict=True
    ):
        ax.set(xlabel="gradient steps", ylabel=label)
    panels[0].set_yscale("log")
    panels[-1].legend(loc="center left", bbox_to_anchor=(1, 0.5), fontsize=8)
    return figure
