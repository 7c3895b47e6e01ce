"""What RLSClassifier and RLSRegressor share."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine
from widemargin.estimators.centre_choice import APPROXIMATIONS, are_points, centres_rule
from widemargin.estimators.chunks import Chunk, ChunkReader
from widemargin.estimators.low_rank_machine import LowRankMachine
from widemargin.estimators.survey import Survey
from widemargin.kernels.points import count, take
from widemargin.least_squares import (
    BIASES,
    SOLVERS,
    Frame,
    LeastSquares,
    LeastSquaresFit,
    Ridge,
    Rows,
    choose_solver,
)
from widemargin.memory import cache_bytes
from widemargin.problems import Vector
from widemargin.regularization import Regularization

Matrix = NDArray[np.float64]

GAMMA_STEPS = (4.0, 2.0, 2.0**0.5)
"""Factors between the values of gamma that are tried, round by round."""

GAMMA_REACH = 3
"""Steps to either side in the first round."""

GAMMA_ROWS, FEWEST_GAMMA_ROWS = 1000, 100
"""Of more points so many judge over gamma: to choose it costs a second or two, however many there are. Where
there is no room for a few of them, gamma is not chosen unless that was asked for."""

POINT_BYTES = 12
"""Leave-one-out of n points takes n^2 times as much."""

REGULARIZERS = ("norm", "coefficients")

WITH_GAMMA = ("rbf", "poly", "sigmoid", "laplacian")


class LeastSquaresMachine(LowRankMachine):
    """A machine of one linear system; a sub-class turns its targets into columns (`_fit_columns`)."""

    _rules: ClassVar[dict[str, parameters.Rule]] = {
        name: rule
        for name, rule in KernelMachine._rules.items()
        if name in ("kernel", "degree", "coef0", "tol", "cache_size", "max_iter", "n_jobs", "verbose")
    } | {
        "gamma": parameters.none | parameters.one_of("scale", "auto", "loo") | parameters.positive_and_finite,
        "lam": parameters.one_of("loo") | parameters.positive_and_finite | parameters.positive_numbers,
        "bias": parameters.one_of(*BIASES),
        "solver": parameters.one_of("auto", *SOLVERS),
        "leave_one_out": parameters.one_of("auto") | parameters.boolean,
        "centres": centres_rule,
        "regularizer": parameters.one_of(*REGULARIZERS),
        "approximation": parameters.one_of(*APPROXIMATIONS),
    }

    def _check_parameters(self) -> None:
        parameters.check(self, self._rules)
        if self.solver == "primal" and not sample.is_linear(self.kernel):
            raise ValueError(f"solver='primal' needs a linear kernel, not kernel={self.kernel!r}.")
        if self.solver == "cg" and self._chooses_lam:
            raise ValueError("solver='cg' cannot choose lam by leave-one-out: give lam a number.")
        if self.gamma == "loo" and not self._kernel_has_gamma:
            raise ValueError(
                f"gamma='loo' needs a kernel by name that has a gamma, one of {', '.join(WITH_GAMMA)}, not "
                f"kernel={self.kernel!r}: give gamma another value."
            )
        if self.solver == "cg" and self.gamma == "loo":
            raise ValueError("solver='cg' cannot choose gamma by leave-one-out: give gamma a number.")
        if self.solver == "cg" and self.leave_one_out is True:
            raise ValueError("solver='cg' has no leave-one-out: use another solver, or leave_one_out='auto'.")
        self._check_centres()
        self._check_regularizer()

    def _fit_columns(self, X: Any, Y: Matrix, copies: Vector, price: Vector | None = None) -> None:
        """Fit the columns of Y and store everything but what is special to regression or classes.

        The weight of a point is the number of its copies times its price.
        """
        weight = copies if price is None else copies * price
        rows = np.flatnonzero(weight).astype(np.int32)
        self._check_points(X)
        centres = None if self.centres is None else self._choose_centres(X, rows, weight)
        if self.approximation == "subset" and centres is not None:
            rows, centres = np.sort(centres), None
        if self.regularizer == "coefficients" and centres is None:
            centres = rows
        if self.bias == "free" and rows.size < 2:
            raise ValueError(
                "bias='free' needs at least two samples of positive weight, but there is 1 sample."
            )
        frame, targets = Frame(weight[rows], self.bias, copies[rows]), Y[rows]
        kernel, fitted = self._fit_best(X, rows, frame, targets, weight, centres)
        sample.check_kernel(kernel, X)
        self._keep_points(X, kernel, rows if centres is None else centres, fitted)
        self._keep_fit(fitted, frame.total)
        self._keep_leave_one_out(X, rows, targets, fitted, Y)
        if self._left_out is not None:
            self._keep_errors(self._left_out, Y, weight)

    def _check_points(self, X: Any) -> None:
        if sample.is_precomputed(self.kernel):
            sample.check_matrix(X)

    def _keep_errors(self, left_out: Matrix, Y: Matrix, weight: Vector) -> None:
        """Store residuals and the error of leave-one-out."""
        raise NotImplementedError

    def _fit_best(
        self, X: Any, rows: NDArray[np.int32], frame: Frame, Y: Matrix, weight: Vector, centres: Any
    ) -> tuple[kernels.Kernel, LeastSquaresFit]:
        """The kernel and its fit."""
        if self._chooses_gamma:  # what cannot be done is not searched for first
            if centres is None:
                self._full_solver(rows.size, None, self._ridge(frame.total), loo=self.gamma == "loo")
            else:
                self._low_rank_solver(count(centres), loo=self.gamma == "loo")
        gamma = self._best_gamma(X, rows, frame, Y, weight, centres) if self._chooses_gamma else self.gamma
        kernel = self._choose_kernel(X, weight, gamma)
        return kernel, self._fit_kernel(kernel, X, rows, frame, Y, centres, loo=self.gamma == "loo")

    @property
    def _kernel_has_gamma(self) -> bool:
        return isinstance(self.kernel, str) and self.kernel in WITH_GAMMA

    @property
    def _chooses_gamma(self) -> bool:
        return self.gamma == "loo" or (self.gamma is None and self._kernel_has_gamma and self.solver != "cg")

    def _best_gamma(
        self, X: Any, rows: NDArray[np.int32], frame: Frame, Y: Matrix, weight: Vector, centres: Any
    ) -> float:
        """The gamma of the least leave-one-out error, each with its best lam."""
        judges = min(GAMMA_ROWS, math.isqrt(cache_bytes(self.cache_size, rows.size) // POINT_BYTES))
        errors: dict[float, float] = {}
        best = sample.choose_gamma("scale", X, weight)
        if self.gamma is None and judges < min(rows.size, FEWEST_GAMMA_ROWS):
            return best
        if rows.size > judges:
            some = np.sort(np.random.default_rng(0).choice(rows.size, max(judges, 2), replace=False))
            rows, Y, frame = rows[some], Y[some], frame.part(some)
        if centres is not None and (count(centres) > judges or not self._is_direct(count(centres))):
            centres = rows if self.regularizer == "coefficients" else None
        for step in GAMMA_STEPS:
            reach = GAMMA_REACH if step == GAMMA_STEPS[0] else 1
            for gamma in [best * step**k for k in range(-reach, reach + 1)]:
                if gamma not in errors:
                    kernel = self._choose_kernel(X, weight, gamma)
                    fitted = self._fit_kernel(kernel, X, rows, frame, Y, centres, loo=True)
                    errors[gamma] = _loo_error(fitted)
            best = min(errors, key=errors.__getitem__)
        return best

    def _fit_kernel(
        self,
        kernel: kernels.Kernel,
        X: Any,
        rows: NDArray[np.int32],
        frame: Frame,
        Y: Matrix,
        centres: Any = None,
        loo: bool = False,
    ) -> LeastSquaresFit:
        if centres is not None:
            return self._fit_at_centres(kernel, X, centres, rows, frame, Y, loo)
        n = rows.size
        linear = None
        if sample.is_linear(kernel):
            linear = X if n == count(X) else take(X, rows)
            linear = linear if linear.dtype == np.float64 else linear.astype(np.float64)
        ridge = self._ridge(frame.total)
        solver = self._full_solver(n, linear, ridge, loo)
        wanted = self._wants_leave_one_out(n)
        problem = LeastSquares(kernel.bind(X), rows, frame, linear, self.n_jobs, self.tol, self.max_iter)
        self.solver_ = solver
        return problem.fit(Y, ridge, solver, loo or wanted or solver == "primal")

    def _full_solver(self, n: int, linear: Any, ridge: Ridge, loo: bool) -> str:
        """The solver for n points, all of which are centres."""
        solver = self.solver
        if solver == "auto":
            values = ridge.size if isinstance(ridge, np.ndarray) else 0
            budget = cache_bytes(self.cache_size, n)
            solver = choose_solver(n, linear, self._chooses_lam, budget, values)
        if solver == "cg" and (self._chooses_lam or loo or self.leave_one_out is True):
            raise ValueError(
                f"cache_size is too small for leave-one-out: a fit of {n} points takes "
                f"{_megabytes(POINT_BYTES * n * n)}; raise cache_size, take fewer centres (centres=1000), or "
                "do without (numbers for lam and gamma)."
            )
        return solver

    def _keep_points(self, X: Any, kernel: kernels.Kernel, support: Any, fitted: LeastSquaresFit) -> None:
        """Store the points of the function, rows of X or given; a linear function does without."""
        given, nothing = are_points(support), np.empty(0, dtype=np.int32)
        self._keep(X, kernel, nothing if given or fitted.weights is not None else support)
        self.support_ = nothing if given else support
        if given:
            self.support_vectors_ = support

    def _keep_fit(self, fitted: LeastSquaresFit, total: float) -> None:
        self.dual_coef_ = np.ascontiguousarray(fitted.coefficients.T)
        self.intercept_ = np.asarray(fitted.intercept, dtype=np.float64)
        self._weights = np.ascontiguousarray(fitted.weights.T) if fitted.weights is not None else None
        regularization = Regularization.from_ridge(fitted.ridge, total)
        self.lam_, self.ridge_ = regularization.lam, regularization.ridge
        self.n_iter_ = 1 if fitted.krylov is None else max(1, fitted.krylov.iterations)
        for name in ("lam_path_", "loo_path_"):
            self.__dict__.pop(name, None)
        if fitted.path is not None:
            self.lam_path_, self.loo_path_ = fitted.path.ridges / total, fitted.path.errors
        self._residual = 0.0 if fitted.krylov is None else float(fitted.krylov.residuals.max(initial=0.0))
        self._converged = fitted.krylov is None or fitted.krylov.converged
        self._stalled = fitted.krylov is not None and fitted.krylov.stalled

    def _keep_leave_one_out(
        self, X: Any, rows: NDArray[np.int32], targets: Matrix, fitted: LeastSquaresFit, Y: Matrix
    ) -> None:
        """Leave-one-out values of all points; to leave out a point of weight 0 changes nothing."""
        self._left_out: Matrix | None = None
        self._gcv = None
        if fitted.loo is None:
            return
        values = np.empty_like(Y)
        values[rows] = targets - fitted.loo.residuals
        others = np.setdiff1d(np.arange(len(Y)), rows)
        if others.size:
            values[others] = self._evaluate(take(X, others))
        self._left_out, self._gcv = values, fitted.loo.gcv

    def _fit_chunks(
        self,
        reader: ChunkReader,
        survey: Survey,
        targets: Callable[[Chunk], Matrix],
        prices: Any,
        total: float,
    ) -> None:
        """Fit data that come in chunks and have been surveyed.

        Parameters
        ----------
        targets : function
            From a chunk to its columns of Y.
        prices : function
            From a chunk to the factors of its weights, 1 for none.
        total : float
            The sum of all weights.
        """

        def read() -> Iterator[Rows]:
            for chunk in reader:
                yield Rows(chunk.X, targets(chunk), chunk.weight * prices(chunk), chunk.weight)

        kernel, points, fitted = self._fit_survey(survey, read, total)
        self.kernel_, self.shape_fit_, self._sparse = kernel, (survey.n, survey.d), survey.sparse
        self.support_ = survey.rows
        self.support_vectors_ = points if fitted.weights is None else points[:0]
        self._keep_fit(fitted, total)
        self._left_out, self._gcv = None, None
        if fitted.loo is not None:
            parts = zip(*((rows.Y, rows.weight) for rows in read()), strict=True)
            Y, weight = (np.concatenate(part) for part in parts)
            self._left_out, self._gcv = Y - fitted.loo.residuals, fitted.loo.gcv
            self._keep_errors(self._left_out, Y, weight)

    def _conclude_least_squares(self) -> None:
        if not self._converged:
            why, remedy = (
                ("stalled", "raise lam or tol, or scale the data")
                if self._stalled
                else (f"stopped at max_iter={self.max_iter}", "raise max_iter, lam or tol")
            )
            warnings.warn(
                f"{type(self).__name__}: conjugate gradients {why} with a relative residual of "
                f"{self._residual:.2g} (tol={self.tol:g}): {remedy}.",
                ConvergenceWarning,
                stacklevel=3,
            )

    def _evaluate(self, X: Any) -> Matrix:
        """The functions at valid points, shape (n_rows, n_outputs)."""
        if self._weights is not None:
            return np.asarray(X @ self._weights.T) + self.intercept_
        return self._expansion(X)(X, self.n_jobs)

    def _values(self, X: Any) -> Matrix:
        check_is_fitted(self)
        return self._evaluate(sample.read_prediction(self, X))

    def _all_left_out(self, name: str) -> Matrix:
        check_is_fitted(self)
        if self._left_out is None:
            how = "is not available with conjugate gradients" if self.solver_ == "cg" else "was not computed"
            raise AttributeError(f"{name} {how}: fit with leave_one_out=True and a solver that is not 'cg'.")
        return self._left_out

    @property
    def gcv_(self) -> float:
        """The error by generalised cross-validation."""
        self._all_left_out("gcv_")
        return float(self._gcv)  # type: ignore[arg-type]

    @property
    def coef_(self) -> Matrix:
        """Weights of the features, for the linear kernel only."""
        check_is_fitted(self)
        if self._weights is None:
            raise AttributeError("coef_ is only available when using a linear kernel")
        return self._weights


def _loo_error(fitted: LeastSquaresFit) -> float:
    assert fitted.loo is not None
    return fitted.loo.error


def _megabytes(size: int) -> str:
    megabytes = size / 2**20
    return f"{megabytes:.0f} MB" if megabytes >= 10 else f"{megabytes:.2g} MB"
