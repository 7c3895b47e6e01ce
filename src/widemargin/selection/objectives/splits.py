"""Objectives that train on one part of the data and judge on another."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import Vector
from widemargin.selection.folds import Fold
from widemargin.selection.objectives.judgement import Judgement, has_gradient
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.workbench import Gradient, Machine, Workbench

Matrix = NDArray[np.float64]


class SplitObjective(Objective):
    """An objective with a `loss`, on splits that are drawn once or, if `fresh`, for each evaluation."""

    loss: Any
    fresh: bool

    @property
    def noisy(self) -> bool:  # type: ignore[override]
        """Whether each evaluation draws anew."""
        return bool(self.fresh)

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Whether the loss has derivatives."""
        return has_gradient(self.loss)


class BoundSplits(BoundObjective):
    """The mean over splits of what is lost on their test parts.

    A sub-class says what the splits are (`_splits`); the loss is that of a judgement.
    """

    def __init__(self, task: Task, judgement: Judgement | None) -> None:
        super().__init__(task)
        self.judgement = judgement
        self.workbench = Workbench(task.parameters, task.X, task.y, task.weight, exactly=self.differentiable)

    @property
    def differentiable(self) -> bool:
        return self.objective.differentiable if self.judgement is None else self.judgement.differentiable

    def _splits(self) -> list[Fold]:
        """The splits of one evaluation."""
        raise NotImplementedError

    def _judge(self, values: Matrix, fold: Fold, gradient: bool) -> tuple[float, Matrix | None]:
        """What is lost on the test part of a split, and its derivative in the values."""
        assert self.judgement is not None
        lost = float(self.judgement.values(values, fold.test, fold.targets).sum())
        return lost, self.judgement.slopes(values, fold.test) if gradient else None

    def _weight_of(self, splits: list[Fold]) -> float:
        """By what the sum over all splits is multiplied: one divided by the points judged."""
        return 1.0 / sum(fold.test.size for fold in splits)

    def _seen(self, machines: list[Machine]) -> None:
        """Look at the machines of a split; sub-classes that care do."""

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        bench, splits = self.workbench.at(x), self._splits()
        total, slopes = 0.0, Gradient(bench)
        share = self._weight_of(splits)
        for fold, machines in zip(splits, bench.train_all(splits), strict=True):
            self._seen(machines)
            values = np.column_stack([machine.values(fold.test) for machine in machines])
            lost, q = self._judge(values, fold, gradient)
            total += share * lost
            if q is not None:
                for column, machine in enumerate(machines):
                    slopes.add(machine, fold.test, share * q[:, column])
        return total, slopes.total() if gradient else None


class BoundDrawnSplits(BoundSplits):
    """Splits drawn once or for each evaluation; a sub-class draws them (`_draw`)."""

    def __init__(self, task: Task, judgement: Judgement) -> None:
        super().__init__(task, judgement)
        self._fixed = self._draw()

    def _draw(self) -> list[Fold]:
        raise NotImplementedError

    def _splits(self) -> list[Fold]:
        return self._draw() if self.objective.fresh else self._fixed

    def _remedy(self) -> str:
        return "choose a loss with derivatives, such as Logistic()"


def check_fraction(value: Any, name: str) -> float:
    """A number strictly between 0 and 1."""
    if not (isinstance(value, int | float | np.floating) and 0 < value < 1):
        raise ValueError(f"{name} must lie strictly between 0 and 1, not {value!r}.")
    return float(value)
