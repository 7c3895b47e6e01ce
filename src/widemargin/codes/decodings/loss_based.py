"""The class to whose row the values fit with the least loss."""

from __future__ import annotations

from typing import Any

import numpy as np

from widemargin.losses import Hinge, Loss

from .decoding import Decoding, Matrix, Values

ZEROS = ("count", "skip")


class LossBased(Decoding):
    """argmin_r sum_j L(M_rj f_j(x)), for every code and every loss.

    Where M_rj = 0, class r is charged L(0), whatever column j says. That can weigh against classes with many
    zeros, or for them; ``zeros="skip"`` takes the mean over the other columns instead. The two agree for
    codes in which all rows have equally many zeros, such as all pairs. If

        L(z) + L(-z) >= 2 L(0)     for all z,

    which holds for every convex loss, the number of training errors is bounded by the losses of the machines
    (`bounds.code_training_errors`). Other losses are refused for codes with zeros that count.

    Parameters
    ----------
    loss : Loss, default=None
        None is the hinge; a machine that is given "loss" for a decoding takes its own loss.
    zeros : {"count", "skip"}, default="count"

    References
    ----------
    Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1, 2000.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import LossBased, all_pairs
    >>> from widemargin.losses import Square
    >>> LossBased(Square()).decide(np.array([[0.9, 1.2, -0.3]]), all_pairs(3).matrix)
    array([0])
    """

    def __init__(self, loss: Loss | None = None, zeros: str = "count") -> None:
        self.loss = loss
        self.zeros = zeros

    def check(self, M: Matrix) -> None:
        if self.zeros not in ZEROS:
            raise ValueError(f"zeros must be 'count' or 'skip', not {self.zeros!r}.")
        loss = self._loss
        if not isinstance(loss, Loss):
            raise ValueError(f"loss must be an object of widemargin.losses, not {loss!r}.")
        if self.zeros == "count" and not M.all() and not loss.is_convex:
            raise ValueError(
                f"{type(loss).__name__} does not fit a code with zeros, for which it charges more than for "
                "an answer that is half right: set zeros='skip', or take a convex loss."
            )

    @property
    def _loss(self) -> Any:
        return Hinge() if self.loss is None else self.loss

    def scores(self, values: Values, M: Matrix) -> Values:
        """Minus the total loss of each class, or minus the mean one."""
        total = self._losses(values, +1) @ (M == +1).T + self._losses(values, -1) @ (M == -1).T
        if self.zeros == "skip":
            return -total / (M != 0).sum(axis=1)
        return -total - float(self._losses(np.zeros(1), 1)[0]) * (M == 0).sum(axis=1)

    def _losses(self, values: Values, side: int) -> Values:
        """V(f, side), finite so that sums are defined."""
        return np.minimum(self._loss.value(values, np.full_like(values, side)), 1e300 / values.shape[-1])
