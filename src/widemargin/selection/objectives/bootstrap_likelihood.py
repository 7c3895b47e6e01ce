"""The likelihood of labels, given the values of machines that have not seen them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators import SVC
from widemargin.selection.folds import Fold
from widemargin.selection.objectives.bootstrap_error import BoundBootstrap
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task
from widemargin.selection.objectives.slope import fit_slope
from widemargin.selection.objectives.subsets import Subsets
from widemargin.selection.workbench import Machine

Matrix = NDArray[np.float64]


class BootstrapLikelihood(Objective):
    """Minus the log-likelihood of the labels that were left out, on a random part of the data.

    L = max_s sum_{i not in I} -log(1 + exp(s y_i f_I(x_i))),   s <= 0,   I a subset of floor(share n) points

    The value of the machine becomes a probability by a sigmoid through 1/2 at zero, whose slope is fitted
    anew for every evaluation (`fit_slope`), so that only the order and the relative size of the values
    matter. It is smooth in C and the kernel (but for the kinks of machines, and plateaus where values are no
    better than chance), unlike a count of errors, and tells how sure a machine is. The subset is drawn for
    each evaluation: a noisy objective. Several classes: the sum over all two-class problems, each with a
    slope of its own.

    Parameters
    ----------
    share : float, default=0.8
        Of the points, to be trained on.
    draws : int, default=1
        Subsets per evaluation; the value is their mean.
    stratified : bool, default=True
        Whether each class keeps its share.
    subsets : list of index arrays, optional
        A fixed collection of subsets in the place of random ones; the objective is not noisy then.
    fresh : bool, default=True
        Whether each evaluation draws new subsets. If not, they are drawn once, so that each point is left out
        equally often; with 20 of them the value is as good as that of thousands of noisy evaluations, and
        smooth, for any optimiser.

    References
    ----------
    Glasmachers and Igel, Maximum likelihood model selection for 1-norm soft margin SVMs with multiple
    parameters, IEEE Transactions on Pattern Analysis and Machine Intelligence 32, 2010.

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.selection.objectives import BootstrapLikelihood
    >>> sample = wm.datasets.chess_board(100, seed=0)
    >>> bound = BootstrapLikelihood().bind(wm.SVC(), sample.X, sample.y, random_state=0)
    >>> value, gradient = bound.value_and_gradient([4.0, 0.0])
    >>> bool(0 < value < 20 * 0.7)
    True
    """

    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def __init__(
        self,
        share: float = 0.8,
        draws: int = 1,
        stratified: bool = True,
        subsets: Any = None,
        fresh: bool = True,
    ) -> None:
        self.share = share
        self.draws = draws
        self.stratified = stratified
        self.subsets = subsets
        self.fresh = fresh

    @property
    def noisy(self) -> bool:  # type: ignore[override]
        """Whether each evaluation draws new subsets."""
        return self.subsets is None and bool(self.fresh)

    def _bind(self, task: Task) -> BoundObjective:
        return BoundLikelihood(task, self._subsets(task))

    def _subsets(self, task: Task) -> Subsets:
        return Subsets(task, self.share, self.draws, self.stratified, self.subsets, self.fresh)


class BoundLikelihood(BoundBootstrap):
    """Minus the log-likelihood, and what is known of the last evaluation.

    Attributes
    ----------
    no_better_than_chance : bool
        Whether the best slope was 0 for all machines of the last evaluation: a plateau without gradient.
    any_bounded : bool
        Whether some support vector of the last evaluation was at its bound; if none was, C does not matter.
    """

    def __init__(self, task: Task, subsets: Subsets) -> None:
        super().__init__(task, None, subsets)
        classes = task.targets()
        self._code = classes.scheme.M[classes.labels].astype(np.float64)
        self.no_better_than_chance = False
        self.any_bounded = False

    @property
    def chance(self) -> float:
        """That of values without a sign: log 2 for every point that is left out, in every machine."""
        judged = [np.count_nonzero(self._code[fold.test]) for fold in super()._splits()]
        return float(np.log(2) * np.mean(judged))

    def _splits(self) -> list[Fold]:
        self.no_better_than_chance, self.any_bounded = True, False
        return super()._splits()

    def _weight_of(self, splits: list[Fold]) -> float:
        return 1.0 / len(splits)

    def _seen(self, machines: list[Machine]) -> None:
        self.any_bounded |= any(machine.active.bounded.size > 0 for machine in machines)

    def _judge(self, values: Matrix, fold: Fold, gradient: bool) -> tuple[float, Matrix | None]:
        y = self._code[fold.test]
        lost, slopes = 0.0, np.zeros(values.shape)
        for column in range(values.shape[1]):
            mine = np.flatnonzero(y[:, column])
            fitted = fit_slope(y[mine, column] * values[mine, column])
            lost -= fitted.log_likelihood
            slopes[mine, column] = -y[mine, column] * fitted.by_margin
            self.no_better_than_chance &= fitted.s == 0
        return lost, slopes if gradient else None
