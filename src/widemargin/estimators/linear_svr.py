"""Regression by a linear function."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import RegressorMixin

from widemargin import problems
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.documentation import documented
from widemargin.estimators.linear_machine import LinearMachine
from widemargin.kernels.points import count
from widemargin.problems import Problem


@documented
class LinearSVR(RegressorMixin, LinearMachine):
    """Linear support vector regression, for many points and for sparse ones.

    It minimises over w, b

        1/2 |w|^2 + sum_i C_i loss(y_i - <w, x_i> - b),      C_i = C * sample_weight_i,

    with the loss max(0, |r| - epsilon) or its square: the machine of ``SVR(kernel="linear")``, without a
    kernel matrix; see `LinearDescent`.

    Parameters
    ----------
    epsilon : float, default=0.0
        Half width of the tube in which errors cost nothing.
    loss : {"epsilon_insensitive", "squared_epsilon_insensitive"}, default="epsilon_insensitive"
    C : float, default=1.0
        Price of a loss, positive and finite.
    <linear parameters>

    Attributes
    ----------
    coef_ : array of shape (n_features,)
        The weights w.
    intercept_ : array of shape (1,)
    <linear attributes>

    References
    ----------
    Ho and Lin, Large-scale linear support vector regression, JMLR 13, 2012.

    Examples
    --------
    >>> import widemargin as wm
    >>> machine = wm.LinearSVR(C=100, tol=1e-8).fit([[0], [1], [2]], [1, 3, 5])
    >>> machine.predict([[3]]).round(3)
    array([7.])
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = LinearMachine._rules | {
        "epsilon": parameters.not_negative,
        "loss": parameters.one_of("epsilon_insensitive", "squared_epsilon_insensitive"),
    }

    def __init__(
        self,
        *,
        epsilon: float = 0.0,
        loss: str = "epsilon_insensitive",
        C: float = 1.0,
        tol: float = 1e-4,
        fit_intercept: bool = True,
        bias: str = "free",
        intercept_scaling: float = 1.0,
        max_iter: int = -1,
        max_time: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.epsilon = epsilon
        self.loss = loss
        self.C = C
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.bias = bias
        self.intercept_scaling = intercept_scaling
        self.max_iter = max_iter
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and targets y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Their target values.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point: one of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            parameters.check(self, self._rules)
            X, y = sample.read_training(self, X, y, y_numeric=True)
            weight = sample.read_weight(sample_weight, count(X))
            rows = np.flatnonzero(weight).astype(np.int32)
            targets, price = np.asarray(y, dtype=np.float64)[rows], self.C * weight[rows]

            def problem_of(_: int) -> Problem:
                if self.loss == "epsilon_insensitive":
                    return problems.epsilon_regression(targets, price, self.epsilon).on(rows)
                return problems.squared_epsilon_regression(targets, 2.0 * price, self.epsilon).on(rows)

            solved, (function,) = self._solve_columns(X, [2 * rows.size], problem_of)
            self.coef_, self.intercept_ = function.w, np.array([function.b])
            self._keep_certificate(solved)
        self._conclude(solved)
        return self

    def predict(self, X: Any) -> NDArray[np.float64]:
        """The value of the function at each row of X."""
        return self._values(X).ravel()
