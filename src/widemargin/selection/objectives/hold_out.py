"""The error on a part of the data that is set aside."""

from __future__ import annotations

from typing import Any

from sklearn.model_selection import ShuffleSplit, StratifiedShuffleSplit

from widemargin.selection.folds import Fold, make_folds
from widemargin.selection.objectives.judgement import Judgement
from widemargin.selection.objectives.objective import BoundObjective, Task
from widemargin.selection.objectives.splits import BoundDrawnSplits, SplitObjective, check_fraction


class HoldOut(SplitObjective):
    """The mean loss on a part of the data that machines are not trained on.

    E = 1/|T| sum_{i in T} V(f(x_i), y_i),    f trained on all points but T

    One training per evaluation, and with a loss that has derivatives one linear system for the gradient. The
    split is drawn once, and a search adapts to it: with many parameters take another objective, or
    ``fresh=True`` with an optimiser for noisy gradients.

    Parameters
    ----------
    loss : Loss, optional
        By default `ZeroOne`, which has no gradient, for classes and `Square` for target values. `Logistic`
        and `Ramp` are smoothed counts of errors.
    share : float, default=0.2
        Of the points, to be set aside; the same from each class.
    fresh : bool, default=False
        Whether each evaluation draws a new split.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.losses import Logistic
    >>> from widemargin.selection.objectives import HoldOut
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = HoldOut(loss=Logistic()).bind(wm.SVC(), X, y, random_state=0)
    >>> bound.parameters.names
    ['log C', 'log gamma']
    >>> value, gradient = bound.value_and_gradient([2.0, -1.0])
    >>> gradient.shape
    (2,)
    """

    def __init__(self, loss: Any = None, share: float = 0.2, fresh: bool = False) -> None:
        self.loss = loss
        self.share = share
        self.fresh = fresh

    def _bind(self, task: Task) -> BoundObjective:
        check_fraction(self.share, "share")
        task.check_two_of_each()
        return BoundHoldOut(task, Judgement(task, self.loss))


class BoundHoldOut(BoundDrawnSplits):
    """A split, drawn once or for each evaluation."""

    def _draw(self) -> list[Fold]:
        kind = ShuffleSplit if self.task.is_regression else StratifiedShuffleSplit
        splitter = kind(1, test_size=self.objective.share, random_state=self.task.random.randint(2**31))
        return make_folds(self.task.estimator, self.task.y, self.task.weight, splitter)
