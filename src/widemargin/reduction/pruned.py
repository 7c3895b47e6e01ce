"""Machines trained again and again without the points that matter least to them."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import train_test_split
from sklearn.utils.metaestimators import available_if

from widemargin.deletion import leave_one_out
from widemargin.estimators import SVC, SVR, parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.classes import Classes
from widemargin.estimators.least_squares_machine import LeastSquaresMachine
from widemargin.kernels.points import count, take
from widemargin.reduction.meta_machine import MetaMachine, decides

Vector = NDArray[np.float64]

FEWEST = 2
"""Points that a class, or a regression, keeps at least: one may be left out."""


class Pruned(MetaMachine):
    """A machine from which the support vectors with the smallest coefficients are dropped, round by round.

    After each fit the `share` of support vectors with the smallest abs(c_i) goes, and with them every point
    that has no coefficient; the machine is trained on the rest, with the kernel of the first fit. Rounds end
    when the error exceeds that of the first fit by more than `tolerance`; the last machine before that stays.
    Every point has its say in the error, also those that were dropped: they are judged by a machine that has
    not seen them, like all others.

    For least squares, where every point is a support vector, this is the pruning of LS-SVMs. Mind what it
    does: there c_i is the residual divided by the ridge, so that the best fitted points go first and the
    machine relies more and more on outliers. For support vector machines the points with the smallest
    coefficients are those nearest to being none; hold points out for them, because leave-one-out is too harsh
    on a machine without the points that would stand in for a support vector left out. `compress` keeps the
    function instead of training another.

    Parameters
    ----------
    estimator : classifier or regressor of this library
        It is cloned.
    share : float, default=0.05
        Share of the support vectors to drop in a round, in (0, 1).
    tolerance : float, default=0.01
        By how much the error may grow: the share of wrong classes, or of the variance that is not explained.
    validation : float, optional
        Share of the points held out to measure the error on, in (0, 1). None is the exact leave-one-out
        error, for `SVC`, `SVR`, `RLSClassifier` and `RLSRegressor`.
    random_state : int, RandomState instance or None, default=None
        Draws the points held out.

    Attributes
    ----------
    estimator_ : the machine
        Its `support_` are rows of X.
    sizes_, errors_ : arrays
        Support vectors and error of each machine that was kept, the first one being trained on all points. A
        class of a single point, which cannot be left out, leaves no room for pruning, and the error is NaN.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    References
    ----------
    Suykens et al., Weighted least squares support vector machines: robustness and sparse approximation,
    Neurocomputing 48, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> x = np.linspace(0, 6, 80)[:, None]
    >>> machine = wm.Pruned(wm.RLSRegressor(gamma=1.0, lam=1e-6), share=0.2).fit(x, np.sin(x).ravel())
    >>> bool(machine.sizes_[0] == 80 and machine.sizes_[-1] < 30)
    True
    >>> bool(machine.score(x, np.sin(x).ravel()) > 0.97)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "share": parameters.Rule("a number in (0, 1)", lambda s: parameters.fraction.holds(s) and s < 1),
        "tolerance": parameters.not_negative,
        "validation": parameters.none
        | parameters.Rule("a number in (0, 1)", lambda s: parameters.fraction.holds(s) and s < 1),
    }

    def __init__(
        self,
        estimator: Any,
        *,
        share: float = 0.05,
        tolerance: float = 0.01,
        validation: float | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.share = share
        self.tolerance = tolerance
        self.validation = validation
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and targets y, then on fewer and fewer of them.

        Parameters
        ----------
        X, y, sample_weight : as the machine takes them

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = self._read(X, y)
            weight = sample.read_weight(sample_weight, count(X))
            labels = self._read_labels(y, weight)
            held = self._hold_out(labels, weight)
            self._prune(X, y, weight, labels, held)
        return self

    def _check_parameters(self) -> None:
        self._check_estimator()
        name = type(self.estimator).__name__
        if not isinstance(self.estimator, KernelMachine):
            raise TypeError(f"Pruned is for machines of this library, not for {name}.")
        parameters.check(self, self._rules)
        if getattr(self.estimator, "centres", None) is not None:
            raise ValueError(f"{name} with centres has few points already: prune it with centres=None.")
        if self.validation is None and not isinstance(self.estimator, SVC | SVR | LeastSquaresMachine):
            raise ValueError(f"{name} has no exact leave-one-out: give validation a share of the points.")

    def _read_labels(self, y: NDArray[Any], weight: Vector) -> NDArray[np.integer]:
        """The class of each point by number; all points of a regression are of one kind."""
        if not is_classifier(self):
            return np.zeros(len(y), dtype=np.int32)
        names, labels = sample.read_classes(y)
        Classes(names, labels, np.ones(len(names))).check(weight)
        self.classes_ = names
        return labels

    def _hold_out(self, labels: NDArray[np.integer], weight: Vector) -> NDArray[np.intp] | None:
        """The points that measure the error; None for leave-one-out."""
        if self.validation is None:
            return None
        rows = np.flatnonzero(weight)
        try:
            _, held = train_test_split(
                rows, test_size=self.validation, stratify=labels[rows], random_state=self.random_state
            )
        except ValueError as error:
            raise ValueError(f"validation={self.validation} cannot be held out: {error}") from None
        return held

    def _prune(
        self,
        X: Any,
        y: NDArray[Any],
        weight: Vector,
        labels: NDArray[np.integer],
        held: NDArray[np.intp] | None,
    ) -> None:
        kept = weight > 0
        if held is not None:
            kept[held] = False
        machine = clone(self.estimator)
        if held is None and isinstance(machine, LeastSquaresMachine):
            machine.set_params(leave_one_out=True)
        machine.fit(X, y, sample_weight=weight * kept)
        can_begin = self._is_enough(kept, labels)
        first = self._error(machine, X, y, weight, kept, held) if can_begin else np.nan
        sizes, errors = [machine.support_.size], [first]
        while self._is_enough(kept := self._survivors(machine, kept), labels):
            smaller = clone(machine).set_params(kernel=machine.kernel_, gamma="scale")
            smaller.fit(X, y, sample_weight=weight * kept)
            error = self._error(smaller, X, y, weight, kept, held)
            if error > errors[0] + self.tolerance:
                break
            machine = smaller
            sizes.append(machine.support_.size)
            errors.append(error)
        self.estimator_, self.sizes_, self.errors_ = machine, np.array(sizes), np.array(errors)

    def _survivors(self, machine: Any, kept: NDArray[np.bool_]) -> NDArray[np.bool_]:
        """The support vectors, without the share of them with the smallest coefficients."""
        sizes = np.abs(machine._coefficients()).max(axis=1)
        drop = int(np.ceil(self.share * sizes.size))
        survivors = np.zeros_like(kept)
        survivors[machine.support_[np.argsort(sizes, kind="stable")[drop:]]] = True
        return survivors

    def _is_enough(self, kept: NDArray[np.bool_], labels: NDArray[np.integer]) -> bool:
        return bool((np.bincount(labels[kept], minlength=labels.max() + 1) >= FEWEST).all())

    def _error(
        self,
        machine: Any,
        X: Any,
        y: NDArray[Any],
        weight: Vector,
        kept: NDArray[np.bool_],
        held: NDArray[np.intp] | None,
    ) -> float:
        if held is not None:
            return 1 - self._score(y[held], machine.predict(take(X, held)), weight[held])
        if isinstance(machine, LeastSquaresMachine):
            predictions = machine.loo_predictions_
        else:
            predictions = leave_one_out(machine, X, y, sample_weight=weight * kept).predictions
        return 1 - self._score(y, predictions, weight)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class, or the target value, of each row of X."""
        X = self._read_new(X)
        return self.estimator_.predict(X)

    @available_if(decides)
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values of the machine."""
        X = self._read_new(X)
        return self.estimator_.decision_function(X)
