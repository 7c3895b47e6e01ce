"""What all kernel machines share: reading data, solving, the certificate, and evaluating the expansion."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning, NotFittedError
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels
from widemargin.estimators import parameters, sample
from widemargin.estimators.by_weights import WhereItPays
from widemargin.estimators.training import (
    POLISHED_SIZE,
    Solved,
    Training,
    choose_solver,
    early_end,
    in_words,
    is_auto,
    worst_of,
)
from widemargin.expansion import Expansion
from widemargin.kernels.points import count, take
from widemargin.kernels.resolve import KERNEL_NAMES
from widemargin.memory import cache_bytes
from widemargin.problems import GROUNDED, Problem, Vector
from widemargin.solvers import Status


def _is_kernel(value: Any) -> bool:
    if isinstance(value, str):
        return value in KERNEL_NAMES
    return isinstance(value, kernels.Kernel) or (callable(value) and not isinstance(value, type))


@contextmanager
def all_or_nothing(estimator: Any) -> Iterator[None]:
    """A `fit` that fails leaves the estimator as it was."""
    before = vars(estimator).copy()
    try:
        yield
    except BaseException:
        vars(estimator).clear()
        vars(estimator).update(before)
        raise


def is_fitted(estimator: Any) -> bool:
    """Whether it can predict; one whose `fit` was interrupted may."""
    try:
        check_is_fitted(estimator)
    except NotFittedError:
        return False
    return True


def start_from(problem: Problem, coefficients: Vector) -> Vector:
    """A feasible start: each variable takes the part of its point's coefficient that fits its bounds."""
    a = np.where(problem.rows == GROUNDED, 0.0, coefficients[problem.rows])
    return problem.feasible_near(a)


class KernelMachine(BaseEstimator):
    """Base of all kernel machines.

    A machine builds its problems, has them solved by `Training`, and stores what makes up its expansion:
    `kernel_`, `support_`, `support_vectors_`, `dual_coef_` and `intercept_`. Predictions read nothing else.
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "kernel": parameters.Rule(f"one of {KERNEL_NAMES}, a kernel or a function", _is_kernel),
        "degree": parameters.count,
        "gamma": parameters.one_of("scale", "auto") | parameters.positive_and_finite,
        "coef0": parameters.finite,
        "tol": parameters.positive_and_finite,
        "shrinking": parameters.boolean,
        "cache_size": parameters.one_of("auto") | parameters.not_negative,
        "verbose": parameters.verbosity,
        "max_iter": parameters.limit,
        "max_time": parameters.none | parameters.not_negative,
        "callback": parameters.none | parameters.function,
        "n_jobs": parameters.none | parameters.jobs,
        "warm_start": parameters.boolean,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.pairwise = sample.is_precomputed(self.kernel)
        tags.input_tags.sparse = not tags.input_tags.pairwise
        return tags

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        choose_solver(self.solver)

    def _bind(self, X: Any, weight: Vector) -> tuple[kernels.Kernel, Any]:
        """The kernel and its matrix on X, which is borrowed."""
        kernel = sample.choose_kernel(
            self.kernel, X, weight, degree=self.degree, gamma=self.gamma, coef0=self.coef0
        )
        if sample.is_precomputed(kernel):
            sample.check_matrix(X)
        return kernel, kernel.bind(X)

    def _training(self, size: int, n: int) -> Training:
        """How a machine with so many variables in all is to be trained on so many points."""
        return Training(
            solver=choose_solver(self.solver),
            tol=self.tol,
            max_iter=self.max_iter,
            max_time=self.max_time,
            shrinking=bool(self.shrinking),
            cache_bytes=cache_bytes(self.cache_size, n),
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
            callback=self.callback,
            polish=is_auto(self.solver) and size <= POLISHED_SIZE,
        )

    def _training_on(self, size: int, X: Any) -> Training:
        """The same for these points, by weights where the kernel is linear and that pays."""
        training = self._training(size, count(X))
        if is_auto(self.solver) and sample.is_linear(self.kernel):
            return replace(training, solver=WhereItPays.of(training.solver, X))
        return training

    def _last_coefficients(self, n: int, columns: int) -> NDArray[np.float64] | None:
        """Where a warm start begins: the last fit's coefficients, shape (n, columns), if there was one."""
        if not self.warm_start or getattr(self, "shape_fit_", (None,))[0] != n:
            return None
        coefficients = self._coefficients()
        if coefficients.shape[1] != columns:
            return None
        everywhere = np.zeros((n, columns))
        everywhere[self.support_] = coefficients
        return everywhere

    def _keep(self, X: Any, kernel: kernels.Kernel, support: NDArray[np.integer]) -> None:
        """Store the support vectors and what predictions need of the kernel."""
        for name in ("compression_", "_shares_vectors"):  # if the machine before was a compressed one
            self.__dict__.pop(name, None)
        precomputed = sample.is_precomputed(kernel)
        self.kernel_ = kernel
        self.shape_fit_ = X.shape if hasattr(X, "shape") else (len(X),)
        self.support_ = support.astype(np.int32)
        self.support_vectors_ = np.empty((0, 0)) if precomputed else take(X, support)
        self._sparse = sp.issparse(X)

    def _note_solution(self, column: int, problem: Problem, solution: Any) -> None:
        """Machines that need more of a solution than its function take it here."""

    def _keep_prices(self, X: Any, weight: Vector, class_weight: Vector | float = 1.0) -> None:
        """Machines that can be differentiated store what that takes; class weights are by support vector."""

    def _keep_certificate(self, solved: Solved, count: int = 1) -> None:
        """Store what is proved of the first `count` solutions: sums over them, and the worst violation."""
        solutions = solved.solutions[:count]
        worst = worst_of(solutions)
        self.status_ = worst.status
        self.fit_status_ = int(worst.status is not Status.OPTIMAL)
        self.dual_objective_ = float(sum(each.dual_objective for each in solutions))
        self.primal_objective_ = float(sum(each.primal_objective for each in solutions))
        self.duality_gap_ = float(sum(each.duality_gap for each in solutions))
        self.kkt_violation_ = float(max(each.kkt_violation for each in solutions))
        self.kernel_evaluations_ = solved.kernel_evaluations
        traces = [each.trace for each in solutions]
        self.__dict__.pop("trace_", None)
        if any(trace is not None for trace in traces):
            self.trace_ = traces[0] if len(traces) == 1 else traces

    def _conclude(self, solved: Solved) -> None:
        """After the model is stored: say what is missing, and pass on a Ctrl-C."""
        if solved.interruption is not None:
            raise solved.interruption
        worst = solved.worst
        if (end := early_end(self, worst.status)) is not None:
            warnings.warn(self._sentence(worst, *end), ConvergenceWarning, stacklevel=3)

    def _sentence(self, solution: Any, event: str, remedy: str) -> str:
        """That an event has ended the fit early, and what may help."""
        price = ", or lower C" if hasattr(self, "C") else ""
        again = "; with warm_start=True the next fit goes on from here"
        return (
            f"{type(self).__name__} {event} with {in_words(solution.kkt_violation)} "
            f"(tol={self.tol:g}): scale the data (StandardScaler or MinMaxScaler), {remedy}{price}"
            f"{again if hasattr(self, 'warm_start') else ''}."
        )

    def _coefficients(self) -> NDArray[np.float64]:
        """Coefficients of the support vectors, one column per function."""
        coefficients = self._expand(self._dense_dual())
        return coefficients.toarray() if sp.issparse(coefficients) else coefficients

    def _expand(self, dual: NDArray[np.float64]) -> Any:
        """The columns of coefficients, in an array or a CSR array, that rows of `dual_coef_` stand for."""
        return dual.T

    def _dense_dual(self) -> NDArray[np.float64]:
        dual: Any = self.dual_coef_
        return dual.toarray() if sp.issparse(dual) else dual

    def _values(self, X: Any) -> NDArray[np.float64]:
        """The expansion at the rows of X, shape (n_rows, n_functions)."""
        check_is_fitted(self)
        X = sample.read_prediction(self, X)
        return self._expansion(X)(X, self.n_jobs)

    def _expansion(self, X: Any = None) -> Expansion:
        """What the machine computes; points of a precomputed kernel are columns of X, or all of them."""
        points = self.support_vectors_
        if sample.is_precomputed(self.kernel_):
            # Where all points are support vectors, the columns are those of the training points.
            alone = X is not None and X.shape[1] == self.support_.size != self.shape_fit_[0]
            points = np.arange(self.support_.size) if alone else self.support_
        coefficients = self._expand(self._dense_dual())
        if not sp.issparse(coefficients):
            coefficients = np.ascontiguousarray(coefficients)
        return Expansion(self.kernel_, points, coefficients, self.intercept_)

    def _store_dual(self, dual: NDArray[np.float64]) -> None:
        """Coefficients by row, sparse if the data are."""
        self.dual_coef_ = sp.csr_matrix(dual) if self._sparse else dual

    @property
    def coef_(self) -> Any:
        """Weights of the features, for the linear kernel only."""
        check_is_fitted(self)
        if not sample.is_linear(self.kernel):
            raise AttributeError("coef_ is only available when using a linear kernel")
        coef = self._coefficients().T @ self.support_vectors_
        if self._sparse:
            coef = sp.csr_matrix(coef)
            coef.data.flags.writeable = False
        else:
            coef.flags.writeable = False
        return coef


class SingleMachine(KernelMachine):
    """A machine of one problem and one function, on real targets or on none.

    A sub-class states its problem (`_problem`) and stores what it reads off the solution (`_keep_function`).
    """

    def _problem(self, y: Any, weight: Vector, diagonal: Callable[[], Vector]) -> Problem:
        """The problem of points with these targets, positive weights and diagonal of the Gram."""
        raise NotImplementedError

    def _keep_function(self, problem: Problem, solution: Any) -> None:
        """Store the intercept and what else the multipliers say."""
        raise NotImplementedError

    def _fit(self, X: Any, y: Vector | None, sample_weight: Any) -> Solved:
        n = count(X)
        weight = sample.read_weight(sample_weight, n)
        rows = np.flatnonzero(weight).astype(np.int32)
        kernel, gram = self._bind(X, weight)
        targets = None if y is None else y[rows]
        problem = self._problem(targets, weight[rows], lambda: gram.diagonal()[rows]).on(rows)
        last = self._last_coefficients(n, 1)
        start = None if last is None else start_from(problem, last[:, 0])
        solved = self._training_on(problem.size, X).solve(problem, gram, start)
        solution = solved.solutions[0]
        coefficients = problem.by_point(solution.alpha, n)
        support = np.flatnonzero(coefficients)
        self._keep(X, kernel, support)
        self._store_dual(coefficients[None, support])
        self._keep_function(problem, solution)
        self._note_solution(0, problem, solution)
        self._keep_prices(X, weight)
        self._keep_certificate(solved)
        self.n_iter_ = int(solution.iterations)
        self.n_support_ = np.array([support.size], dtype=np.int32)
        return solved
