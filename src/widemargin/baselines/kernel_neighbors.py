"""The class of the nearest neighbours."""

from __future__ import annotations

from threading import Event
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.baselines.kernel_baseline import KernelBaseline
from widemargin.baselines.kernel_distance import KernelDistance
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.kernels.points import count
from widemargin.threads import allowed_threads, for_each, single_threaded_blas

BLOCK_ENTRIES = 2**18
"""Distances held at a time by each thread."""

SAME_SHARE = 1e-12
"""Shares that differ by less, relative to the larger, are the same but for rounding."""


class KernelNeighbors(KernelBaseline):
    """The class that most of the k nearest neighbours have, near in the Hilbert space of the kernel.

    Points are at the distance

        |Phi(x) - Phi(z)| = sqrt(k(x, x) - 2 k(x, z) + k(z, z)),

    which is the Euclidean one for the linear kernel and an increasing function of it for the Gaussian: both
    have the same neighbours. With k = 1 there are no training errors, unless one point has several classes.
    Consistent if k grows with the number n of points, and k / n goes to zero.

    Ties are broken as follows. Of points at the same distance those that came first in `fit` are nearer. Of
    classes with the same number of votes it is that of the nearest neighbour among all who voted for them.

    Parameters
    ----------
    n_neighbors : int, default=5
        The number k of neighbours that vote, at least 1 and at most the number of training points.
    kernel : str, Kernel or function, default="linear"
        As for `SVC`, like `degree`, `gamma` and `coef0`.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    rank_weights : array-like of shape (n_neighbors,), optional
        What the vote of the nearest neighbour counts, of the second nearest, and so on; None is 1 for all.
    n_jobs : int, optional
        Threads of predictions; None is all that this process may use.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    support_ : array of shape (n_samples,)
        Indices of all samples.
    support_vectors_ : array or sparse matrix of shape (n_samples, n_features), or list
        All samples; empty for a precomputed kernel.
    labels_ : array of shape (n_samples,)
        Their classes, as indices of `classes_`.
    diagonal_ : array of shape (n_samples,)
        Their k(z, z).
    kernel_ : Kernel
        The kernel, its parameters settled.
    n_features_in_ : int

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0.0], [1.0], [2.0], [10.0], [11.0]], ["low", "low", "low", "high", "high"]
    >>> machine = wm.KernelNeighbors(3).fit(X, y)
    >>> machine.predict([[1.5], [9.0]])
    array(['low', 'high'], dtype='<U4')
    >>> machine.predict_proba([[9.0]]).round(2)
    array([[0.67, 0.33]])
    >>> machine.kneighbors([[9.0]])
    (array([[1., 2., 7.]]), array([[3, 4, 2]]))
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelBaseline._rules | {
        "n_neighbors": parameters.at_least(1),
        "rank_weights": parameters.none | parameters.positive_numbers,
    }

    def __init__(
        self,
        n_neighbors: int = 5,
        *,
        kernel: Any = "linear",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        rank_weights: ArrayLike | None = None,
        n_jobs: int | None = None,
    ) -> None:
        self.n_neighbors = n_neighbors
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.rank_weights = rank_weights
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        super()._check_parameters()
        if self.rank_weights is not None and len(np.ravel(self.rank_weights)) != self.n_neighbors:
            raise ValueError(
                f"rank_weights has {len(np.ravel(self.rank_weights))} entries, but n_neighbors is "
                f"{self.n_neighbors}: give one weight for each neighbour."
            )

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Remember the points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings; a single one is enough.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = sample.read_training(self, X, y)
            names, labels = sample.read_classes(y)
            n = count(X)
            if self.n_neighbors > n:
                raise ValueError(
                    f"n_neighbors={self.n_neighbors} is more than n_samples = {n}: lower it, or add samples."
                )
            kernel, gram = self._bind(X, sample.read_weight(None, n))
            self.diagonal_ = gram.diagonal()
            self.classes_, self.labels_ = names, labels
            self._keep(X, kernel, np.arange(n))
        return self

    def kneighbors(self, X: Any, n_neighbors: int | None = None, return_distance: bool = True) -> Any:
        """The nearest training points of each row of X, the nearest first.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples.
        n_neighbors : int, optional
            How many; as in the constructor if None.
        return_distance : bool, default=True
            Must be False for a precomputed kernel, which does not say what k(x, x) is.

        Returns
        -------
        distances : array of shape (n_samples, n_neighbors)
            In the Hilbert space; only if `return_distance`.
        neighbors : array of shape (n_samples, n_neighbors)
            Indices of training points.
        """
        check_is_fitted(self)
        k = self.n_neighbors if n_neighbors is None else n_neighbors
        if not (self._rules["n_neighbors"].holds(k) and k <= self.support_.size):
            raise ValueError(f"n_neighbors must be an integer from 1 to {self.support_.size}, not {k!r}.")
        if return_distance and sample.is_precomputed(self.kernel_):
            raise ValueError(
                "distances need k(x, x), which a precomputed matrix does not have: set return_distance=False."
            )
        X = sample.read_prediction(self, X)
        ranks, neighbors = self._nearest(X, k)
        return (self._distance.distances(X, ranks), neighbors) if return_distance else neighbors

    @property
    def _distance(self) -> KernelDistance:
        precomputed = sample.is_precomputed(self.kernel_)
        return KernelDistance(
            self.kernel_, self.support_ if precomputed else self.support_vectors_, self.diagonal_
        )

    def _nearest(self, X: Any, k: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
        """The k smallest ranks of each row of valid points, and whose they are; by blocks of rows."""
        distance, n = self._distance, self.support_.size
        gram, every = distance.bind(X), np.arange(n, dtype=np.int32)
        rows = np.arange(count(X), dtype=np.int32)
        ranks, neighbors = np.empty((rows.size, k)), np.empty((rows.size, k), dtype=np.intp)
        size = max(1, BLOCK_ENTRIES // n)
        blocks = [slice(begin, begin + size) for begin in range(0, rows.size, size)]

        def search(block: slice, abandoned: Event) -> None:
            if not abandoned.is_set():
                ranks[block], neighbors[block] = smallest(distance.ranks(gram.block(rows[block], every)), k)

        with single_threaded_blas():
            for_each(search, blocks, min(allowed_threads(self.n_jobs), max(1, len(blocks))))
        return ranks, neighbors

    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """The share of each class in the votes of the neighbours of each row of X.

        Where several have the largest share, that of the class to be predicted is larger by a rounding error.
        """
        neighbors = self.kneighbors(X, return_distance=False)
        labels, every = self.labels_[neighbors], np.arange(len(neighbors))
        weights = np.ones(self.n_neighbors) if self.rank_weights is None else np.ravel(self.rank_weights)
        shares = np.zeros((len(labels), len(self.classes_)))
        np.add.at(shares, (every[:, None], labels), weights / weights.sum())
        most = shares.max(axis=1)
        first = shares >= most[:, None] * (1 - SAME_SHARE)
        winner = labels[every, np.take_along_axis(first, labels, axis=1).argmax(axis=1)]
        tied = first.sum(axis=1) > 1
        shares[every[tied], winner[tied]] = np.nextafter(most[tied], 1.0)
        return shares

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: that with most votes, and of several the nearest neighbour's."""
        shares = self.predict_proba(X)
        return self.classes_[shares.argmax(axis=1)]


def smallest(values: NDArray[np.float64], k: int) -> tuple[NDArray[np.float64], NDArray[np.intp]]:
    """The k smallest values of each row, ascending, and their columns; of equal ones the first.

    Examples
    --------
    >>> import numpy as np
    >>> smallest(np.array([[3.0, 1.0, 2.0, 1.0, 1.0]]), 2)
    (array([[1., 1.]]), array([[1, 3]]))
    """
    columns = np.sort(np.argpartition(values, k - 1, axis=1)[:, :k], axis=1)
    threshold = np.take_along_axis(values, columns, axis=1).max(axis=1, keepdims=True)
    tied = np.count_nonzero(values <= threshold, axis=1) > k
    if tied.any():
        columns[tied] = _first_columns(values[tied], threshold[tied], k)
    found = np.take_along_axis(values, columns, axis=1)
    order = found.argsort(axis=1, kind="stable")
    return np.take_along_axis(found, order, axis=1), np.take_along_axis(columns, order, axis=1)


def _first_columns(values: NDArray[np.float64], threshold: NDArray[np.float64], k: int) -> NDArray[np.intp]:
    """The columns of values below the threshold in each row, and the first of those at it, k in all."""
    below, at = values < threshold, values == threshold
    room = k - below.sum(axis=1, keepdims=True)
    return np.nonzero(below | (at & (at.cumsum(axis=1) <= room)))[1].reshape(-1, k)
