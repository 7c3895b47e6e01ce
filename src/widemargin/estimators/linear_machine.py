"""What machines with a weight per feature share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any, ClassVar, NamedTuple

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.base import BaseEstimator
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels, problems
from widemargin.estimators import parameters, sample
from widemargin.estimators.by_weights import ByWeights
from widemargin.estimators.training import POLISHED_SIZE, Job, Solve, Solved, Training, early_end
from widemargin.kernels.points import combine, count
from widemargin.problems import Problem, Vector
from widemargin.solvers import LinearDescent, Solution

LARGEST = 1e50
"""Of larger entries the products that steps of Newton and their losses have in them overflow."""


def refuse_overflow(X: Any) -> None:
    """Raise a ValueError if X has entries that are too large to be multiplied with each other."""
    entries = X.data if sp.issparse(X) else X
    largest = max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0)))
    if largest > LARGEST:
        raise ValueError(
            f"X has entries as large as {largest:.2g}, whose products overflow: scale X (StandardScaler or "
            "MaxAbsScaler)."
        )


def _free_intercept(problem: Problem, solution: Solution, X: Any, w: Vector) -> float:
    """The offset that gives the function, on the average, the values that the solver has seen.

    Far from the origin, another rounding of w would show in them.
    """
    b = float(solution.offsets[0])
    if sp.issparse(X) or not solution.exact:
        return b
    ridge = 0.0 if problem.ridge is None else problem.ridge
    seen = problem.linear - ridge * solution.alpha - solution.gradient
    shares = np.bincount(problem.rows, minlength=len(X)) / problem.size
    return b + float(seen.mean() - combine(X, shares) @ w)


class Weights(NamedTuple):
    """A function x -> <w, x> + b."""

    w: NDArray[np.float64]
    b: float


class LinearMachine(BaseEstimator):
    """A machine of functions with a weight per feature, each the solution of a problem of its own."""

    kernel: ClassVar[str] = "linear"

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        "C": parameters.positive_and_finite,
        "tol": parameters.positive_and_finite,
        "fit_intercept": parameters.boolean,
        "bias": parameters.one_of("free", "penalised"),
        "intercept_scaling": parameters.positive_and_finite,
        "max_iter": parameters.limit,
        "max_time": parameters.none | parameters.not_negative,
        "n_jobs": parameters.none | parameters.jobs,
        "verbose": parameters.verbosity,
    }

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    @property
    def _is_free(self) -> bool:
        return bool(self.fit_intercept) and self.bias == "free"

    @property
    def _constant(self) -> float:
        """The coordinate that stands for a penalised intercept."""
        return float(self.intercept_scaling) if self.fit_intercept and self.bias == "penalised" else 0.0

    def _seed(self) -> int:
        return 0 if self.random_state is None else int(check_random_state(self.random_state).randint(2**31))

    def _solve_columns(
        self, X: Any, sizes: Sequence[int], problem_of: Callable[[int], Problem]
    ) -> tuple[Solved, list[Weights]]:
        """Solve the problems, each stated in its turn, and read off the functions."""
        refuse_overflow(X)
        found: dict[int, Weights] = {}
        solver = LinearDescent(stopping="relative-gap", seed=self._seed())

        def work(k: int, solve: Solve) -> Solution:
            problem = problem_of(k)
            solution = solve(problem if self._is_free else problems.without_bias(problem), None)
            found[k] = self._function(X, problem, solution)
            return solution.summary()

        training = self._training(ByWeights(solver, X, {"constant": self._constant}), sum(sizes))
        jobs = [Job(size, partial(work, k)) for k, size in enumerate(sizes)]
        solved = training.run(jobs, kernels.Linear().bind(X))
        return solved, [found[k] for k in range(len(jobs))]

    def _function(self, X: Any, problem: Problem, solution: Solution) -> Weights:
        """The weights of the certificate, or those of the variables if there is none."""
        if solution.weights is not None:
            w, of_constant = solution.weights[:-1], solution.weights[-1]
        else:
            coefficients = problem.by_point(solution.alpha[: problem.size], count(X))
            w, of_constant = combine(X, coefficients), self._constant * coefficients.sum()
        if self._is_free:
            return Weights(w, _free_intercept(problem, solution, X, w))
        return Weights(w, self._constant * of_constant)

    def _training(self, solver: Any, size: int) -> Training:
        """How a machine with so many variables in all is to be trained."""
        return Training(
            solver=solver,
            tol=self.tol,
            max_iter=self.max_iter,
            max_time=self.max_time,
            cache_bytes=0,
            n_jobs=self.n_jobs,
            verbose=bool(self.verbose),
            polish=size <= POLISHED_SIZE,
        )

    def _keep_certificate(self, solved: Solved) -> None:
        self.status_ = solved.worst.status
        self.dual_objective_ = float(sum(each.dual_objective for each in solved.solutions))
        self.primal_objective_ = float(sum(each.primal_objective for each in solved.solutions))
        self.duality_gap_ = float(sum(each.duality_gap for each in solved.solutions))
        self.n_iter_ = int(max(each.iterations for each in solved.solutions))

    def _conclude(self, solved: Solved) -> None:
        """After the model is stored: say what is missing, and pass on a Ctrl-C."""
        if solved.interruption is not None:
            raise solved.interruption
        if (end := early_end(self, self.status_)) is not None:
            event, remedy = end
            warnings.warn(
                f"{type(self).__name__} {event} with a duality gap of {self.duality_gap_:.2g} "
                f"(primal value {self.primal_objective_:.4g}, tol={self.tol:g}): scale the data "
                f"(StandardScaler or MaxAbsScaler), {remedy}, or lower C.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _values(self, X: Any) -> NDArray[np.float64]:
        """The functions at the rows of X, a column for each."""
        check_is_fitted(self)
        X = sample.read_prediction(self, X)
        return np.asarray(X @ np.atleast_2d(self.coef_).T + self.intercept_)
