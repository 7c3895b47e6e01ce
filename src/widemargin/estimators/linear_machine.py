"""What machines with a weight per feature share."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Sequence
from functools import partial
from textwrap import indent
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
from widemargin.estimators.training import POLISHED_SIZE, Job, Solve, Solved, Training
from widemargin.kernels.points import combine, count
from widemargin.problems import Problem
from widemargin.solvers import LinearDescent, Solution, Status

LARGEST = 1e50
"""Of larger entries the products that steps of Newton and their losses have in them overflow."""

COMMON = {
    "linear parameters": """\
tol : float, default=1e-4
    Stop when the duality gap is at most so much of the primal value: no weights have a value that is smaller
    by more than this part.
fit_intercept : bool, default=True
    Whether there is an intercept b.
bias : {"free", "penalised"}, default="free"
    A free intercept costs nothing, so that the machine is that of `SVC` and `SVR` with a linear kernel, and
    moving all points moves nothing but b. A penalised one is that of scikit-learn: its square, divided by
    that of `intercept_scaling`, is part of |w|^2.
intercept_scaling : float, default=1.0
    For a penalised intercept: the feature that is constant.
max_iter : int, default=-1
    Sweeps and Newton steps allowed; -1 for no limit.
max_time : float, optional
    Seconds allowed for the fit.
random_state : int, RandomState instance or None, default=None
    Of the orders in which sweeps meet the points; None is 0.
n_jobs : int, optional
    Threads for the classes of a fit, as for `SVC`; None is all that this process may use.
verbose : bool or int, default=False
    Whether to say how far the fit is, by `logging` (logger "widemargin").""",
    "linear attributes": """\
n_iter_ : int
    Sweeps and Newton steps; the most of all classes.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
dual_objective_, primal_objective_, duality_gap_ : float
    The values reached and their difference, which bounds the distance to the optimum; sums over the classes.
status_ : Status
    How the fit ended; ``status_.sentence`` says it in words.""",
}


def linearly_documented(machine: type[Any]) -> type[Any]:
    """Put the sections that linear machines have in common in place of their names <...>."""
    for name, section in COMMON.items():
        machine.__doc__ = (machine.__doc__ or "").replace(f"    <{name}>", indent(section, "    "))
    return machine


def refuse_overflow(X: Any) -> None:
    """Raise a ValueError if X has entries that are too large to be multiplied with each other."""
    entries = X.data if sp.issparse(X) else X
    largest = max(float(entries.max(initial=0.0)), -float(entries.min(initial=0.0)))
    if largest > LARGEST:
        raise ValueError(
            f"X has entries as large as {largest:.2g}, whose products overflow: scale X (StandardScaler or "
            "MaxAbsScaler)."
        )


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
        n, found = count(X), dict[int, Weights]()
        solver = LinearDescent(stopping="relative-gap", seed=self._seed())

        def work(k: int, solve: Solve) -> Solution:
            problem = problem_of(k)
            solution = solve(problem if self._is_free else problems.without_bias(problem), None)
            coefficients = problem.by_point(solution.alpha[: problem.size], n)
            w = combine(X, coefficients)
            b = float(solution.offsets[0]) if self._is_free else self._constant**2 * coefficients.sum()
            found[k] = Weights(w, b)
            return solution.summary()

        training = self._training(ByWeights(solver, X, {"constant": self._constant}), sum(sizes))
        jobs = [Job(size, partial(work, k)) for k, size in enumerate(sizes)]
        solved = training.run(jobs, kernels.Linear().bind(X))
        return solved, [found[k] for k in range(len(jobs))]

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
        limits = {
            Status.MAX_ITERATIONS: (f"stopped at max_iter={self.max_iter}", "raise max_iter"),
            Status.MAX_TIME: (f"stopped at max_time={self.max_time} s", "raise max_time"),
            Status.STALLED: ("stopped where round-off ends all progress", "raise tol"),
        }
        if self.status_ in limits:
            event, remedy = limits[self.status_]
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
