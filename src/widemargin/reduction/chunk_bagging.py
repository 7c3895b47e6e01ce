"""Machines trained on disjoint parts of the data, averaged."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from joblib import Parallel, delayed
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold
from sklearn.utils import check_random_state, get_tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import has_fit_parameter

from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.classes import Classes
from widemargin.kernels.points import count, take
from widemargin.reduction.meta_machine import MetaMachine, decides
from widemargin.threads import allowed_threads


class ChunkBagging(MetaMachine):
    """One machine per chunk of the data, and the mean of what they say.

    The data are split at random into disjoint chunks of p points, each with its share of every class. A chunk
    takes time between p^2 and p^3 instead of n^2 and n^3, and chunks are trained in threads. Classifiers are
    averaged by their decision values, regressors by their predictions.

    Bagging this way makes machines stable. If to replace one of its p points changes a chunk's function by at
    most alpha_p anywhere, the mean of the n / p functions changes by at most

        (p / n) alpha_p,

    which falls like 1 / n for a fixed p even if the machine itself is not stable. For Tikhonov regularisation
    with a fixed lam, alpha_p is O(1 / p) already and nothing is gained (`bounds.stability_bound`). None of
    this is about the training error, which is usually larger than that of one machine on all data.

    Parameters
    ----------
    estimator : classifier with a `decision_function`, or regressor
        It is cloned for each chunk.
    chunk_size : int, optional
        p, the points of a chunk, about: there are n / p chunks, rounded.
    n_chunks : int, default=10
        Number of chunks where no `chunk_size` is given; fewer if a class, or a regression, has fewer points.
    random_state : int, RandomState instance or None, default=None
        Draws the chunks.
    n_jobs : int, optional
        Threads, each at one chunk; None is all that this process may use.

    Attributes
    ----------
    estimators_ : list of the machines
    chunks_ : list of arrays
        The rows of X in each chunk.
    classes_ : array of shape (n_classes,)
    n_features_in_ : int
    feature_names_in_ : array of shape (n_features_in_,)
        If X had string column names.

    References
    ----------
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> moons = wm.datasets.two_moons(600, seed=0)
    >>> X, y = moons.X, moons.y
    >>> bag = wm.ChunkBagging(wm.SVC(gamma=2.0), chunk_size=100, random_state=0).fit(X, y)
    >>> [len(chunk) for chunk in bag.chunks_]
    [100, 100, 100, 100, 100, 100]
    >>> bool(bag.score(X, y) > 0.9)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "chunk_size": parameters.none | parameters.at_least(1),
        "n_chunks": parameters.at_least(1),
        "n_jobs": parameters.none | parameters.jobs,
    }

    def __init__(
        self,
        estimator: Any,
        *,
        chunk_size: int | None = None,
        n_chunks: int = 10,
        random_state: Any = None,
        n_jobs: int | None = None,
    ) -> None:
        self.estimator = estimator
        self.chunk_size = chunk_size
        self.n_chunks = n_chunks
        self.random_state = random_state
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train a machine on each chunk of the points X and targets y.

        Parameters
        ----------
        X, y, sample_weight : as the machine takes them
            Points of weight 0 are in no chunk.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters(sample_weight is not None)
            X, y = self._read(X, y)
            weight = sample.read_weight(sample_weight, count(X))
            chunks = self._split(y, weight)
            workers = min(allowed_threads(self.n_jobs), len(chunks))
            self.estimators_ = Parallel(workers, prefer="threads")(
                delayed(self._fit_chunk)(X, y, None if sample_weight is None else weight, chunk)
                for chunk in chunks
            )
            self.chunks_ = chunks
        return self

    def _check_parameters(self, weighted: bool) -> None:
        self._check_estimator()
        parameters.check(self, self._rules)
        name = type(self.estimator).__name__
        if is_classifier(self) and not hasattr(self.estimator, "decision_function"):
            raise TypeError(f"a classifier needs a decision_function to be averaged; {name} has none.")
        if weighted and not has_fit_parameter(self.estimator, "sample_weight"):
            raise TypeError(f"sample_weight was given, but {name}.fit does not take it.")

    def _split(self, y: NDArray[Any], weight: NDArray[np.float64]) -> list[NDArray[np.intp]]:
        rows = np.flatnonzero(weight)
        labels, fewest = y[rows], rows.size
        if is_classifier(self):
            names, index = sample.read_classes(y)
            classes = Classes(names, index, np.ones(len(names)))
            classes.check(weight)
            self.classes_ = names
            labels = index[rows]
            fewest = int(np.bincount(labels).min())
        wanted = self.n_chunks if self.chunk_size is None else max(1, round(rows.size / self.chunk_size))
        size = min(wanted, fewest)
        random = check_random_state(self.random_state)
        if size == 1:
            return [rows]
        split = StratifiedKFold if is_classifier(self) else KFold
        folds = split(size, shuffle=True, random_state=random).split(rows, labels)
        return [rows[chunk] for _, chunk in folds]

    @property
    def _is_pairwise(self) -> bool:
        return get_tags(self.estimator).input_tags.pairwise

    def _fit_chunk(
        self, X: Any, y: NDArray[Any], weight: NDArray[np.float64] | None, chunk: NDArray[np.intp]
    ) -> Any:
        machine = clone(self.estimator)
        if "decision_function_shape" in machine.get_params(deep=False):
            machine.set_params(decision_function_shape="ovr")  # a score per class, which can be averaged
        part = take(X, chunk)
        if self._is_pairwise:
            part = part[:, chunk]
        weights = {} if weight is None else {"sample_weight": weight[chunk]}
        return machine.fit(part, y[chunk], **weights)

    def _mean(self, X: Any, method: str) -> NDArray[np.float64]:
        """The mean of what the machines say of the rows of X."""
        X = self._read_new(X)
        total: Any = 0.0
        for machine, chunk in zip(self.estimators_, self.chunks_, strict=True):
            total = total + getattr(machine, method)(X[:, chunk] if self._is_pairwise else X)
        return total / len(self.estimators_)

    @available_if(decides)
    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Mean decision values: positive for the second of two classes, a score per class for more."""
        return self._mean(X, "decision_function")

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of the mean decision value, or the mean prediction, for each row of X."""
        if not is_classifier(self):
            return self._mean(X, "predict")
        values = self.decision_function(X)
        best = (values >= 0).astype(int) if values.ndim == 1 else values.argmax(axis=1)
        return self.classes_[best]
