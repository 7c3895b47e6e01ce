"""Regularised least squares for classes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators import code, parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.census import Census
from widemargin.estimators.chunks import ChunkReader
from widemargin.estimators.classifier import Classes, class_weights
from widemargin.estimators.documentation import documented
from widemargin.estimators.least_squares_machine import LeastSquaresMachine, Matrix
from widemargin.kernels.points import count
from widemargin.problems import Vector


@documented
class RLSClassifier(ClassifierMixin, LeastSquaresMachine):
    """Regularised least-squares classification, with leave-one-out in closed form.

    For two classes, y_i = -1 or +1, it minimises over f in the Hilbert space of the kernel, plus b if there
    is a bias,

        1/n sum_i w_i (y_i - f(x_i))^2 + lam |f|^2,      n = sum_i w_i,

    by the linear system (K + lam n W^-1) c = y. Several classes are one such column each, against all others,
    on one factor: they cost hardly more than two. As a rule it is as accurate as a support vector machine,
    and cheaper to tune; its functions need all points, not only support vectors.

    `lam` is chosen by the squared leave-one-out error, not by the number of leave-one-out errors, which
    changes in jumps and by chance; both are reported.

    Parameters
    ----------
    <least squares parameters>
    class_weight : dict or "balanced", optional
        Factors of the weight of each class; "balanced" makes them inverse to the class sizes.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    code_ : array of shape (n_classes, n_columns)
        The target of each class in each column: -1 or +1.
    loo_predictions_ : array of shape (n_samples,)
        The class that the machine trained without it (with the same ridge) gives to each sample. Of a sample
        of weight w > 1, which stands for w copies, one copy is left out.
    loo_decision_ : array of shape (n_samples,) or (n_samples, n_classes)
        The decision values behind them.
    loo_residuals_ : array of shape (n_samples,) or (n_samples, n_classes)
        The targets -1 and +1 minus `loo_decision_`.
    loo_error_ : float
        The share of samples, by weight, that `loo_predictions_` gets wrong.
    dual_coef_ : array of shape (1, n_support), or (n_classes, n_support) for more than two
        The coefficients c.
    <least squares attributes>

    References
    ----------
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> machine = wm.RLSClassifier().fit(X, y)
    >>> machine.predict(X[:1])
    array([0])
    >>> bool(machine.loo_error_ < 0.05)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = LeastSquaresMachine._rules | {
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
    }

    def __init__(
        self,
        *,
        lam: float | str = "loo",
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "none",
        class_weight: dict[Any, float] | str | None = None,
        centres: Any = None,
        approximation: str = "rectangle",
        solver: str = "auto",
        leave_one_out: bool | str = "auto",
        tol: float = 1e-8,
        max_iter: int = -1,
        cache_size: float | str = "auto",
        verbose: bool | int = False,
        n_jobs: int | None = None,
    ) -> None:
        self.lam = lam
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.class_weight = class_weight
        self.centres = centres
        self.approximation = approximation
        self.solver = solver
        self.leave_one_out = leave_one_out
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and their classes y.

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
            X, y = sample.read_training(self, X, y)
            names, labels = sample.read_classes(y)
            classes = Classes(names, labels, class_weights(self.class_weight, names, names[labels]))
            weight = sample.read_weight(sample_weight, count(X))
            classes.check(weight)
            self.classes_ = names
            self.code_ = code.two_classes() if classes.count == 2 else code.one_vs_all(classes.count)
            Y = self.code_[labels].astype(np.float64)
            self._fit_columns(X, Y, weight, classes.weights[labels])
        self._conclude_least_squares()
        return self

    def fit_chunks(self, chunks: Any) -> Any:
        """Train on data that need not fit into memory; `centres` must be given.

        <chunks>

        ``gamma="scale"`` knows nothing of `class_weight` here.

        Parameters
        ----------
        chunks : function, or list
            A function that returns a fresh iterator over pairs (X, y) or triples (X, y, sample_weight), as
            for `fit`; all with the same columns and the same dtype. No chunk needs to have all classes.

        Returns
        -------
        self : object

        Examples
        --------
        >>> import numpy as np, widemargin as wm
        >>> def chunks():
        ...     random = np.random.default_rng(0)
        ...     for _ in range(10):
        ...         X = random.uniform(size=(1000, 2))
        ...         yield X, X[:, 0] > X[:, 1] ** 2
        >>> machine = wm.RLSClassifier(centres=50).fit_chunks(chunks)
        >>> machine.predict([[0.3, 0.5], [0.2, 0.5]])
        array([ True, False])
        """
        with all_or_nothing(self):
            self._check_parameters()
            reader, census = ChunkReader(self, chunks, _labels), Census()
            survey = self._survey(reader, census.add)
            names = census.names
            seen = np.repeat(names, census.rows)
            classes = Classes(names, np.arange(len(names)), class_weights(self.class_weight, names, seen))
            classes.check(census.weights)
            self.classes_ = names
            self.code_ = code.two_classes() if classes.count == 2 else code.one_vs_all(classes.count)
            Y = self.code_.astype(np.float64)
            self._fit_chunks(
                reader,
                survey,
                lambda chunk: Y[census.find(chunk.y)],
                lambda chunk: classes.weights[census.find(chunk.y)],
                float(census.weights @ classes.weights),
            )
        self._conclude_least_squares()
        return self

    def _keep_errors(self, left_out: Matrix, Y: Matrix, weight: Vector) -> None:
        self._residuals = Y - left_out
        wrong = self._decide(left_out) != self._decide(Y)
        self._loo_error = float(weight @ wrong / weight.sum())

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples, or with those of
            positive weight (in the order of `support_`) alone.

        Returns
        -------
        values : array of shape (n_samples,) or (n_samples, n_classes)
            Two classes: positive for the second. Several: a value per class.
        """
        return self._shaped(self._values(X))

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X, that of the largest decision value."""
        values = self._values(X)
        return self.classes_[self._decide(values)]

    @property
    def loo_predictions_(self) -> NDArray[Any]:
        """The classes that the machines trained without each sample give it."""
        check_is_fitted(self)
        return self.classes_[self._decide(self._all_left_out("loo_predictions_"))]

    @property
    def loo_decision_(self) -> NDArray[np.float64]:
        """The decision values behind `loo_predictions_`."""
        return self._shaped(self._all_left_out("loo_decision_"))

    @property
    def loo_residuals_(self) -> NDArray[np.float64]:
        """The targets -1 and +1 minus `loo_decision_`."""
        self._all_left_out("loo_residuals_")
        return self._shaped(self._residuals)

    @property
    def loo_error_(self) -> float:
        """The share of samples that leave-one-out gets wrong."""
        self._all_left_out("loo_error_")
        return self._loo_error

    def _decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        return code.decide(values, len(self.classes_), pairs=False, break_ties=False)

    def _shaped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 0] if values.shape[1] == 1 else values


def _labels(y: Any) -> NDArray[Any]:
    """Valid classes of a chunk."""
    y = column_or_1d(y)
    sample.read_classes(y)
    return y
