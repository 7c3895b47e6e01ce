"""Classification by hyperplanes."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.utils.validation import check_is_fitted

from widemargin import joint_problems, kernels, problems
from widemargin.estimators import parameters
from widemargin.estimators.base import all_or_nothing
from widemargin.estimators.by_weights import ByWeights
from widemargin.estimators.classes import read_classified
from widemargin.estimators.documentation import documented
from widemargin.estimators.linear_machine import LinearMachine, Weights, refuse_overflow
from widemargin.estimators.training import Job, Solved
from widemargin.kernels.points import combine, count
from widemargin.problems import Problem, Vector
from widemargin.solvers import JointDescent


@documented
class LinearSVC(ClassifierMixin, LinearMachine):
    """Linear support vector classifier, for many points and for sparse ones.

    For two classes, y_i = -1 or +1, it minimises over w, b

        1/2 |w|^2 + sum_i C_i loss(y_i (<w, x_i> + b)),    C_i = C * sample_weight_i * class_weight(y_i),

    with the hinge loss max(0, 1 - z) or its square: the machine of ``SVC(kernel="linear")``, whose
    "squared_hinge" is half the square. A sweep over the data takes as long as a few products of X with a
    vector, and no kernel matrix is ever made; see `LinearDescent`.

    Parameters
    ----------
    penalty : {"l2"}, default="l2"
        The norm of w.
    loss : {"hinge", "squared_hinge"}, default="squared_hinge"
    C : float, default=1.0
        Price of a loss, positive and finite.
    multi_class : {"ovr", "crammer_singer"}, default="ovr"
        Several classes: each against all others, or all at once with the loss of Crammer and Singer, which
        takes the place of `loss`. The latter has no free intercept, and stops at a KKT violation of `tol`.
    class_weight : dict or "balanced", optional
        Factors of the price of each class; "balanced" makes them inverse to the class sizes.
    <linear parameters>

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    coef_ : array of shape (1, n_features) for two classes, else (n_classes, n_features)
        The weights w.
    intercept_ : array of shape (1,) or (n_classes,)
    <linear attributes>

    References
    ----------
    Hsieh, Chang, Lin, Keerthi and Sundararajan, A dual coordinate descent method for large-scale linear SVM,
    ICML 2008.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-1, -1], [-2, -1], [1, 1], [2, 1]], ["left", "left", "right", "right"]
    >>> machine = wm.LinearSVC().fit(X, y)
    >>> machine.predict([[-0.8, -1]]).item()
    'left'
    >>> bool(machine.duality_gap_ <= 1e-4 * machine.primal_objective_)
    True
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = LinearMachine._rules | {
        "penalty": parameters.one_of("l2"),
        "loss": parameters.one_of("hinge", "squared_hinge"),
        "multi_class": parameters.one_of("ovr", "crammer_singer"),
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
    }

    def __init__(
        self,
        *,
        penalty: str = "l2",
        loss: str = "squared_hinge",
        C: float = 1.0,
        multi_class: str = "ovr",
        tol: float = 1e-4,
        fit_intercept: bool = True,
        bias: str = "free",
        intercept_scaling: float = 1.0,
        class_weight: dict[Any, float] | str | None = None,
        max_iter: int = -1,
        max_time: float | None = None,
        random_state: Any = None,
        n_jobs: int | None = None,
        verbose: bool | int = False,
    ) -> None:
        self.penalty = penalty
        self.loss = loss
        self.C = C
        self.multi_class = multi_class
        self.tol = tol
        self.fit_intercept = fit_intercept
        self.bias = bias
        self.intercept_scaling = intercept_scaling
        self.class_weight = class_weight
        self.max_iter = max_iter
        self.max_time = max_time
        self.random_state = random_state
        self.n_jobs = n_jobs
        self.verbose = verbose

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point: one of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y, sample_weight, self.class_weight)
            labels = classes.labels
            rows = np.flatnonzero(weight).astype(np.int32)
            price = self.C * weight[rows] * classes.weights[labels[rows]]
            fit = self._fit_jointly if self.multi_class == "crammer_singer" else self._fit_columns
            solved, functions = fit(X, labels[rows], price, rows, classes.count)
            self.classes_ = classes.names
            self.coef_ = np.array([function.w for function in functions])
            self.intercept_ = np.array([function.b for function in functions])
            self._keep_certificate(solved)
        self._conclude(solved)
        return self

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        if self.multi_class == "crammer_singer" and (self._is_free or self._constant not in (0.0, 1.0)):
            raise ValueError(
                "multi_class='crammer_singer' has no free intercept: give fit_intercept=False, or "
                "bias='penalised' with intercept_scaling=1."
            )

    def _fit_columns(
        self, X: Any, labels: NDArray[np.integer], price: Vector, rows: NDArray[np.int32], k: int
    ) -> tuple[Solved, list[Weights]]:
        """Two classes, or each against all others."""
        columns = [1] if k == 2 else list(range(k))

        def problem_of(column: int) -> Problem:
            y = np.where(labels == columns[column], 1.0, -1.0)
            if self.loss == "hinge":
                return problems.soft_margin(y, price).on(rows)
            return problems.squared_soft_margin(y, 2.0 * price).on(rows)

        return self._solve_columns(X, [rows.size] * len(columns), problem_of)

    def _fit_jointly(
        self, X: Any, labels: NDArray[np.integer], price: Vector, rows: NDArray[np.int32], k: int
    ) -> tuple[Solved, list[Weights]]:
        """All classes at once; of two, what the second has more than the first."""
        refuse_overflow(X)
        problem = joint_problems.crammer_singer(labels, price, k).on(rows)
        found: list[NDArray[np.float64]] = []

        def work(solve: Any) -> Any:
            solution = solve(problem, None)
            found.append(problem.coefficients(solution.alpha))
            return solution.summary()

        training = self._training(ByWeights(JointDescent(), X, {"bias": self._constant > 0.0}), problem.size)
        solved = training.run([Job(problem.size, work)], kernels.Linear().bind(X))
        coefficients = np.zeros((count(X), k))
        coefficients[rows] = found[0]
        if k == 2:
            coefficients = coefficients[:, 1:] - coefficients[:, :1]
        return solved, [Weights(combine(X, c), self._constant * c.sum()) for c in coefficients.T]

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values: of two classes positive for the second, else a column per class.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features)

        Returns
        -------
        values : array of shape (n_samples,) for two classes, else (n_samples, n_classes)
        """
        values = self._values(X)
        return values[:, 0] if len(self.classes_) == 2 else values

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X: that with the largest value."""
        check_is_fitted(self)
        values = self._values(X)
        if len(self.classes_) == 2:
            return self.classes_[(values[:, 0] > 0).astype(int)]
        return self.classes_[values.argmax(axis=1)]
