"""The error on random parts of the data."""

from __future__ import annotations

from typing import Any

from widemargin.selection.folds import Fold
from widemargin.selection.objectives.judgement import Judgement, has_gradient
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.splits import BoundSplits
from widemargin.selection.objectives.subsets import Subsets


class BootstrapError(Objective):
    """The mean loss of machines trained on random parts of the data, on the rest.

    E = mean over i not in I of V(f_I(x_i), y_i),    I a random subset of floor(share n) points

    drawn without replacement for each evaluation: a noisy objective, whose mean is that over all subsets.

    Parameters
    ----------
    loss : Loss, optional
        By default `ZeroOne`, which has no gradient, for classes and `Square` for target values. `Logistic`
        and `Ramp` are smoothed counts of errors.
    share : float, default=0.8
        Of the points, to be trained on.
    draws : int, default=1
        Subsets per evaluation.
    stratified : bool, default=True
        Whether each class keeps its share.
    subsets : list of index arrays, optional
        A fixed collection of subsets in the place of random ones; the objective is not noisy then.
    fresh : bool, default=True
        Whether each evaluation draws new subsets. If not, they are drawn once, so that each point is left out
        equally often.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import BootstrapError
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = BootstrapError(draws=5).bind(wm.SVC(), X, y, random_state=0)
    >>> bool(bound.value([2.0, -3.0]) < 0.1)
    True
    """

    def __init__(
        self,
        loss: Any = None,
        share: float = 0.8,
        draws: int = 1,
        stratified: bool = True,
        subsets: Any = None,
        fresh: bool = True,
    ) -> None:
        self.loss = loss
        self.share = share
        self.draws = draws
        self.stratified = stratified
        self.subsets = subsets
        self.fresh = fresh

    @property
    def noisy(self) -> bool:  # type: ignore[override]
        """Whether each evaluation draws new subsets."""
        return self.subsets is None and bool(self.fresh)

    @property
    def differentiable(self) -> bool:  # type: ignore[override]
        """Whether the loss has derivatives."""
        return has_gradient(self.loss)

    def _bind(self, task: Task) -> BoundObjective:
        subsets = Subsets(task, self.share, self.draws, self.stratified, self.subsets, self.fresh)
        return BoundBootstrap(task, Judgement(task, self.loss), subsets)


class BoundBootstrap(BoundSplits):
    """Subsets, drawn for each evaluation."""

    def __init__(self, task: Task, judgement: Judgement | None, subsets: Subsets) -> None:
        super().__init__(task, judgement)
        self._subsets = subsets

    def _splits(self) -> list[Fold]:
        return self._subsets.draw()

    def _remedy(self) -> str:
        return "choose a loss with derivatives, such as Logistic()"
