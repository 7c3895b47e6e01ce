"""Several classes by any two-class estimator."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.multiclass import type_of_target
from sklearn.utils.validation import _check_sample_weight, check_is_fitted, has_fit_parameter

from widemargin.calibration import agree_with
from widemargin.codes import Scheme, choose_scheme
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.classes import Classes
from widemargin.losses import Hinge, Loss, Square


def _has_probabilities(meta: Any) -> bool:
    """Whether the estimator inside has probabilities; raises its AttributeError if not."""
    return all(callable(each.predict_proba) for each in getattr(meta, "estimators_", [meta.estimator]))


class OutputCode(ScoredClassifier, MetaEstimatorMixin, BaseEstimator):
    """Several classes by a code, for any estimator of two classes.

    For each column of the code a copy of the estimator is trained to tell the classes with +1 (label 1) from
    those with -1 (label 0; a regressor gets +1 and -1); points of the other classes stay out. It takes the
    place of scikit-learn's

    * ``OneVsRestClassifier(estimator)``: ``OutputCode(estimator)``,
    * ``OneVsOneClassifier(estimator)``: ``OutputCode(estimator, "all-pairs")``,
    * ``OutputCodeClassifier(estimator)``: ``OutputCode(estimator, "dense-random")``, the best of 10,000 draws
      of columns that are usable and differ from each other.

    The parameter `multiclass` of `SVC`, `NuSVC` and `RLSClassifier` does the same on one kernel matrix.

    If points may have several labels, or none, y being a matrix of zeros and ones with a column per label,
    there is an independent problem per label, and nothing to decode.

    Parameters
    ----------
    estimator : classifier or regressor
        Its values are those of `decision_function`; without one, 2 p - 1 for the probability p of
        `predict_proba`; those of `predict` for a regressor.
    code : str, Code or matrix, default="one-vs-all"
        "one-vs-all", "all-pairs", "dag", "complete" (or "exhaustive"), "dense-random", "sparse-random",
        "bch", "hill-climbing"; or a code with a row for each class, in sorted order.
    decoding : str or Decoding, default="auto"
        "auto" is the largest value for one-vs-all, votes with ties decided by the values for all pairs, and
        "loss" for other codes: the least hinge loss of decision values, the least square loss of
        probabilities and of regressors. See `widemargin.codes` for others; those that couple probabilities
        need `predict_proba`.
    n_jobs : int, optional
        Columns trained, and asked, at a time (joblib).
    random_state : int, RandomState instance or None, default=None
        Draws random codes; None always draws the same ones.

    Attributes
    ----------
    estimators_ : list of estimators
        One for each column.
    classes_ : array of shape (n_classes,)
        If y was a matrix: the numbers of its columns.
    multilabel_ : bool
        Whether y was a matrix; there is no `code_` and no `decoding_` then.
    code_ : array of shape (n_classes, n_columns)
    decoding_ : Decoding
    n_features_in_ : int
        If the estimator has it.

    References
    ----------
    Allwein, Schapire and Singer, Reducing multiclass to binary, JMLR 1, 2000.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from sklearn.linear_model import LogisticRegression
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = wm.OutputCode(LogisticRegression(), "complete", "hamming").fit(X, y)
    >>> machine.code_.shape, len(machine.estimators_)
    ((3, 3), 3)
    >>> bool(machine.score(X, y) > 0.9)
    True
    """

    def __init__(
        self,
        estimator: Any,
        code: Any = "one-vs-all",
        decoding: Any = "auto",
        *,
        n_jobs: int | None = None,
        random_state: Any = None,
    ) -> None:
        self.estimator = estimator
        self.code = code
        self.decoding = decoding
        self.n_jobs = n_jobs
        self.random_state = random_state

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> OutputCode:
        """Train a copy of the estimator for each column.

        Parameters
        ----------
        X : whatever the estimator takes; rows are chosen from it for codes with zeros
        y : array-like of shape (n_samples,), or array or sparse matrix of shape (n_samples, n_labels)
            Classes, numbers or strings; or ones where points have labels, and zeros, for one-vs-all alone.
        sample_weight : array-like of shape (n_samples,), optional
            If the estimator takes it.
        """
        with all_or_nothing(self):
            self._check_estimator()
            if _are_several_labels(y):
                self._fit_labels(X, y, sample_weight)
            else:
                self._fit_classes(X, y, sample_weight)
            for name in ("n_features_in_", "feature_names_in_"):
                self.__dict__.pop(name, None)
                if hasattr(self.estimators_[0], name):
                    setattr(self, name, getattr(self.estimators_[0], name))
        return self

    def _fit_classes(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None) -> None:
        names, labels = sample.read_classes(_checked_labels(y))
        Classes(names, labels, np.ones(len(names))).check_count()
        X, _ = indexable(X, labels)
        weight = read_weight(self.estimator, X, sample_weight)
        scheme = self._choose_scheme(names)
        self._fit_columns(X, [column[labels] for column in scheme.M.T], weight)
        self.classes_, self.code_, self.decoding_ = names, scheme.M, scheme.decoding
        self.multilabel_ = False

    def _fit_labels(self, X: Any, y: Any, sample_weight: ArrayLike | None) -> None:
        for name, value, usual in (("code", self.code, "one-vs-all"), ("decoding", self.decoding, "auto")):
            if not (isinstance(value, str) and value == usual):
                raise ValueError(
                    f"y has a column per label, each a problem of its own: leave {name} at {usual!r}, or "
                    "give y one class per row."
                )
        X, _ = indexable(X, y)
        weight = read_weight(self.estimator, X, sample_weight)
        Y = y.toarray() if sp.issparse(y) else np.asarray(y)
        for label in np.flatnonzero((Y[0] == Y).all(axis=0)):
            have, will = ("All", "every") if Y[0, label] else ("No", "no")
            sentence = f"{have} training points have label {label}: {will} point will be given it."
            warnings.warn(sentence, stacklevel=3)
        self._fit_columns(X, list((2 * Y.astype(np.int8) - 1).T), weight)
        self.classes_, self.multilabel_, self._sparse_labels = np.arange(Y.shape[1]), True, sp.issparse(y)
        for name in ("code_", "decoding_"):
            self.__dict__.pop(name, None)

    def _fit_columns(
        self, X: Any, columns: list[NDArray[np.int8]], weight: NDArray[np.float64] | None
    ) -> None:
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_column)(self.estimator, X, sides, weight) for sides in columns
        )

    def _check_estimator(self) -> None:
        answers = ("decision_function", "predict_proba")
        if isinstance(self.estimator, type) or not hasattr(self.estimator, "fit"):
            raise TypeError(f"estimator must be an estimator object, not {self.estimator!r}.")
        if not is_regressor(self.estimator) and not any(hasattr(self.estimator, name) for name in answers):
            raise TypeError(
                f"estimator must have a decision_function or predict_proba, or be a regressor; "
                f"{type(self.estimator).__name__} has and is neither."
            )

    def _choose_scheme(self, names: NDArray[Any]) -> Scheme:
        seed = 0 if self.random_state is None else self.random_state
        scheme = choose_scheme(
            self.code,
            self.decoding,
            names,
            loss=self._own_loss(),
            random_state=seed,
            probabilities=hasattr(self.estimator, "predict_proba"),
        )
        usual = isinstance(self.decoding, str) and self.decoding == "auto"
        return scheme.breaking_ties() if usual else scheme

    def _own_loss(self) -> Loss:
        return Hinge() if hasattr(self.estimator, "decision_function") else Square()

    @property
    def _scheme(self) -> Scheme:
        check_is_fitted(self)
        return Scheme(self.code_, self.decoding_)

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X; or its labels, in a matrix that is sparse if that of `fit` was."""
        check_is_fitted(self)
        if self.multilabel_:
            has = (self._ask(X, column_values) > 0).astype(np.intp)
            return sp.csr_matrix(has) if self._sparse_labels else has
        return self.classes_[self._decide(self._read(X))]

    def _decide(self, read: NDArray[np.float64]) -> NDArray[np.intp]:
        """Of two classes the second has a positive value, as in scikit-learn."""
        if len(self.code_) == 2:
            return (read[:, 0] > 0).astype(np.intp)
        return self._scheme.decide(read)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        Parameters
        ----------
        X : whatever the estimator takes

        Returns
        -------
        values : array of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for the second. Several: a score per class, by the decoding. Labels: a value
            for each, positive if it is there.
        """
        check_is_fitted(self)
        if self.multilabel_:
            return self._ask(X, column_values)
        return self._scheme.scores(self._read(X))

    @available_if(_has_probabilities)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, columns as in `classes_`; the most probable is what `predict` names.

        Those of the columns are divided by their sum for one-vs-all, and coupled for other codes: as
        `decoding` says, or by Wu, Lin and Weng's second method for all pairs and the Bradley-Terry model.
        Those of labels are left as they are: they need not add up to one.
        """
        check_is_fitted(self)
        if self.multilabel_:
            return self._ask(X, _probabilities)
        P = self._scheme.coupling.probabilities(self._ask(X, _probabilities), self.code_)
        return agree_with(P, self._decide(self._read(X)))

    def _read(self, X: Any) -> NDArray[np.float64]:
        """What the decoding reads, shape (n_samples, n_columns)."""
        check_is_fitted(self)
        return self._ask(X, _probabilities if self.decoding_.reads_probabilities else column_values)

    def _ask(self, X: Any, question: Any) -> NDArray[np.float64]:
        check_is_fitted(self)
        answers = Parallel(n_jobs=self.n_jobs)(delayed(question)(each, X) for each in self.estimators_)
        return np.column_stack(answers)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_label = self.code == "one-vs-all"
        return tags


def _are_several_labels(y: Any) -> bool:
    return type_of_target(y) == "multilabel-indicator"


def _checked_labels(y: ArrayLike) -> NDArray[Any]:
    if y is None:
        raise ValueError("OutputCode requires y to be passed, but the target y is None.")
    labels = np.asarray(column_or_1d(y, warn=True))
    if labels.size == 0:
        raise ValueError("y has 0 samples: give at least one of each class.")
    assert_all_finite(labels, input_name="y")
    return labels


def read_weight(estimator: Any, X: Any, sample_weight: ArrayLike | None) -> NDArray[np.float64] | None:
    """Valid weights, None for none; a TypeError if the estimator does not take them."""
    if sample_weight is None:
        return None
    if not has_fit_parameter(estimator, "sample_weight"):
        raise TypeError(f"sample_weight was given, but {type(estimator).__name__}.fit does not take it.")
    return _check_sample_weight(sample_weight, X, dtype=np.float64)


def fit_column(estimator: Any, X: Any, sides: NDArray[np.int8], weight: NDArray[np.float64] | None) -> Any:
    """A copy of the estimator, trained on the points that are on either side."""
    members = np.flatnonzero(sides)
    if members.size < sides.size:
        X, _ = _safe_split(estimator, X, None, members)
        weight = None if weight is None else weight[members]
    targets = sides[members]
    if (targets == targets[0]).all():
        always = DummyClassifier(strategy="constant", constant=int(targets[0] > 0))
        return always.fit(X, np.arange(targets.size) % 2)  # it has to know both sides
    y = targets.astype(np.float64) if is_regressor(estimator) else (targets > 0).astype(np.intp)
    return clone(estimator).fit(X, y, **({} if weight is None else {"sample_weight": weight}))


def column_values(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Positive for the positive side of the column that an estimator was trained for."""
    if is_regressor(fitted):
        return np.ravel(fitted.predict(X))
    if hasattr(fitted, "decision_function"):
        return np.ravel(fitted.decision_function(X))
    return 2 * _probabilities(fitted, X) - 1


def _probabilities(fitted: Any, X: Any) -> NDArray[np.float64]:
    return fitted.predict_proba(X)[:, 1]
