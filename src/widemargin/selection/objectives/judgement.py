"""What the values of machines at points they have not seen are worth."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.losses import Loss, Square, ZeroOne
from widemargin.selection.objectives.objective import Task

Matrix = NDArray[np.float64]


class Judgement:
    """A loss at points that were left out, and its derivative in the values there.

    For classes the loss ZeroOne counts wrong answers of the machine as a whole. Any other loss is summed over
    the two-class problems that a point takes part in, with y = -1 or +1 in each.

    Parameters
    ----------
    task : Task
    loss : Loss or None
        None is `ZeroOne` for classes and `Square` for target values.
    """

    def __init__(self, task: Task, loss: Loss | None) -> None:
        self.task = task
        self.loss = default_loss(loss, task.is_regression)
        if not isinstance(self.loss, Loss):
            raise ValueError(f"loss must be a Loss of widemargin.losses or None, not {loss!r}.")
        if task.is_regression and self.loss.has_margin_form and not isinstance(self.loss, Square):
            raise ValueError(
                f"{self.loss!r} is a loss of margins; target values take Square() or Absolute()."
            )
        if not task.is_regression:
            classes = task.targets()
            self._code = classes.scheme.M[classes.labels].astype(np.float64)

    @property
    def differentiable(self) -> bool:
        """Whether the loss has derivatives."""
        return has_gradient(self.loss)

    def values(self, values: Matrix, rows: NDArray[np.integer], targets: Any) -> NDArray[np.float64]:
        """The loss at each of these rows, from the values of the machines, a column for each."""
        if self.task.is_regression:
            return self.loss.value(values[:, 0], self.task.y[rows])
        if isinstance(self.loss, ZeroOne):
            answers = self.task.estimator._answers(targets, values)
            return (answers != self.task.y[rows]).astype(np.float64)
        y = self._code[rows]
        return np.where(y != 0, self.loss.value(values, y), 0.0).sum(axis=1)

    def slopes(self, values: Matrix, rows: NDArray[np.integer]) -> Matrix:
        """The derivatives of the losses at these rows in the values."""
        if self.task.is_regression:
            return np.reshape(self.loss.subgradient(values[:, 0], self.task.y[rows]), values.shape)
        y = self._code[rows]
        return np.where(y != 0, self.loss.subgradient(values, y), 0.0)


def default_loss(loss: Any, is_regression: bool = False) -> Any:
    """The loss itself, or the one that None stands for."""
    if loss is None:
        return Square() if is_regression else ZeroOne()
    return loss


def has_gradient(loss: Any) -> bool:
    """Whether a loss (None for that of the machine) is one with derivatives."""
    return not isinstance(default_loss(loss), ZeroOne)
