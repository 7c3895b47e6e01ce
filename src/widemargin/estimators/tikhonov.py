"""Tikhonov regularisation with a loss of one's choice."""

from __future__ import annotations

import warnings
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.metrics import accuracy_score, r2_score
from sklearn.utils import ClassifierTags

from widemargin import kernels, losses, problems
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.training import POLISHED_SIZE, Training, choose_solver
from widemargin.expansion import Expansion
from widemargin.kernels.points import count
from widemargin.least_squares import BIASES, Frame, LeastSquares
from widemargin.least_squares import choose_solver as choose_least_squares_solver
from widemargin.memory import cache_bytes
from widemargin.problems import Problem, Vector
from widemargin.regularization import Regularization
from widemargin.representer import minimize_smooth
from widemargin.threads import blas_for

ROUNDING = 1e-10
"""A sum this small beside its terms may be zero."""

STEPS, STEPS_EACH = 2_000_000, 1000
"""Of a solver, or so many for each variable: with an extreme lam rounding could keep it going for ever."""


def _answers_signs(machine: Any) -> bool:
    """Whether the loss is one of margins, so that the machine is a classifier."""
    loss = machine.loss
    kind = losses.LOSSES.get(loss, losses.Loss) if isinstance(loss, str) else type(loss)
    return issubclass(kind, losses.MarginLoss)


class TikhonovEstimator(KernelMachine):
    """The choice of the loss V is the choice of the machine.

    It minimises over f in the Hilbert space of the kernel, plus b if there is a bias,

        1/n sum_i w_i V(f(x_i), y_i) + lam |f|^2,      n = sum_i w_i.

    The hinge loss gives the support vector machine with C = 1 / (2 lam n), the squared hinge its 2-norm form,
    the epsilon-insensitive and the absolute loss support vector regression, the square loss regularised least
    squares; each goes to the solver of that machine. Other smooth losses are minimised by L-BFGS and
    Newton steps on the function that the representer theorem leaves, with the whole kernel matrix in memory.

    Parameters
    ----------
    loss : Loss or str, default="hinge"
        An object of `widemargin.losses`, or "hinge", "squared_hinge", "power", "square", "absolute",
        "epsilon_insensitive", "exponential" or "logistic" with their default parameters. It must be convex.
    kernel : str, Kernel or function, default="rbf"
        As for `SVC`, like `degree`, `gamma` and `coef0`.
    lam : float, default=0.01
        Weight of the squared norm, positive.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    bias : {"none", "free", "penalised"}, default="none"
        Whether f has a constant that costs nothing, or one whose square is part of |f|^2.
    tol : float, default=1e-6
        KKT violation, relative residual, or relative distance of the objective from its minimum to stop at.
    cache_size : float or "auto", default="auto"
        Megabytes for kernel values, as for `SVC`.
    n_jobs : int, optional
        Threads, as for `SVC`.

    Attributes
    ----------
    regularization_ : Regularization
        lam, C and the ridge of this fit.
    objective_, risk_, norm_ : float
        The value of what is minimised; its parts, the mean loss and |f| (with a penalised bias in it), which
        is NaN where a kernel that is not positive semi-definite makes |f|^2 negative.
    support_, support_vectors_, dual_coef_, intercept_
        f = sum_i dual_coef_[0, i] k(support_vectors_[i], .) + intercept_[0].
    kernel_ : Kernel
    classes_ : array
        -1 and +1, for a loss of margins, which makes the machine a classifier.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[-2.0], [-1.0], [1.0], [2.0]], [-1, -1, 1, 1]
    >>> machine = wm.TikhonovEstimator("logistic", kernel="linear", lam=0.01).fit(X, y)
    >>> machine.predict([[-3.0], [0.5]])
    array([-1.,  1.])
    >>> machine.regularization_.C
    12.5
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        name: KernelMachine._rules[name]
        for name in ("kernel", "degree", "gamma", "coef0", "tol", "cache_size", "n_jobs")
    } | {
        "loss": parameters.one_of(*losses.LOSSES)
        | parameters.Rule("a Loss", lambda value: isinstance(value, losses.Loss)),
        "lam": parameters.positive_and_finite,
        "bias": parameters.one_of(*BIASES),
    }

    _advice = "raise lam or tol"

    def __init__(
        self,
        loss: Any = "hinge",
        kernel: Any = "rbf",
        lam: float = 0.01,
        *,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "none",
        tol: float = 1e-6,
        cache_size: float | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.loss = loss
        self.kernel = kernel
        self.lam = lam
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.tol = tol
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        loss = self._loss
        if not loss.is_convex:
            raise ValueError(
                f"loss={self.loss!r} is not convex and cannot be minimised: use the hinge or logistic loss, "
                "and this one to measure the result."
            )

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        if _answers_signs(self):
            tags.estimator_type, tags.classifier_tags = "classifier", ClassifierTags(multi_class=False)
        return tags

    @property
    def classes_(self) -> NDArray[np.int64]:
        """-1 and +1, for a loss of margins."""
        if not _answers_signs(self):
            raise AttributeError(f"loss={self.loss!r} is for numbers: there are no classes.")
        return np.array([-1, 1])

    @property
    def _loss(self) -> losses.Loss:
        return losses.loss_of(self.loss)

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and targets y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Real targets; -1 and +1 for a loss of margins.
        sample_weight : array-like of shape (n_samples,), optional
            A point of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, y = sample.read_training(self, X, y, y_numeric=True)
            y = np.asarray(y, dtype=np.float64)
            self._check_targets(y)
            weight = sample.read_weight(sample_weight, count(X))
            shortcoming = self._fit_function(X, y, weight)
        if shortcoming is not None:
            warnings.warn(shortcoming, ConvergenceWarning, stacklevel=2)
        return self

    def _weight_of_norm(self) -> float:
        """The lam of the fit at hand."""
        return self.lam

    def _check_targets(self, y: Vector) -> None:
        bad = np.flatnonzero(np.abs(y) != 1)
        if _answers_signs(self) and bad.size:
            raise ValueError(
                f"loss={self.loss!r} needs targets -1 and +1, but y[{bad[0]}] is {y[bad[0]]:g}: encode the "
                "classes, or use RLSClassifier or SVC."
            )

    def _fit_function(self, X: Any, y: Vector, weight: Vector) -> str | None:
        """Fit and store; returns what is missing, if anything is."""
        rows = np.flatnonzero(weight).astype(np.int32)
        kernel, _ = self._bind(X, weight)
        sample.check_kernel(kernel, X)
        wide = kernel + 1.0 if self.bias == "penalised" else kernel
        gram, y, w = wide.bind(X), y[rows], weight[rows]
        self.regularization_ = Regularization(self._weight_of_norm(), float(w.sum()))
        problem = self._program(y, self.regularization_.C * w)
        if problem is not None:
            c, b, shortcoming = self._by_program(problem, gram, rows)
        elif isinstance(self._loss, losses.Square):
            c, b, shortcoming = self._by_least_squares(gram, rows, y, w)
        else:
            c, b, shortcoming = self._by_gradient(gram, rows, y, w)
        support = np.flatnonzero(c)
        self._keep(X, kernel, rows[support])
        self._store_dual(c[None, support])
        self.intercept_ = np.array([c.sum() if self.bias == "penalised" else b])
        self._keep_objective(wide, X, rows, c, b, y, w)
        return shortcoming

    def _program(self, y: Vector, C: Vector) -> Problem | None:
        """The quadratic program of the losses that have one with a box."""
        loss, problem = self._loss, None
        if isinstance(loss, losses.Hinge):
            problem = problems.soft_margin(y, C)
        elif isinstance(loss, losses.Power) and loss.q == 2:
            problem = problems.squared_soft_margin(y, 2 * C)  # whose loss is half of the square
        elif isinstance(loss, losses.EpsilonInsensitive):
            problem = problems.epsilon_regression(y, C, loss.epsilon)
        return problem if problem is None or self.bias == "free" else problems.without_bias(problem)

    def _start(self, problem: Problem) -> Vector | None:
        """Where a solver begins, None for its own choice."""
        return None

    def _by_program(
        self, problem: Problem, gram: Any, rows: NDArray[np.int32]
    ) -> tuple[Vector, float, str | None]:
        solved = self._training(problem.size, gram.shape[0]).solve(
            problem.on(rows), gram, self._start(problem)
        )
        if solved.interruption is not None:
            raise solved.interruption
        solution = solved.solutions[0]
        c = problem.by_point(solution.alpha, rows.size)
        bias = float(solution.offsets[0]) if self.bias == "free" else 0.0
        if solution.kkt_violation <= self.tol:
            return c, bias, None
        return c, bias, self._says("the solver stopped", "KKT violation", solution.kkt_violation)

    def _by_least_squares(
        self, gram: Any, rows: NDArray[np.int32], y: Vector, w: Vector
    ) -> tuple[Vector, float, str | None]:
        bias = "free" if self.bias == "free" else "none"
        problem = LeastSquares(gram, rows, Frame(w, bias), None, self.n_jobs, self.tol)
        solver = choose_least_squares_solver(rows.size, None, False, cache_bytes(self.cache_size, rows.size))
        fitted = problem.fit(y[:, None], self.regularization_.ridge, solver, loo=False)
        c, b = fitted.coefficients[:, 0], float(fitted.intercept[0])
        if fitted.krylov is None or fitted.krylov.converged:
            return c, b, None
        return c, b, self._says("conjugate gradients stalled", "residual", fitted.krylov.residuals.max())

    def _by_gradient(
        self, gram: Any, rows: NDArray[np.int32], y: Vector, w: Vector
    ) -> tuple[Vector, float, str | None]:
        ridge, bias = self.regularization_.ridge, self.bias == "free"
        with blas_for(rows.size, self.n_jobs):
            found = minimize_smooth(self._loss, gram.block(rows, rows), y, w, ridge, bias=bias, tol=self.tol)
        if found.gap <= self.tol:
            return found.coefficients, found.intercept, None
        return (
            found.coefficients,
            found.intercept,
            self._says("the descent stopped", "relative gap", found.gap),
        )

    def _says(self, event: str, what: str, size: float) -> str:
        return (
            f"{type(self).__name__}: {event} with a {what} of {size:.2g} (tol={self.tol:g}): scale the data, "
            f"or {self._advice}."
        )

    def _training(self, size: int, n: int) -> Training:
        return Training(
            solver=choose_solver(None),
            tol=self.tol,
            cache_bytes=cache_bytes(self.cache_size, n),
            n_jobs=self.n_jobs,
            polish=size <= POLISHED_SIZE,
            max_iter=max(STEPS, STEPS_EACH * size),
        )

    def _keep_objective(
        self,
        kernel: kernels.Kernel,
        X: Any,
        rows: NDArray[np.int32],
        c: Vector,
        b: float,
        y: Vector,
        w: Vector,
    ) -> None:
        """Store 1/n sum w V + lam |f|^2 and its parts; the norm has a penalised bias in it."""
        precomputed = sample.is_precomputed(kernel)
        points = rows if precomputed else X[rows] if hasattr(X, "shape") else [X[i] for i in rows]
        at = X[rows] if precomputed else points
        expansion = Expansion(kernel, points, c[:, None], np.zeros(1))
        f = expansion(at, self.n_jobs)[:, 0]
        self.risk_ = float(w @ self._loss.value(f + b, y) / w.sum())
        square = float(c @ f) if precomputed else float(expansion.squared_norm()[0])
        if abs(square) <= ROUNDING * float(np.abs(c) @ np.abs(f)):
            square = max(square, 0.0)
        self.norm_ = float(np.sqrt(square)) if square >= 0 else np.nan
        self.objective_ = self.risk_ + self.regularization_.lam * square

    def decision_function(self, X: Any) -> Vector:
        """f at each row of X."""
        return self._values(X).ravel()

    def predict(self, X: Any) -> Vector:
        """-1 or +1 for a loss of margins, else f, at each row of X."""
        f = self.decision_function(X)
        return np.where(f >= 0, 1.0, -1.0) if _answers_signs(self) else f

    def score(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> float:
        """The share of right signs for a loss of margins, else the coefficient of determination R^2.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional

        Returns
        -------
        score : float
        """
        measure = accuracy_score if _answers_signs(self) else r2_score
        return float(measure(y, self.predict(X), sample_weight=sample_weight))
