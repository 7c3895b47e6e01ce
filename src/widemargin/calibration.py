"""Probabilities from decision values.

A decision value f(x) orders the points; Platt's sigmoid ``1 / (1 + exp(A f(x) + B))`` turns it into a
probability. A and B are fitted to decision values of points the machine has *not* seen (free support
vectors sit exactly at +1 and -1, so values of training points would mislead the fit), which is why
everything here works on *cross-fitted* values: every point is judged by the machine trained on the other
folds.

Several classes: one sigmoid for every pair of classes, joined by pairwise coupling, or one for every class
against the rest, normalised. The pieces (`PairwiseSigmoids`, `OneVsAllSigmoids`, `cross_fit_folds`,
`agree_with`) serve an estimator that computes its own decision values; `Calibrated` puts them around any
scikit-learn classifier.

References
----------
.. [1] J. Platt, Probabilistic outputs for support vector machines, in Advances in Large Margin Classifiers,
   2000.
.. [2] H.-T. Lin, C.-J. Lin, R. C. Weng, A note on Platt's probabilistic outputs for support vector
   machines, Machine Learning 68, 2007.
.. [3] T.-F. Wu, C.-J. Lin, R. C. Weng, Probability estimates for multi-class classification by pairwise
   coupling, JMLR 5, 2004.
"""

from __future__ import annotations

from copy import copy
from itertools import combinations
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator, ClassifierMixin, MetaEstimatorMixin, clone
from sklearn.model_selection import StratifiedKFold, check_cv
from sklearn.utils import assert_all_finite, column_or_1d, gen_batches, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import (
    _check_sample_weight,
    check_consistent_length,
    check_is_fitted,
    has_fit_parameter,
)

__all__ = [
    "Calibrated",
    "OneVsAllSigmoids",
    "PairwiseSigmoids",
    "PlattSigmoid",
    "agree_with",
    "cross_fit_folds",
    "normalise_one_vs_all",
    "pairwise_coupling",
]

# Pairwise probabilities are kept this far from 0 and 1: then the coupling problem has exactly one solution.
LEAST_PROBABILITY = 1e-7

# Relative lead of the predicted class in a corrected row; large enough to survive rounding to single
# precision.
LEAD = 1e-6

# Rows are coupled in batches whose matrices take about this many entries.
BATCH_ENTRIES = 2**21


class PlattSigmoid(BaseEstimator):
    """Platt's sigmoid: P(y = +1 | f) = 1 / (1 + exp(A f + B)).

    A and B minimise the cross-entropy

        sum_i w_i [ log(1 + exp(z_i)) - (1 - t_i) z_i ],    z_i = A f_i + B,

    to the regularised targets t = (N+ + 1) / (N+ + 2) of the positive and t = 1 / (N- + 2) of the negative
    class, with N+ and N- the sums of their weights. The function is convex; Newton's method with
    back-tracking finds its minimum. The decision values are brought to unit scale first, so that the fit
    does not depend on their unit.

    Attributes
    ----------
    A_, B_ : float
        Slope (negative if larger decision values speak for the positive class) and offset.

    References
    ----------
    Platt (2000); Lin, Lin and Weng (2007).

    Examples
    --------
    >>> from widemargin.calibration import PlattSigmoid
    >>> sigmoid = PlattSigmoid().fit([-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], [-1, -1, -1, 1, 1, 1])
    >>> sigmoid.predict_proba([-2.0, 0.0, 2.0]).round(2)
    array([0.22, 0.5 , 0.78])
    """

    def fit(self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlattSigmoid:
        """Fit A and B to decision values and classes; entries of `y` above zero are the positive class.

        A sample of integer weight w counts like w samples.
        """
        f = _finite(column_or_1d(decision), "decision")
        positive = column_or_1d(y) > 0
        check_consistent_length(f, positive)
        w = _check_sample_weight(sample_weight, f[:, None], dtype=np.float64, ensure_non_negative=True)
        if not w.sum() > 0:
            raise ValueError("sample_weight must have a positive entry; all weights are zero.")
        self.A_, self.B_ = _platt_fit(f, positive, w)
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Probability of the positive class for every decision value."""
        check_is_fitted(self)
        return _sigmoid(np.asarray(decision, dtype=np.float64), self.A_, self.B_)


def _finite(decision: ArrayLike, name: str) -> NDArray[np.float64]:
    f = np.asarray(decision, dtype=np.float64)
    if f.size == 0:
        raise ValueError(f"{name} is empty; at least one decision value is needed.")
    if not np.isfinite(f).all():
        raise ValueError(
            f"{name} has NaN or infinite entries; the first is in row {np.argwhere(~np.isfinite(f))[0][0]}."
        )
    return f


def _sigmoid(f: NDArray[np.float64], A: Any, B: Any) -> NDArray[np.float64]:
    return expit(-(A * f + B))


def _platt_fit(
    f: NDArray[np.float64], positive: NDArray[np.bool_], w: NDArray[np.float64]
) -> tuple[float, float]:
    n_positive, n_negative = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    scale = np.abs(f).max() or 1.0
    features = np.column_stack([f / scale, np.ones_like(f)])
    start = np.array([0.0, np.log((n_negative + 1) / (n_positive + 1))])
    A, B = _newton(features, t, w, start)
    return float(A / scale), float(B)


def _newton(
    features: NDArray[np.float64], t: NDArray[np.float64], w: NDArray[np.float64], theta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise sum w [log(1 + exp(z)) - (1 - t) z], z = features theta, by back-tracked Newton steps."""

    def value(z: NDArray[np.float64]) -> float:
        return float(w @ (np.logaddexp(0.0, z) - (1.0 - t) * z))

    z = features @ theta
    current = value(z)
    for _ in range(100):
        q = expit(z)
        gradient = features.T @ (w * (q - (1.0 - t)))
        curvature = w * q * expit(-z)
        hessian = features.T @ (curvature[:, None] * features) + 1e-12 * np.eye(2)
        direction = np.linalg.solve(hessian, -gradient)
        slope, length = gradient @ direction, 1.0
        if (
            -slope <= 1e-12 * current
        ):  # the gain drowns in rounding: this step is the last, and too short to fail
            return theta + direction
        while length > 1e-10:
            trial = features @ (theta + length * direction)
            if (reached := value(trial)) <= current + 1e-4 * length * slope:
                break
            length /= 2
        theta, z, current = theta + length * direction, trial, reached
    return theta


def pairwise_coupling(R: ArrayLike) -> NDArray[np.float64]:
    """Class probabilities from pairwise ones: the second method of Wu, Lin and Weng.

    Given r_ij, an estimate of P(i | i or j, x), the vector p minimises

        sum_{i<j} (r_ji p_i - r_ij p_j)^2    subject to    sum_i p_i = 1,

    that is  Q p + b e = 0,  e'p = 1  with  Q_ii = sum_{j != i} r_ji^2  and  Q_ij = -r_ij r_ji. The solution
    is unique and never negative if all r_ij are positive; they are kept at least 1e-7 away from 0 and 1.

    Parameters
    ----------
    R : array of shape (k, k) or (n, k, k)
        ``R[..., i, j]`` is the probability of class i against class j. The diagonal is ignored.

    Returns
    -------
    p : array of shape (k,) or (n, k)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import pairwise_coupling
    >>> p = np.array([0.5, 0.3, 0.2])
    >>> pairwise_coupling(p[:, None] / (p[:, None] + p)).round(6)
    array([0.5, 0.3, 0.2])
    """
    R = np.asarray(R, dtype=np.float64)
    if R.ndim not in (2, 3) or R.shape[-1] != R.shape[-2]:
        raise ValueError(f"R must have shape (k, k) or (n, k, k), not {R.shape}.")
    k = R.shape[-1]
    off_diagonal = np.clip(R, LEAST_PROBABILITY, 1 - LEAST_PROBABILITY) * (1 - np.eye(k))
    system = np.ones(R.shape[:-2] + (k + 1, k + 1))
    system[..., :k, :k] = -off_diagonal * off_diagonal.swapaxes(-1, -2)
    diagonal = np.arange(k)
    system[..., diagonal, diagonal] = (off_diagonal**2).sum(axis=-2)
    system[..., k, k] = 0.0
    right = np.zeros((k + 1, 1))
    right[k] = 1.0
    p = np.maximum(np.linalg.solve(system, right)[..., :k, 0], 0.0)
    return p / p.sum(axis=-1, keepdims=True)


def normalise_one_vs_all(P: ArrayLike) -> NDArray[np.float64]:
    """Class probabilities from those of each class against the rest: every row divided by its sum.

    A row of zeros (all classes rejected) becomes uniform.

    Examples
    --------
    >>> from widemargin.calibration import normalise_one_vs_all
    >>> normalise_one_vs_all([[0.6, 0.3, 0.3], [0.0, 0.0, 0.0]]).round(2)
    array([[0.5 , 0.25, 0.25],
           [0.33, 0.33, 0.33]])
    """
    P = np.asarray(P, dtype=np.float64)
    total = P.sum(axis=1, keepdims=True)
    uniform = np.full_like(P, 1.0 / P.shape[1])
    return np.divide(P, total, out=uniform, where=total > 0)


def agree_with(probabilities: ArrayLike, predicted: ArrayLike) -> NDArray[np.float64]:
    """Correct probabilities, as little as possible, so that the predicted class is the most probable one.

    A prediction by decision values or votes and the arg-max of fitted probabilities may name different
    classes. The prediction stands. Rows that agree are returned as they are; in the others the
    probabilities above a level t are lowered to t and what they lose is given to the predicted class, with
    t chosen so that it arrives at t too. This is the nearest point, in the Euclidean norm, among the
    distributions in which no class is more probable than the predicted one. Finally the predicted class
    gets a lead of a millionth, so that the arg-max is unique.

    Parameters
    ----------
    probabilities : array of shape (n, k)
    predicted : integer array of shape (n,)
        Column of the predicted class of every row.

    Examples
    --------
    >>> from widemargin.calibration import agree_with
    >>> agree_with([[0.5, 0.3, 0.2], [0.1, 0.2, 0.7]], [1, 2]).round(3)
    array([[0.4, 0.4, 0.2],
           [0.1, 0.2, 0.7]])
    """
    P = np.array(probabilities, dtype=np.float64)
    predicted = np.asarray(predicted)
    wrong = np.flatnonzero(P.argmax(axis=1) != predicted)
    if wrong.size:
        P[wrong] = _level(P[wrong], predicted[wrong])
    return P


def _level(P: NDArray[np.float64], predicted: NDArray[np.integer]) -> NDArray[np.float64]:
    """Lower the largest rivals and raise the predicted class to their common mean."""
    rows = np.arange(len(P))
    rivals = P.copy()
    rivals[rows, predicted] = -np.inf
    largest = -np.sort(-rivals, axis=1)[:, :-1]
    means = (P[rows, predicted][:, None] + np.cumsum(largest, axis=1)) / np.arange(2, P.shape[1] + 1)
    # The mean rises as long as the rival added lies above it: the level is the largest mean.
    level = means.max(axis=1)
    corrected = np.minimum(P, (level * (1 - LEAD))[:, None])
    corrected[rows, predicted] = 0.0
    corrected[rows, predicted] = 1.0 - corrected.sum(axis=1)
    return corrected


class PairwiseSigmoids(BaseEstimator):
    """One Platt sigmoid for every pair of classes, joined by pairwise coupling.

    The columns of the decision values are the pairs (0,1), (0,2), ..., (k-2,k-1) in the order of
    scikit-learn's ``decision_function_shape="ovo"``; in column (i,j) a positive value speaks for class i.
    Two classes have a single column (or a vector) in which, as everywhere in scikit-learn, a positive value
    speaks for class **1**.

    Attributes
    ----------
    A_, B_ : arrays of shape (n_pairs,)
        Column c gives 1 / (1 + exp(A_[c] f + B_[c])) as the probability of the class its positive values
        speak for.
    n_classes_ : int

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import PairwiseSigmoids
    >>> y = np.array([0, 0, 1, 1, 2, 2])
    >>> decision = np.array([[2, 1, 0], [1, 2, 0], [-1, 0, 1], [-2, 0, 2], [0, -1, -1], [0, -2, -2]])
    >>> PairwiseSigmoids().fit(decision, y).predict_proba(decision).argmax(axis=1)
    array([0, 0, 1, 1, 2, 2])
    """

    def fit(
        self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> PairwiseSigmoids:
        """Fit to out-of-fold decision values; `y` holds class indices 0, ..., k-1.

        The sigmoid of a pair is fitted to the points of its two classes.
        """
        f = _columns(_finite(decision, "decision"))
        self.n_classes_ = _classes_of_pairs(f.shape[1])
        y = np.asarray(column_or_1d(y))
        check_consistent_length(f, y)
        pairs = [(1, 0)] if self.n_classes_ == 2 else list(combinations(range(self.n_classes_), 2))
        w = None if sample_weight is None else np.asarray(sample_weight)
        fits = []
        for column, (i, j) in enumerate(pairs):
            members = (y == i) | (y == j)
            weight = None if w is None else w[members]
            fits.append(PlattSigmoid().fit(f[members, column], y[members] == i, weight))
        self.A_ = np.array([fit.A_ for fit in fits])
        self.B_ = np.array([fit.B_ for fit in fits])
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Class probabilities, shape (n, k); rows sum to one."""
        check_is_fitted(self)
        f = _columns(np.asarray(decision, dtype=np.float64))
        if f.shape[1] != len(self.A_):
            raise ValueError(
                f"decision must have {len(self.A_)} columns, one per pair of classes, not {f.shape[1]}."
            )
        if self.n_classes_ == 2:
            positive = _sigmoid(f[:, 0], self.A_[0], self.B_[0])
            return np.column_stack([1.0 - positive, positive])
        P = np.empty((len(f), self.n_classes_))
        for rows in gen_batches(len(f), max(1, BATCH_ENTRIES // self.n_classes_**2)):
            P[rows] = pairwise_coupling(self._pairwise_probabilities(f[rows]))
        return P

    def _pairwise_probabilities(self, f: NDArray[np.float64]) -> NDArray[np.float64]:
        i, j = np.triu_indices(self.n_classes_, 1)
        R = np.zeros((len(f), self.n_classes_, self.n_classes_))
        R[:, i, j] = _sigmoid(f, self.A_, self.B_)
        R[:, j, i] = 1.0 - R[:, i, j]
        return R


def _columns(f: NDArray[np.float64]) -> NDArray[np.float64]:
    return f[:, None] if f.ndim == 1 else f


def _classes_of_pairs(n_pairs: int) -> int:
    k = round((1 + np.sqrt(1 + 8 * n_pairs)) / 2)
    if k * (k - 1) // 2 != n_pairs or n_pairs == 0:
        raise ValueError(
            f"decision has {n_pairs} columns, which is not k(k-1)/2 for any number of classes k."
        )
    return k


class OneVsAllSigmoids(BaseEstimator):
    """One Platt sigmoid for every class against the rest; the probabilities are divided by their sum.

    Column c of the decision values, shape (n, k), speaks for class c where it is positive.

    Attributes
    ----------
    A_, B_ : arrays of shape (k,)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.calibration import OneVsAllSigmoids
    >>> decision, y = np.eye(3)[[0, 1, 2, 0, 1, 2]], [0, 1, 2, 0, 1, 2]
    >>> OneVsAllSigmoids().fit(decision, y).predict_proba(np.eye(3)).argmax(axis=1)
    array([0, 1, 2])
    """

    def fit(
        self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None
    ) -> OneVsAllSigmoids:
        """Fit to out-of-fold decision values; `y` holds class indices 0, ..., k-1."""
        f = _finite(decision, "decision")
        y = column_or_1d(y)
        check_consistent_length(f, y)
        fits = [PlattSigmoid().fit(column, y == c, sample_weight) for c, column in enumerate(f.T)]
        self.A_ = np.array([fit.A_ for fit in fits])
        self.B_ = np.array([fit.B_ for fit in fits])
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Class probabilities, shape (n, k); rows sum to one."""
        check_is_fitted(self)
        f = np.asarray(decision, dtype=np.float64)
        if f.ndim != 2 or f.shape[1] != len(self.A_):
            raise ValueError(
                f"decision must have shape (n, {len(self.A_)}), one column per class, not {f.shape}."
            )
        return normalise_one_vs_all(_sigmoid(f, self.A_, self.B_))


def cross_fit_folds(
    y: ArrayLike, cv: Any = 5, random_state: Any = None
) -> list[tuple[NDArray[np.intp], NDArray[np.intp]]]:
    """Stratified folds for out-of-fold decision values: a list of (train, test) indices.

    If `cv` is a number, every class must be in every training set: when the smallest class has fewer than
    `cv` members there are only as many folds as it has members, and a class of one is refused. A splitter
    or an iterable is used as it is.

    Parameters
    ----------
    y : array of classes
    cv : int, splitter or iterable of (train, test)
    random_state : None, int or RandomState
        Shuffles the members of a class before they are dealt to the folds; None keeps their order. Only
        used if `cv` is a number.

    Examples
    --------
    >>> from widemargin.calibration import cross_fit_folds
    >>> len(cross_fit_folds(["a", "a", "a", "b", "b", "b"], cv=5))
    3
    """
    y = np.asarray(column_or_1d(y))
    if not isinstance(cv, (int, np.integer)) or isinstance(cv, bool):
        return list(check_cv(cv, y, classifier=True).split(np.zeros(len(y)), y))
    if cv < 2:
        raise ValueError(f"cv must be at least 2 folds, not {cv}.")
    classes, counts = np.unique(y, return_counts=True)
    if counts.min() < 2:
        raise ValueError(
            f"Class {classes.tolist()[counts.argmin()]!r} has only one sample: cross-fitted probabilities "
            "need at least 2 samples of every class; add samples of it or leave it out."
        )
    splitter = StratifiedKFold(
        min(cv, counts.min()), shuffle=random_state is not None, random_state=random_state
    )
    return list(splitter.split(np.zeros(len(y)), y))


class Calibrated(ClassifierMixin, MetaEstimatorMixin, BaseEstimator):
    """Cross-fitted Platt probabilities for any classifier with a `decision_function`.

    `fit` trains the classifier once on all data, which gives `predict` and `decision_function`, and once
    for every fold, which gives decision values of unseen points, to which the sigmoids are fitted:

    * two classes: one sigmoid;
    * more, if the classifier has a parameter `decision_function_shape` (as support vector machines have):
      one for every pair of classes on its all-pairs decision values, joined by pairwise coupling;
    * more, otherwise: one for every class against the rest, normalised.

    The most probable class is always the predicted one: where they would differ, `agree_with` corrects the
    probabilities.

    Parameters
    ----------
    estimator : classifier with `decision_function`
    cv : int, splitter or iterable of (train, test), default=5
        Number of stratified folds; fewer if the smallest class has fewer members, see `cross_fit_folds`.
    n_jobs : int or None, default=None
        Fits run in parallel (joblib).

    Attributes
    ----------
    estimator_ : the classifier trained on all data
    sigmoids_ : `PairwiseSigmoids` or `OneVsAllSigmoids`
    classes_ : array of the classes

    Examples
    --------
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.svm import LinearSVC
    >>> from widemargin.calibration import Calibrated
    >>> X, y = load_iris(return_X_y=True)
    >>> model = Calibrated(LinearSVC(random_state=0)).fit(X, y)
    >>> model.predict_proba(X).shape
    (150, 3)
    >>> bool((model.predict_proba(X).argmax(axis=1) == model.predict(X)).all())
    True
    """

    def __init__(self, estimator: Any, *, cv: Any = 5, n_jobs: int | None = None):
        self.estimator = estimator
        self.cv = cv
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Calibrated:
        """Train the classifier on all data and the sigmoids on the folds."""
        if not hasattr(self.estimator, "decision_function"):
            raise TypeError(
                f"estimator must have a decision_function; {type(self.estimator).__name__} has none."
            )
        X, y = indexable(X, y)
        weight = self._check_weight(X, sample_weight)
        y = _check_labels(y)
        classes, index = np.unique(y, return_inverse=True)
        folds = cross_fit_folds(y, self.cv)
        whole = _fit(self.estimator, X, y, weight)
        decisions = Parallel(n_jobs=self.n_jobs)(
            delayed(_unseen_decision)(self.estimator, X, y, weight, train, test) for train, test in folds
        )
        tested = np.concatenate([test for _, test in folds])
        several, pairs = len(classes) > 2, _gives_pairs(self.estimator)
        sigmoids = OneVsAllSigmoids() if several and not pairs else PairwiseSigmoids()
        sigmoids.fit(np.concatenate(decisions), index[tested], None if weight is None else weight[tested])
        self.estimator_, self.sigmoids_, self.classes_ = whole, sigmoids, classes
        for name in ("n_features_in_", "feature_names_in_"):
            if hasattr(whole, name):
                setattr(self, name, getattr(whole, name))
        return self

    def predict(self, X: Any) -> NDArray[Any]:
        """Classes predicted by the classifier trained on all data."""
        check_is_fitted(self)
        return self.estimator_.predict(X)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values of the classifier trained on all data."""
        check_is_fitted(self)
        return self.estimator_.decision_function(X)

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Class probabilities, columns as in `classes_`; the arg-max is the class `predict` names."""
        check_is_fitted(self)
        raw = self.sigmoids_.predict_proba(_decision(self.estimator_, X))
        return agree_with(raw, np.searchsorted(self.classes_, self.estimator_.predict(X)))

    def _check_weight(self, X: Any, sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
        if sample_weight is None:
            return None
        if not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(
                f"sample_weight was given but {type(self.estimator).__name__}.fit does not take it."
            )
        return _check_sample_weight(sample_weight, X, dtype=np.float64)

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        inner = get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        return tags


def _check_labels(y: ArrayLike) -> NDArray[Any]:
    y = np.asarray(column_or_1d(y, warn=True))
    if y.size == 0:
        raise ValueError("y has 0 sample(s) while a minimum of 2 is required.")
    assert_all_finite(y, input_name="y")
    check_classification_targets(y)
    if (y == y[0]).all():
        raise ValueError(f"y has one class only, {y.tolist()[0]!r}: at least 2 classes are needed.")
    return y


def _fit(estimator: Any, X: Any, y: ArrayLike, weight: NDArray[np.float64] | None) -> Any:
    fit_parameters = {} if weight is None else {"sample_weight": weight}
    return clone(estimator).fit(X, y, **fit_parameters)


def _unseen_decision(
    estimator: Any, X: Any, y: NDArray[Any], weight: Any, train: NDArray[np.intp], test: NDArray[np.intp]
) -> NDArray[np.float64]:
    X_train, y_train = _safe_split(estimator, X, y, train)
    X_test, _ = _safe_split(estimator, X, y, test, train)
    absent = np.setdiff1d(y, y_train).tolist()
    if absent:
        raise ValueError(
            f"A training fold of cv lacks class {absent[0]!r}: use stratified folds or fewer of them."
        )
    return _decision(_fit(estimator, X_train, y_train, None if weight is None else weight[train]), X_test)


def _gives_pairs(estimator: Any) -> bool:
    return "decision_function_shape" in estimator.get_params(deep=False)


def _decision(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Decision values, of all pairs if the classifier gives them: their shape plays no part in training."""
    if _gives_pairs(fitted):
        fitted = copy(fitted).set_params(decision_function_shape="ovo")
    return fitted.decision_function(X)
