"""The class whose mean is nearest."""

from __future__ import annotations

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.baselines.kernel_baseline import KernelBaseline
from widemargin.estimators import sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.class_functions import ClassFunctions
from widemargin.estimators.classes import read_classified
from widemargin.expansion import product
from widemargin.kernels import Kernel
from widemargin.problems import Vector

COINCIDENCE = 1e-13
"""Means that are nearer to each other, relative to their squared lengths, differ by rounding only."""


class MeanClassifier(KernelBaseline, ClassFunctions):
    """The class whose mean is nearest in the Hilbert space of the kernel.

    With m_c(x) the mean of k(x_i, x) over the points of class c, weighted as they are, and k_cd the mean of k
    over all pairs of points from the classes c and d,

        |Phi(x) - mean_c|^2 = k(x, x) - 2 m_c(x) + k_cc,

    so that the class with the largest 2 m_c(x) - k_cc is the nearest. The decision value of two classes is

        F(x) = (2 (m_1(x) - m_0(x)) - (k_11 - k_00)) / (k_11 - 2 k_10 + k_00),

    which is +1 at the mean of the second class, -1 at that of the first, and 0 half-way. With the linear
    kernel the means are points, and a prediction takes one inner product per class; with other kernels it
    takes the kernels with all training points. There is nothing to tune but the kernel.

    Parameters
    ----------
    kernel : str, Kernel or function, default="linear"
        As for `SVC`, like `degree`, `gamma` and `coef0`.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    n_jobs : int, optional
        Threads for kernel values; None is all that this process may use.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    centres_ : array of shape (n_classes, n_features)
        The means, for the linear kernel only.
    mean_products_ : array of shape (n_classes, n_classes)
        The inner products k_cd of the means; for the linear kernel as seen from the mean of all points.
    support_ : array of shape (n_support,)
        Indices of the samples of positive weight, class by class; empty for the linear kernel.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
        These samples; for the linear kernel the means less the mean of all samples.
    dual_coef_ : array of shape (n_classes, n_support)
    intercept_ : array of shape (n_classes,)
    kernel_ : Kernel
        The kernel, its parameters settled.
    n_features_in_ : int

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0, 0], [0, 2], [4, 0], [4, 2]], ["left", "left", "right", "right"]
    >>> machine = wm.MeanClassifier().fit(X, y)
    >>> machine.centres_
    array([[0., 1.],
           [4., 1.]])
    >>> machine.decision_function([[0, 1], [2, 7], [4, 1]])
    array([-1.,  0.,  1.])
    """

    def __init__(
        self,
        kernel: Any = "linear",
        *,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Take the means of the points X of each class in y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y, sample_weight)
            names, labels = classes.names, classes.labels
            kernel, gram = self._bind(X, weight)
            shares = _shares(labels, weight, len(names))
            self.classes_ = names
            if sample.is_linear(kernel):
                self._fit_points(X, kernel, shares, weight)
            else:
                self._fit_functions(X, kernel, gram, labels, shares)
        return self

    def _fit_points(self, X: Any, kernel: Kernel, shares: NDArray[np.float64], weight: Vector) -> None:
        """Means that are points, seen from the mean of all: distances are the same, and round-off is less."""
        everywhere = np.asarray((weight / weight.sum()) @ X, dtype=np.float64)
        apart = np.asarray(shares.T @ X, dtype=np.float64) - everywhere
        self.mean_products_ = apart @ apart.T
        scale = self._scale()
        self._keep(X, kernel, np.empty(0, dtype=np.int32))
        self._sparse = False  # means of sparse points hardly are
        self.support_vectors_ = apart
        self._store_dual(2 * scale * np.eye(len(apart)))
        self.intercept_ = -scale * (np.diag(self.mean_products_) + 2 * apart @ everywhere)
        self._everywhere = everywhere

    def _fit_functions(
        self, X: Any, kernel: Kernel, gram: Any, labels: NDArray[np.integer], shares: NDArray[np.float64]
    ) -> None:
        """Means that are functions of all points."""
        rows = np.flatnonzero(shares.any(axis=1)).astype(np.int32)
        weights = np.ascontiguousarray(shares[rows])
        self.mean_products_ = weights.T @ product(gram, rows, rows, weights, self.n_jobs)
        scale = self._scale()
        self._keep_functions(X, kernel, labels, 2 * scale * shares)
        self.intercept_ = -scale * np.diag(self.mean_products_)

    def _scale(self) -> float:
        """What makes the decision values of two classes -1 and +1 at their means."""
        if len(self.classes_) > 2:
            return 1.0
        (first, both), (_, second) = self.mean_products_
        squared_distance = abs(first - 2 * both + second)
        if squared_distance <= COINCIDENCE * (abs(first) + abs(second)):
            warnings.warn(
                f"the means of both classes are the same: {self.classes_.tolist()[0]!r} will be predicted "
                "everywhere; take another kernel, such as kernel='rbf'.",
                UserWarning,
                stacklevel=4,
            )
            return 0.0
        return float(1.0 / squared_distance)

    @property
    def centres_(self) -> NDArray[np.float64]:
        """The means, for the linear kernel only."""
        check_is_fitted(self)
        if not sample.is_linear(self.kernel_):
            raise AttributeError("centres_ is only available when using a linear kernel")
        return self.support_vectors_ + self._everywhere


def _shares(labels: NDArray[np.integer], weight: Vector, classes: int) -> NDArray[np.float64]:
    """The share of each point in the mean of each class."""
    shares = np.zeros((len(labels), classes))
    shares[np.arange(len(labels)), labels] = weight
    return shares / shares.sum(axis=0)
