"""Regularised least squares for classes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels
from widemargin.codes import Scheme, choose_scheme, one_vs_all
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.census import Census
from widemargin.estimators.chunks import ChunkReader
from widemargin.estimators.classes import Classes, class_weights, read_classified
from widemargin.estimators.documentation import documented
from widemargin.estimators.kernel_table import WholeTable, tabulate
from widemargin.estimators.least_squares_machine import LeastSquaresMachine, Matrix
from widemargin.kernels.points import take
from widemargin.least_squares import (
    Frame,
    LeastSquares,
    LeastSquaresFit,
    choose_solver,
    fit_columns_apart,
    systems_of,
)
from widemargin.losses import Square
from widemargin.memory import cache_bytes
from widemargin.problems import Vector
from widemargin.threads import allowed_threads


@documented
class RLSClassifier(ScoredClassifier, LeastSquaresMachine):
    """Regularised least-squares classification, with leave-one-out in closed form.

    For two classes, y_i = -1 or +1, it minimises over f in the Hilbert space of the kernel, plus b if there
    is a bias,

        1/n sum_i w_i (y_i - f(x_i))^2 + lam |f|^2,      n = sum_i w_i,

    by the linear system (K + lam n W^-1) c = y. Several classes are one such column each, against all others,
    on one factor: they cost hardly more than two. As a rule it is as accurate as a support vector machine,
    and cheaper to tune; its functions need all points, not only support vectors.

    c depends on y linearly. For any code M without zeros the functions of its columns are therefore sums of
    the functions f^r of classes, sum_r M_rj f^r, and nothing else is trained: all such codes have the same
    lam. Decoded by the square loss they choose the class r with the least

        sum_s d(r, s) f^s(x),     d the Hamming distance of rows,

    which for equidistant rows is one-vs-all: complete codes, and those from Hadamard matrices, give exactly
    its predictions. Codes with zeros (all pairs, sparse ones) have a system for every set of classes that
    take part in a column, on one kernel matrix, with the ridge lam n of all points.

    `lam` is chosen by the squared leave-one-out error, not by the number of leave-one-out errors, which
    changes in jumps and by chance; both are reported.

    Parameters
    ----------
    <least squares parameters>
    class_weight : dict or "balanced", optional
        Factors of the weight of each class; "balanced" makes them inverse to the class sizes.
    multiclass : str, Code or matrix, default="one-vs-all"
        Which two-class problems several classes are made of, as for `SVC`. With a code that has zeros "loo"
        chooses lam (and gamma) for one-vs-all.
    decoding : str or Decoding, default="auto"
        How the columns name a class: "auto" is the largest value for one-vs-all, votes for all pairs and the
        least square loss for other codes; see `widemargin.codes`. There are no probabilities to couple.
    random_state : int, RandomState instance or None, default=None
        Draws random codes; None always draws the same ones.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    code_ : array of shape (n_classes, n_columns)
        The target of each class in each column: -1, +1, or 0 for classes that stay out.
    decoding_ : Decoding
    n_systems_ : int
        Linear systems with factors of their own: 1 for codes without zeros.
    loo_predictions_ : array of shape (n_samples,)
        The class that the machine trained without it (with the same ridge) gives to each sample. Of a sample
        of weight w > 1, which stands for w copies, one copy is left out.
    loo_decision_ : array of shape (n_samples,) or (n_samples, n_classes)
        The decision values behind them.
    loo_residuals_ : array of shape (n_samples,) or (n_samples, n_columns)
        The targets in `code_` minus the held-out values of the columns.
    loo_error_ : float
        The share of samples, by weight, that `loo_predictions_` gets wrong.
    dual_coef_ : array of shape (1, n_support), or (n_classes, n_support) for more than two
        The coefficients c of one-vs-all, which all codes without zeros are read off; (n_columns, n_support)
        for codes with zeros.
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
        "multiclass": parameters.code,
        "decoding": parameters.decoding,
    }

    def __init__(
        self,
        *,
        lam: Any = "loo",
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float | None = None,
        coef0: float = 0.0,
        bias: str = "none",
        class_weight: dict[Any, float] | str | None = None,
        centres: Any = None,
        approximation: str = "rectangle",
        regularizer: str = "norm",
        solver: str = "auto",
        leave_one_out: bool | str = "auto",
        tol: float = 1e-8,
        max_iter: int = -1,
        cache_size: float | str = "auto",
        verbose: bool | int = False,
        n_jobs: int | None = None,
        multiclass: Any = "one-vs-all",
        decoding: Any = "auto",
        random_state: Any = None,
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
        self.regularizer = regularizer
        self.solver = solver
        self.leave_one_out = leave_one_out
        self.tol = tol
        self.max_iter = max_iter
        self.cache_size = cache_size
        self.verbose = verbose
        self.n_jobs = n_jobs
        self.multiclass = multiclass
        self.decoding = decoding
        self.random_state = random_state

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
            X, classes, weight = read_classified(self, X, y, sample_weight, self.class_weight)
            labels = classes.labels
            self._keep_scheme(classes.names)
            self._fit_columns(X, self._trained_code()[labels], weight, classes.weights[labels])
        self._conclude_least_squares()
        return self

    def fit_chunks(self, chunks: Any) -> Any:
        """Train on data that need not fit into memory; `centres` must be given.

        <chunks>

        ``gamma="scale"`` knows nothing of `class_weight` here, and codes must not have zeros.

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
            self._keep_scheme(names)
            if self._is_apart:
                raise ValueError(
                    "fit_chunks needs a code without zeros: take 'one-vs-all' or 'dense-random'."
                )
            Y = self._trained_code()
            self._fit_chunks(
                reader,
                survey,
                lambda chunk: Y[census.find(chunk.y)],
                lambda chunk: classes.weights[census.find(chunk.y)],
                float(census.weights @ classes.weights),
            )
        self._conclude_least_squares()
        return self

    def _keep_scheme(self, names: NDArray[Any]) -> None:
        """Settle how several classes are made of two."""
        seed = 0 if self.random_state is None else self.random_state
        scheme = choose_scheme(self.multiclass, self.decoding, names, loss=Square(), random_state=seed)
        self.classes_, self.code_, self.decoding_ = names, scheme.M, scheme.decoding
        self.n_systems_ = 1
        if self._is_apart and (self.centres is not None or self.regularizer == "coefficients"):
            raise ValueError(
                "a code with zeros has a system for each column, which centres do not share: take "
                "centres=None and regularizer='norm', or a code without zeros such as 'one-vs-all'."
            )

    @property
    def _scheme(self) -> Scheme:
        check_is_fitted(self, "code_")
        return Scheme(self.code_, self.decoding_)

    @property
    def _is_apart(self) -> bool:
        """Whether columns are trained on points of their own, on which one-vs-all has nothing to say."""
        return not self.code_.all()

    def _trained_code(self) -> Matrix:
        """The code of the columns that are trained: one-vs-all wherever the others can be read off it."""
        M = self.code_ if self._is_apart else one_vs_all(len(self.classes_)).matrix
        return M.astype(np.float64)

    def _columns(self, trained: Matrix) -> Matrix:
        """The values of the code's columns, from those of the trained ones.

        One-vs-all has g_r = 2 f^r - s, s the sum of all f^r, hence f^r = (g_r - sum_q g_q / (k - 2)) / 2.
        """
        k = len(self.classes_)
        if k == 2 or self._is_apart or self._scheme.is_one_vs_all:
            return trained
        f = (trained - trained.sum(axis=1, keepdims=True) / (k - 2)) / 2
        return f @ self.code_

    def _fit_best(
        self, X: Any, rows: NDArray[np.int32], frame: Frame, Y: Matrix, weight: Vector, centres: Any
    ) -> tuple[kernels.Kernel, LeastSquaresFit]:
        """The kernel and its fit; columns with zeros have a system of their own."""
        if not self._is_apart:
            return super()._fit_best(X, rows, frame, Y, weight, centres)
        ridge, path = self._ridge(frame.total), None
        if self._chooses_lam or self._chooses_gamma:
            labels = _labels_of(Y, self._trained_code())
            one = one_vs_all(len(self.classes_)).matrix.astype(np.float64)
            kernel, whole = super()._fit_best(X, rows, frame, one[labels], weight, centres)
            ridge, path = whole.ridge, whole.path
        else:
            kernel = self._choose_kernel(X, weight, self.gamma)
        assert isinstance(ridge, float)
        fitted = self._fit_apart(kernel, X, rows, frame, Y, ridge)
        return kernel, replace(fitted, path=path)

    def _fit_apart(
        self, kernel: kernels.Kernel, X: Any, rows: NDArray[np.int32], frame: Frame, Y: Matrix, ridge: float
    ) -> LeastSquaresFit:
        """A system for each set of points that columns are trained on, all on one kernel matrix."""
        linear = None
        if sample.is_linear(kernel):
            linear = take(X, rows).astype(np.float64)
        gram, budget = kernel.bind(X), cache_bytes(self.cache_size, rows.size)
        solver = self.solver
        if solver == "auto":
            solver = choose_solver(rows.size, linear, False, budget)
        if solver == "cg" and self.leave_one_out is True:
            raise ValueError(
                "cache_size is too small for leave-one-out: raise it, or set leave_one_out='auto'."
            )
        self.solver_, self.n_systems_ = solver, len(systems_of(Y))
        chosen = self._chooses_lam or self.gamma == "loo"
        wanted = (chosen or self._wants_leave_one_out(rows.size)) and solver != "cg"
        if not gram.stored and solver != "primal" and 2 * WholeTable.bytes_for(gram.shape[0]) <= budget:
            gram = tabulate(gram, WholeTable, allowed_threads(self.n_jobs), lambda: False)
        problem = LeastSquares(gram, rows, frame, linear, self.n_jobs, self.tol, self.max_iter)
        return fit_columns_apart(problem, Y, ridge, solver, wanted)

    def _keep_errors(self, left_out: Matrix, Y: Matrix, weight: Vector) -> None:
        labels = _labels_of(Y, self._trained_code())
        self._residuals = self.code_[labels] - self._columns(left_out)
        self._loo_error = float(weight @ (self._decide(left_out) != labels) / weight.sum())

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
            Two classes: positive for the second. Several: a score per class.
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
        """The targets in `code_` minus the held-out values of the columns."""
        self._all_left_out("loo_residuals_")
        return self._residuals[:, 0] if self._residuals.shape[1] == 1 else self._residuals

    @property
    def loo_error_(self) -> float:
        """The share of samples that leave-one-out gets wrong."""
        self._all_left_out("loo_error_")
        return self._loo_error

    def _decide(self, trained: Matrix) -> NDArray[np.intp]:
        """Index of the predicted class, from the values of the trained columns."""
        return self._scheme.decide(self._columns(trained))

    def _shaped(self, trained: Matrix) -> NDArray[np.float64]:
        return self._scheme.scores(self._columns(trained))


def _labels_of(Y: Matrix, M: Matrix) -> NDArray[np.intp]:
    """The row of the code that each row of targets is; all rows of the code differ."""
    _, number = np.unique(np.vstack([M, Y]), axis=0, return_inverse=True)
    row = np.empty(len(M), dtype=np.intp)
    row[number[: len(M)]] = np.arange(len(M))
    return row[number[len(M) :]]


def _labels(y: Any) -> NDArray[Any]:
    """Valid classes of a chunk."""
    y = column_or_1d(y)
    sample.read_classes(y)
    return y
