"""The error of cross-validation."""

from __future__ import annotations

from numbers import Integral
from typing import Any

from sklearn.model_selection import KFold, StratifiedKFold

from widemargin.selection.folds import Fold, make_folds
from widemargin.selection.objectives.judgement import Judgement
from widemargin.selection.objectives.objective import BoundObjective, Task
from widemargin.selection.objectives.splits import BoundDrawnSplits, SplitObjective


class CrossValidation(SplitObjective):
    """The mean loss over all points, each judged by the machine that is trained without its fold.

    E = 1/n sum_k sum_{i in T_k} V(f_k(x_i), y_i),    f_k trained on all points but T_k

    The folds share the kernel matrix, and each machine starts from its last solution.

    Parameters
    ----------
    loss : Loss, optional
        By default `ZeroOne`, which has no gradient, for classes and `Square` for target values. `Logistic`
        and `Ramp` are smoothed counts of errors.
    cv : int, splitter or iterable of (train, test), default=5
        As in scikit-learn; a number is shuffled folds, stratified for classes.
    fresh : bool, default=False
        Whether each evaluation shuffles anew; `cv` is a number then.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import CrossValidation
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = CrossValidation().bind(wm.SVC(), X, y, random_state=0)
    >>> bool(bound.value([2.0, -3.0]) < 0.05)
    True
    """

    def __init__(self, loss: Any = None, cv: Any = 5, fresh: bool = False) -> None:
        self.loss = loss
        self.cv = cv
        self.fresh = fresh

    def _bind(self, task: Task) -> BoundObjective:
        if self.fresh and not isinstance(self.cv, Integral):
            raise ValueError(f"fresh=True shuffles folds of its own: give cv a number, not {self.cv!r}.")
        if isinstance(self.cv, Integral) and not 2 <= int(self.cv) <= task.n:
            raise ValueError(f"cv must lie between 2 and the {task.n} points of X, not {self.cv!r}.")
        return BoundCrossValidation(task, Judgement(task, self.loss))


class BoundCrossValidation(BoundDrawnSplits):
    """Folds, drawn once or for each evaluation."""

    def _draw(self) -> list[Fold]:
        task, cv = self.task, self.objective.cv
        if isinstance(cv, Integral):
            leave_one_out = task.is_regression or cv == task.n
            kind = KFold if leave_one_out else StratifiedKFold
            cv = kind(int(cv), shuffle=True, random_state=task.random.randint(2**31))
        return make_folds(task.estimator, task.y, task.weight, cv)
