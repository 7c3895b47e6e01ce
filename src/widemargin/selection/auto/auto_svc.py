"""A classifier without parameters."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.model_selection import RepeatedStratifiedKFold
from sklearn.utils.metaestimators import available_if

from widemargin.estimators import SVC, parameters, sample
from widemargin.estimators.classifier import Classes, class_weights
from widemargin.selection.auto.auto_machine import (
    FEW_FOLDS,
    FOLDS,
    MANY_MACHINES,
    AutoMachine,
    Vector,
    draws_of_folds,
)
from widemargin.selection.auto.cross_fit import LOSS_SHARE
from widemargin.selection.plateau import SearchWarning
from widemargin.selection.width_heuristic import width_heuristic

RARE = 0.5
"""Classes with fewer points than this part of the mean are rare."""


def _calibrates(machine: Any) -> bool:
    if not machine.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    if hasattr(machine, "machine_") and not machine.machine_.probability:
        raise AttributeError("there are no probabilities: a class has a single point, see report()")
    return True


class AutoSVC(ClassifierMixin, AutoMachine):
    """A support vector classifier that needs no parameters.

    It scales the features, decides whether they count alike (a radial Gaussian kernel) or by their relevance
    (one with a width per feature), chooses gamma and C, trains on all points and calibrates probabilities:

    1. Features are brought to mean 0 and variance 1; constant ones play no part.
    2. On 400 points least-squares machines with two metrics and a ladder of gammas are compared by their
       exact leave-one-out error, which costs one decomposition each. Features count alike, or by the root of
       their correlation ratio, whatever is better; weights come from points other than those they are
       judged by, and a ratio is at least what chance would give.
    3. From there C and gamma go uphill in five-fold cross-validation (three-fold for four classes and more)
       on up to 1000 points: chains of rising C on one kernel matrix, judged by the error plus a fifth
       of the logistic loss of unseen points; where cells hardly differ, the one nearest to the first wins.
       Up to 250 points the folds are drawn three times.
       If that ends far from the scale of the distances between nearest points of different classes, a second
       climb begins there, and counts if it ends higher by more than a standard error.
       If there are more points, the climb goes on with up to 5000 of them and three folds, because many
       points bear a narrower kernel.
    4. The machine is trained on all points, and once for each of five folds, to whose unseen decision values
       sigmoids are fitted.

    Parameters
    ----------
    class_weight : dict or "balanced", optional
        Factors of the price of each class; they count in the choice of C and gamma, too. "balanced" makes
        them inverse to the class sizes.
    probability : bool, default=True
        Whether to calibrate `predict_proba`. Without it training takes a fifth of the time.
    max_time : float, optional
        Seconds after which the search uses what it knows; training in the end is not counted. Without time
        for a single comparison the width is a rule of thumb and C = 1, and a `SearchWarning` says so.
    random_state : int, RandomState instance or None, default=0
        Draws the points for the comparisons.
    n_jobs : int, optional
        Threads.

    Attributes
    ----------
    machine_ : SVC
        The machine, trained on scaled points.
    C_, gamma_ : float
    relevance_ : array of shape (n_features,)
        The weight of each feature in squared distances of scaled points; the largest is 1.
    scaling_ : Scaling
        What points go through before `machine_` sees them.
    report_ : Report
    classes_ : array of shape (n_classes,)
    n_features_in_ : int

    Notes
    -----
    With fewer than 10 points, with constant features only, or with a single class of more than one point,
    there is nothing to choose by: the width is a rule of thumb and C = 1, with a `SearchWarning`. Classes
    of fewer than 5 points are left out of the search, not of the training, if two others remain. A class
    with a single point cannot be left out, and there is no `predict_proba` then. After Ctrl-C in the
    search, some 1,000 points are learnt with what was known by then, before `fit` raises `KeyboardInterrupt`.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = wm.AutoSVC().fit(X, y)
    >>> bool(machine.score(X, y) > 0.95)
    True
    >>> machine.predict_proba(X[:1]).round(1)
    array([[1., 0., 0.]])
    >>> print(machine.report().splitlines()[0])
    AutoSVC on 150 points
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = AutoMachine._rules | {
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "probability": parameters.boolean,
    }

    def __init__(
        self,
        *,
        class_weight: dict[Any, float] | str | None = None,
        probability: bool = True,
        max_time: float | None = None,
        random_state: Any = 0,
        n_jobs: int | None = None,
    ) -> None:
        self.class_weight = class_weight
        self.probability = probability
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Choose everything, then train on points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point; one of weight 0 plays no part.

        Returns
        -------
        self : object
        """
        with self._kept(self):
            X, targets, weight = self._begin(X, y, sample_weight)
            names, labels = sample.read_classes(targets)
            Classes(names, labels, class_weights(self.class_weight, names, names[labels])).check(weight)
            self.classes_ = names
            interruption = self._fit(X, targets, weight)
        if interruption is not None:
            raise interruption
        return self

    def _groups(self, y: NDArray[Any]) -> NDArray[np.integer]:
        return np.unique(y, return_inverse=True)[1]

    def _targets(self, y: NDArray[Any]) -> NDArray[np.float64]:
        groups = self._groups(y)
        every = np.arange(groups.max() + 1)
        Y = np.where(groups[:, None] == every, 1.0, -1.0)
        return Y[:, 1:] if every.size == 2 else Y

    def _machine(self, **settings: Any) -> SVC:
        return SVC(class_weight=self.class_weight, **settings)

    def _other_gamma(self, X: Any, y: NDArray[Any]) -> float | None:
        """That of the distance to the nearest point of another class, on whose scale boundaries bend."""
        return 1 / (2 * width_heuristic(X, self._groups(y)) ** 2)

    def _judgement_of_constant(self, y: NDArray[Any], weight: Vector) -> float:
        groups = self._groups(y)
        by_class = np.bincount(groups, weights=weight) * class_weights(self.class_weight, np.unique(y), y)
        total = by_class.sum()
        shares = by_class[:, None] / (by_class[:, None] + by_class)  # of a class in each pair
        loss = -(by_class[:, None] * np.log(shares)).sum() / total - np.log(2)  # less that with itself
        return float(1 - by_class.max() / total + LOSS_SHARE * loss)

    def _searchable(self, groups: NDArray[np.integer]) -> NDArray[np.intp]:
        counts = np.bincount(groups)
        for least in (FOLDS, 2):
            if (counts >= least).sum() >= 2:
                return np.flatnonzero(counts[groups] >= least)
        return np.empty(0, dtype=np.intp)

    def _splitter(self, y: NDArray[Any], folds: int) -> RepeatedStratifiedKFold:
        counts = np.unique(y, return_counts=True)[1]
        machines = counts.size * (counts.size - 1) // 2
        folds = min(folds if machines <= MANY_MACHINES else FEW_FOLDS, int(counts.min()))
        return RepeatedStratifiedKFold(
            n_splits=max(2, folds), n_repeats=draws_of_folds(y.size), random_state=0
        )

    def _train(self, X: Any, y: NDArray[Any], weight: Vector) -> None:
        counts = np.unique(y[weight > 0], return_counts=True)[1]
        calibrate = self.probability and int(counts.min()) >= 2
        if self.probability and not calibrate:
            self.report_.say("probabilities", "None: a class has a single point, which cannot be left out.")
        elif calibrate:
            kind = "one" if counts.size == 2 else "one for each pair of classes, coupled"
            self.report_.say("probabilities", f"Sigmoids on unseen decision values: {kind}.")
        self.machine_ = SVC(
            C=self.C_,
            gamma=self.gamma_,
            class_weight=self.class_weight,
            probability=calibrate,
            n_jobs=self.n_jobs,
        )
        self.machine_.fit(X, y, sample_weight=weight)
        self._say_never(X[weight > 0], y[weight > 0])

    def _say_never(self, X: Any, y: NDArray[Any]) -> None:
        """Which classes are never the answer: rare ones, where classes overlap and errors cost alike."""
        names, counts = np.unique(y, return_counts=True)
        rare = names[counts < RARE * counts.mean()]
        if rare.size == 0 or self.class_weight == "balanced":
            return
        never = np.setdiff1d(rare, self.machine_.predict(X)).tolist()
        if not never:
            return
        named = " and ".join(map(repr, never))
        sentence = (
            f"Never the answer: {named}, for errors on rare classes cost little in all. "
            "class_weight='balanced' makes them cost as much as those on others."
        )
        self.report_.say("classes", sentence)
        warnings.warn(f"AutoSVC: {sentence}", SearchWarning, stacklevel=5)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: positive for the second of two classes, or a score per class."""
        X = self._scaled(X)
        return self.machine_.decision_function(X)

    @available_if(_calibrates)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, columns as in `classes_`; the most probable is the predicted one."""
        X = self._scaled(X)
        return self.machine_.predict_proba(X)

    @available_if(_calibrates)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))
