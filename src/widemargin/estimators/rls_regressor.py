"""Regularised least squares for numbers."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin
from sklearn.utils import check_array

from widemargin.estimators import sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.chunks import Chunk, ChunkReader
from widemargin.estimators.documentation import documented
from widemargin.estimators.least_squares_machine import LeastSquaresMachine, Matrix
from widemargin.kernels.points import count
from widemargin.problems import Vector


@documented
class RLSRegressor(RegressorMixin, LeastSquaresMachine):
    """Regularised least squares, with leave-one-out in closed form.

    It minimises over f in the Hilbert space of the kernel, plus b if there is a bias,

        1/n sum_i w_i (y_i - f(x_i))^2 + lam |f|^2,      n = sum_i w_i,

    by the linear system (K + lam n W^-1) c = y, f = sum_i c_i k(x_i, .): kernel ridge regression, with the
    regularisation chosen by exact leave-one-out unless it is given. Several outputs share one factor, and one
    lam, which those with the largest errors decide: scale them alike, or fit a machine for each.

    Parameters
    ----------
    <least squares parameters>

    Attributes
    ----------
    loo_predictions_, loo_residuals_ : array of shape (n_samples,) or (n_samples, n_outputs)
        The value at each sample of the machine trained without it (with the same ridge), and the target minus
        that. Of a sample of weight w > 1, which stands for w copies, one copy is left out.
    loo_error_ : float
        The mean of the squared `loo_residuals_`, by weight.
    dual_coef_ : array of shape (n_outputs, n_support)
        The coefficients c.
    <least squares attributes>

    References
    ----------
    Rifkin, Everything old is new again: a fresh look at historical approaches in machine learning, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> x = np.linspace(0, 3, 40)[:, None]
    >>> machine = wm.RLSRegressor(gamma=1.0).fit(x, np.sin(x).ravel())
    >>> machine.predict([[1.0]]).round(3)
    array([0.841])
    >>> bool(machine.loo_error_ < 1e-6)
    True
    """

    def __init__(
        self,
        *,
        lam: Any = "loo",
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float | None = None,
        coef0: float = 0.0,
        bias: str = "none",
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
    ) -> None:
        self.lam = lam
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
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

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.single_output = True
        tags.target_tags.multi_output = True
        return tags

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and targets y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,) or (n_samples, n_outputs)
            Their target values.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = sample.read_training(self, X, y, y_numeric=True, multi_output=True)
            Y = np.asarray(y, dtype=np.float64)
            sample.refuse_overflow(Y)
            weight = sample.read_weight(sample_weight, count(X))
            self._single = Y.ndim == 1
            self._fit_columns(X, Y.reshape(len(Y), -1), weight)
        self._conclude_least_squares()
        return self

    def fit_chunks(self, chunks: Any) -> Any:
        """Train on data that need not fit into memory; `centres` must be given.

        <chunks>

        Parameters
        ----------
        chunks : function, or list
            A function that returns a fresh iterator over pairs (X, y) or triples (X, y, sample_weight), as
            for `fit`; all with the same columns and the same dtype.

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
        ...         yield X, np.sin(4 * X[:, 0]) + X[:, 1]
        >>> machine = wm.RLSRegressor(centres=50).fit_chunks(chunks)
        >>> machine.predict([[0.5, 0.5]]).round(2)
        array([1.41])
        """
        with all_or_nothing(self):
            self._check_parameters()
            reader = ChunkReader(self, chunks, _numbers)
            survey = self._survey(reader, self._see_shape)
            self._fit_chunks(reader, survey, _columns, lambda _: 1.0, survey.spread.total)
        self._conclude_least_squares()
        return self

    def _see_shape(self, chunk: Chunk) -> None:
        self._single = chunk.y.ndim == 1

    def _keep_errors(self, left_out: Matrix, Y: Matrix, weight: Vector) -> None:
        self._residuals = Y - left_out
        self._loo_error = float((weight @ self._residuals**2).mean() / weight.sum())

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of the function at each row of X.

        For a precomputed kernel X is the kernel of these samples with all training samples, or with those of
        positive weight (in the order of `support_`) alone.
        """
        return self._shaped(self._values(X))

    @property
    def loo_predictions_(self) -> NDArray[np.float64]:
        """What the machines trained without each sample say of it."""
        return self._shaped(self._all_left_out("loo_predictions_"))

    @property
    def loo_residuals_(self) -> NDArray[np.float64]:
        """The targets minus `loo_predictions_`."""
        self._all_left_out("loo_residuals_")
        return self._shaped(self._residuals)

    @property
    def loo_error_(self) -> float:
        """The mean squared leave-one-out residual."""
        self._all_left_out("loo_error_")
        return self._loo_error

    def _shaped(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return values[:, 0] if self._single else values


def _numbers(y: Any) -> NDArray[np.float64]:
    """Valid targets of a chunk."""
    sample.refuse_gaps(y)
    Y = np.asarray(check_array(y, ensure_2d=False, allow_nd=False, input_name="y"), dtype=np.float64)
    if Y.ndim not in (1, 2):
        raise ValueError("y must have one or two dimensions.")
    sample.refuse_overflow(Y)
    return Y


def _columns(chunk: Chunk) -> NDArray[np.float64]:
    return chunk.y.reshape(chunk.size, -1)
