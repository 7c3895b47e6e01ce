"""Several classes by any two-class estimator."""

from __future__ import annotations

import inspect
import warnings
from copy import deepcopy
from itertools import repeat
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, MetaEstimatorMixin, clone, is_regressor
from sklearn.dummy import DummyClassifier
from sklearn.utils import assert_all_finite, column_or_1d, get_tags, indexable
from sklearn.utils.metadata_routing import (
    UNUSED,
    MetadataRouter,
    MethodMapping,
    _raise_for_params,
    _routing_enabled,
    process_routing,
)
from sklearn.utils.metaestimators import _safe_split, available_if
from sklearn.utils.multiclass import _check_partial_fit_first_call, type_of_target
from sklearn.utils.validation import _check_method_params, _check_sample_weight, check_is_fitted

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


def _learns_in_parts(meta: Any) -> bool:
    """Whether the estimator inside has `partial_fit`; raises its AttributeError if not."""
    return callable(meta.estimator.partial_fit)


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

    As with scikit-learn's, metadata that the estimator requests reaches it where scikit-learn routes
    metadata, and an estimator that learns in parts, by `partial_fit`, does so here.

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
    pairwise_indices_ : list of arrays of int, or None
        If the estimator reads kernel matrices: the training points of each column.
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

    # Weights are for the estimators to request, as in scikit-learn's three.
    __metadata_request__fit: ClassVar = {"sample_weight": UNUSED}
    __metadata_request__partial_fit: ClassVar = {"sample_weight": UNUSED, "classes": UNUSED}

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

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None, **params: Any) -> OutputCode:
        """Train a copy of the estimator for each column.

        Parameters
        ----------
        X : whatever the estimator takes; rows are chosen from it for codes with zeros
        y : array-like of shape (n_samples,), or array or sparse matrix of shape (n_samples, n_labels)
            Classes, numbers or strings; or ones where points have labels, and zeros, for one-vs-all alone.
        sample_weight : array-like of shape (n_samples,), optional
            If the estimator takes it.
        **params : dict
            What else the estimator requests, with ``sklearn.set_config(enable_metadata_routing=True)``.
        """
        with all_or_nothing(self):
            self._check_estimator()
            if _are_several_labels(y):
                self._fit_labels(X, y, sample_weight, params)
            else:
                self._fit_classes(X, y, sample_weight, params)
            self._keep_features()
        return self

    def _fit_classes(self, X: Any, y: ArrayLike, sample_weight: Any, params: dict[str, Any]) -> None:
        names, labels = sample.read_classes(_checked_labels(y))
        Classes(names, labels, np.ones(len(names))).check_count()
        X, _ = indexable(X, labels)
        given = self._given("fit", X, sample_weight, params)
        scheme = self._choose_scheme(names)
        self._fit_columns(X, [column[labels] for column in scheme.M.T], given)
        self.classes_, self.code_, self.decoding_ = names, scheme.M, scheme.decoding
        self.multilabel_ = False

    def _fit_labels(self, X: Any, y: Any, sample_weight: Any, params: dict[str, Any]) -> None:
        for name, value, usual in (("code", self.code, "one-vs-all"), ("decoding", self.decoding, "auto")):
            if not (isinstance(value, str) and value == usual):
                raise ValueError(
                    f"y has a column per label, each a problem of its own: leave {name} at {usual!r}, or "
                    "give y one class per row."
                )
        X, _ = indexable(X, y)
        given = self._given("fit", X, sample_weight, params)
        Y = y.toarray() if sp.issparse(y) else np.asarray(y)
        for label in np.flatnonzero((Y[0] == Y).all(axis=0)):
            have, will = ("All", "every") if Y[0, label] else ("No", "no")
            sentence = f"{have} training points have label {label}: {will} point will be given it."
            warnings.warn(sentence, stacklevel=3)
        self._fit_columns(X, list((2 * Y.astype(np.int8) - 1).T), given)
        self.classes_, self.multilabel_, self._sparse_labels = np.arange(Y.shape[1]), True, sp.issparse(y)
        for name in ("code_", "decoding_"):
            self.__dict__.pop(name, None)

    def _fit_columns(self, X: Any, columns: list[NDArray[np.int8]], given: dict[str, Any]) -> None:
        self.estimators_ = Parallel(n_jobs=self.n_jobs)(
            delayed(fit_column)(self.estimator, X, sides, given) for sides in columns
        )
        reads_kernels = get_tags(self.estimator).input_tags.pairwise
        self.pairwise_indices_ = [np.flatnonzero(sides) for sides in columns] if reads_kernels else None

    @available_if(_learns_in_parts)
    def partial_fit(
        self,
        X: Any,
        y: ArrayLike,
        classes: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        **params: Any,
    ) -> OutputCode:
        """Go on training with some more points, by `partial_fit` of the estimator.

        Parameters
        ----------
        X : as in `fit`
        y : array-like of shape (n_samples,)
        classes : array-like of shape (n_classes,)
            All classes that will ever occur; not needed again after the first call.
        sample_weight : array-like of shape (n_samples,), optional
            If the `partial_fit` of the estimator takes it.
        **params : dict
            As in `fit`.
        """
        with all_or_nothing(self):
            self._check_estimator()
            if classes is not None or not hasattr(self, "classes_"):
                self._begin(classes)
            labels = self._known_labels(y)
            X, _ = indexable(X, labels)
            given = self._given("partial_fit", X, sample_weight, params)
            self.estimators_ = Parallel(n_jobs=self.n_jobs)(
                delayed(teach_column)(each, X, column[labels], given)
                for each, column in zip(self.estimators_, self.code_.T, strict=True)
            )
            self._keep_features()
        return self

    def _begin(self, classes: ArrayLike | None) -> None:
        """Machines that know the classes and nothing else, if there are none yet."""
        if not _check_partial_fit_first_call(self, classes):
            return
        Classes(self.classes_, np.arange(len(self.classes_)), np.ones(len(self.classes_))).check_count()
        scheme = self._choose_scheme(self.classes_)
        self.code_, self.decoding_ = scheme.M, scheme.decoding
        self.estimators_ = [clone(self.estimator) for _ in scheme.M.T]
        self.multilabel_, self.pairwise_indices_ = False, None

    def _known_labels(self, y: ArrayLike) -> NDArray[np.intp]:
        """The numbers of the classes of more points."""
        if self.multilabel_:
            raise ValueError("several labels are not learnt in parts: call fit, or give y one class per row.")
        labels = _checked_labels(y)
        if not (known := np.isin(labels, self.classes_)).all():
            row = int(np.argmin(known))
            raise ValueError(
                f"y has the class {labels.tolist()[row]!r} in row {row}, which is none of the classes: name "
                "all of them in the first call."
            )
        return np.searchsorted(self.classes_, labels)

    def _given(self, method: str, X: Any, sample_weight: Any, params: dict[str, Any]) -> dict[str, Any]:
        """What this method of the estimators is given besides points and targets."""
        _raise_for_params(params, self, method)
        if not _routing_enabled():
            weight = read_weight(self.estimator, X, sample_weight, method)
            return {} if weight is None else {"sample_weight": weight}
        if sample_weight is not None:
            params = {**params, "sample_weight": _check_sample_weight(sample_weight, X, dtype=np.float64)}
        return dict(process_routing(self, method, **params).estimator[method])

    def _keep_features(self) -> None:
        for name in ("n_features_in_", "feature_names_in_"):
            self.__dict__.pop(name, None)
            if hasattr(self.estimators_[0], name):
                setattr(self, name, getattr(self.estimators_[0], name))

    @property
    def n_classes_(self) -> int:
        """How many classes, or labels, there are."""
        return len(self.classes_)

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
        inputs = zip(self.estimators_, self._seen_by_each(X), strict=False)
        return np.column_stack(Parallel(n_jobs=self.n_jobs)(delayed(question)(*each) for each in inputs))

    def _seen_by_each(self, X: Any) -> Any:
        """X for each column; of kernels with all training points those with the points of the column."""
        if self.pairwise_indices_ is None:
            return repeat(X)
        K = X if sp.issparse(X) else np.asarray(X)
        return (K[:, members] for members in self.pairwise_indices_)

    def get_metadata_routing(self) -> MetadataRouter:
        """Who requests which metadata, as scikit-learn wants to know it."""
        methods = MethodMapping()
        for method in ("fit", "partial_fit"):
            methods = methods.add(caller=method, callee=method)
        router = MetadataRouter(owner=self).add_self_request(self)
        return router.add(estimator=self.estimator, method_mapping=methods)

    def __sklearn_tags__(self) -> Any:
        tags, inner = super().__sklearn_tags__(), get_tags(self.estimator)
        tags.input_tags.sparse = inner.input_tags.sparse
        tags.input_tags.pairwise = inner.input_tags.pairwise
        tags.input_tags.allow_nan = inner.input_tags.allow_nan
        tags.classifier_tags.multi_label = isinstance(self.code, str) and self.code == "one-vs-all"
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


def read_weight(
    estimator: Any, X: Any, sample_weight: ArrayLike | None, method: str = "fit"
) -> NDArray[np.float64] | None:
    """Valid weights, None for none; a TypeError if this method of the estimator does not take them."""
    if sample_weight is None:
        return None
    if "sample_weight" not in inspect.signature(getattr(estimator, method)).parameters:
        raise TypeError(f"sample_weight was given, but {type(estimator).__name__}.{method} does not take it.")
    return _check_sample_weight(sample_weight, X, dtype=np.float64)


def fit_column(estimator: Any, X: Any, sides: NDArray[np.int8], given: dict[str, Any]) -> Any:
    """A copy of the estimator, trained on the points that are on either side."""
    X, targets, given = _on_either_side(estimator, X, sides, given)
    if (targets == targets[0]).all():
        always = DummyClassifier(strategy="constant", constant=int(targets[0] > 0))
        return always.fit(X, np.arange(targets.size) % 2)  # it has to know both sides
    return clone(estimator).fit(X, _as_learnt(estimator, targets), **given)


def teach_column(learner: Any, X: Any, sides: NDArray[np.int8], given: dict[str, Any]) -> Any:
    """A copy of the estimator that has learnt from the points that are on either side, if there are any."""
    X, targets, given = _on_either_side(learner, X, sides, given)
    if not targets.size:
        return learner
    both = {} if is_regressor(learner) else {"classes": np.array([0, 1])}
    learner = deepcopy(learner)  # if another column refuses its points, none has learnt
    return learner.partial_fit(X, _as_learnt(learner, targets), **both, **given)


def _on_either_side(
    estimator: Any, X: Any, sides: NDArray[np.int8], given: dict[str, Any]
) -> tuple[Any, NDArray[np.int8], dict[str, Any]]:
    """The points of a column, +1 or -1 for each, and their share of what is given by points."""
    members = np.flatnonzero(sides)
    if members.size == sides.size:
        return X, sides, given
    part, _ = _safe_split(estimator, X, None, members)
    return part, sides[members], _check_method_params(X, given, members)


def _as_learnt(estimator: Any, targets: NDArray[np.int8]) -> NDArray[Any]:
    return targets.astype(np.float64) if is_regressor(estimator) else (targets > 0).astype(np.intp)


def column_values(fitted: Any, X: Any) -> NDArray[np.float64]:
    """Positive for the positive side of the column that an estimator was trained for."""
    if is_regressor(fitted):
        return np.ravel(fitted.predict(X))
    if hasattr(fitted, "decision_function"):
        return np.ravel(fitted.decision_function(X))
    return 2 * _probabilities(fitted, X) - 1


def _probabilities(fitted: Any, X: Any) -> NDArray[np.float64]:
    return fitted.predict_proba(X)[:, 1]
