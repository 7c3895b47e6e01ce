"""What least-squares machines do whose functions have coefficients at some centres only."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import replace
from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import kernels
from widemargin.estimators import sample
from widemargin.estimators.base import KernelMachine
from widemargin.estimators.centre_choice import are_points, check_count, read_centres, rule_of
from widemargin.estimators.chunks import Chunk, ChunkReader
from widemargin.estimators.survey import Survey
from widemargin.estimators.training import visible_messages
from widemargin.kernels.points import count, take
from widemargin.least_squares import (
    Basis,
    Coordinates,
    Frame,
    LeastSquaresFit,
    Ridge,
    Rows,
    Stream,
    columns_of,
    fit_low_rank,
    fit_stream,
    fit_stream_by_products,
)
from widemargin.memory import cache_bytes
from widemargin.problems import Vector
from widemargin.regularization import Regularization
from widemargin.threads import blas_for

__all__ = ["LowRankMachine"]

logger = logging.getLogger("widemargin")

Matrix = NDArray[np.float64]

LEAVE_ONE_OUT_SIZE = 4000
"""Up to this many points the leave-one-out residuals are computed without being asked for."""

DIRECT_CENTRES = 4000
"""Up to this many centres the normal equations are formed; for more, conjugate gradients take less time."""

FEATURE_BYTES, LEAST_BYTES = 16, 2**20
"""An entry of K_nm in memory and its copy in a frame; a megabyte is always granted."""

REPORT_SECONDS = 1.0
"""Between two messages on progress."""


class LowRankMachine(KernelMachine):
    """A least-squares machine that may have centres."""

    def _check_regularizer(self) -> None:
        if self.regularizer == "coefficients" and self.solver in ("primal", "cg"):
            raise ValueError(
                f"regularizer='coefficients' cannot be solved by solver={self.solver!r}: take solver='auto'."
            )

    def _check_centres(self) -> None:
        if self.centres is None:
            return
        if self.solver == "primal":
            raise ValueError("solver='primal' does without centres: use another solver, or centres=None.")
        if are_points(self.centres) and self.approximation == "subset":
            raise ValueError(
                "approximation='subset' needs centres among the samples: give their rows, or a number."
            )
        if are_points(self.centres) and sample.is_precomputed(self.kernel):
            raise ValueError(
                "centres of a precomputed kernel cannot be points: give rows of samples, or a number."
            )

    def _choose_kernel(self, X: Any, weight: Vector, gamma: Any) -> kernels.Kernel:
        return sample.choose_kernel(self.kernel, X, weight, degree=self.degree, gamma=gamma, coef0=self.coef0)

    def _choose_centres(self, X: Any, rows: NDArray[np.int32], weight: Vector) -> Any:
        """Rows of X, or points that were given; a gamma that is still to be chosen is taken to be "scale"."""
        if are_points(self.centres):
            return read_centres(self.centres, X.shape[1])
        rule = rule_of(self.centres)
        check_count(rule, rows.size)
        kernel = self._choose_kernel(X, weight, "scale" if self.gamma in (None, "loo") else self.gamma)
        return rows[rule.choose(kernel.bind(X), rows, self.n_jobs)]

    def _fit_at_centres(
        self,
        kernel: kernels.Kernel,
        X: Any,
        centres: Any,
        rows: NDArray[np.int32],
        frame: Frame,
        Y: Matrix,
        loo: bool,
    ) -> LeastSquaresFit:
        """The machine with coefficients at the centres: in memory, or over blocks of rows if too large."""
        if are_points(centres):
            gram, columns = kernel.bind(X, centres), np.arange(count(centres), dtype=np.int32)
            basis = self._basis(kernel, centres)
        else:
            gram, columns = kernel.bind(X), centres
            basis = self._basis_of(gram, columns)

        def values(some: NDArray[np.int32]) -> Matrix:
            return columns_of(gram, some, columns, self.n_jobs)

        solver = self._low_rank_solver(basis.size, loo)
        room = max(cache_bytes(self.cache_size, rows.size), LEAST_BYTES)
        wanted = loo or self._wants_leave_one_out(rows.size)
        if solver != "cg" and FEATURE_BYTES * rows.size * basis.size <= room:
            K = values(rows)
            with blas_for(basis.size, self.n_jobs):
                fitted = fit_low_rank(K, basis, Y, frame, self._ridge(frame.total), wanted)
        else:
            whole = Rows(rows, Y, frame.weight, frame.copies)
            stream = Stream(
                lambda: iter([whole]), rows.size, values, basis, self.bias, self._watch(rows.size)
            )
            fitted = self._fit_stream(stream, self._ridge(frame.total), solver, wanted)
        points = centres if are_points(centres) else take(X, centres)
        return _with_weights(fitted, kernel, points)

    def _basis(self, kernel: kernels.Kernel, points: Any) -> Basis | Coordinates:
        return self._basis_of(kernel.bind(points), np.arange(count(points), dtype=np.int32))

    def _basis_of(self, gram: Any, centres: NDArray[np.int32]) -> Basis | Coordinates:
        if self.regularizer == "coefficients":
            return Coordinates(centres.size)
        return Basis(columns_of(gram, centres, centres, self.n_jobs))

    @property
    def _chooses_lam(self) -> bool:
        return not isinstance(self.lam, Real)

    def _ridge(self, total: float) -> Ridge:
        if isinstance(self.lam, str):
            return None
        if self._chooses_lam:
            return np.array([Regularization(float(lam), total).ridge for lam in np.unique(self.lam)])
        return float(Regularization(self.lam, total).ridge)

    def _wants_leave_one_out(self, n: int) -> bool:
        """Whether to compute the residuals though no choice of lam or gamma needs them."""
        return bool(self.leave_one_out if self.leave_one_out != "auto" else n <= LEAVE_ONE_OUT_SIZE)

    def _is_direct(self, m: int) -> bool:
        return m <= DIRECT_CENTRES or self.regularizer == "coefficients"

    def _low_rank_solver(self, m: int, loo: bool = False) -> str:
        solver = self.solver
        if solver == "auto":
            direct = "eigen" if self._chooses_lam else "cholesky"
            solver = direct if self._is_direct(m) else "cg"
        if solver == "cg" and (self._chooses_lam or loo or self.leave_one_out is True):
            raise ValueError(
                f"{m} centres are solved for by conjugate gradients, which have no leave-one-out: give lam "
                f"and gamma numbers and leave_one_out='auto', or take at most {DIRECT_CENTRES} centres."
            )
        self.solver_ = solver
        return solver

    def _fit_stream(self, stream: Stream, ridge: Ridge, solver: str, loo: bool) -> LeastSquaresFit:
        with visible_messages() if self.verbose else nullcontext():
            if solver != "cg":
                return fit_stream(stream, ridge, loo)
            assert isinstance(ridge, float)
            return fit_stream_by_products(stream, ridge, self.tol, self.max_iter)

    def _watch(self, n: int) -> Callable[[str, int], None]:
        return _RowWatch(n) if self.verbose else lambda _, __: None

    def _survey(self, reader: ChunkReader, look: Callable[[Chunk], None] = lambda _: None) -> Survey:
        """Read all chunks once: their number of rows, their spread, and rows to choose centres from."""
        if self.centres is None:
            raise ValueError("fit_chunks needs centres: set centres to a number, such as 1000.")
        if self.approximation == "subset":
            raise ValueError("approximation='subset' needs no chunks: fit on some of the rows.")
        if sample.is_precomputed(self.kernel):
            raise ValueError("fit_chunks needs points: a precomputed kernel has none.")
        if self.gamma == "loo":
            raise ValueError("fit_chunks cannot choose gamma by leave-one-out: give gamma a number.")
        rule = None if are_points(self.centres) else rule_of(self.centres)
        if rule is not None:
            self._low_rank_solver(rule.size)
        else:
            self._low_rank_solver(count(read_centres(self.centres, np.shape(self.centres)[-1])))
        survey = Survey(rule)
        with visible_messages() if self.verbose else nullcontext():
            for chunk in reader:
                survey.add(chunk)
                look(chunk)
                if self.verbose:
                    logger.info("first pass: %s rows", f"{survey.n:,}")
        survey.check()
        if self.bias == "free" and survey.weighted < 2:
            raise ValueError(
                "bias='free' needs at least two samples of positive weight, but there is 1 sample."
            )
        return survey

    def _fit_survey(
        self, survey: Survey, read: Callable[[], Iterator[Rows]], total: float
    ) -> tuple[kernels.Kernel, Any, LeastSquaresFit]:
        """The kernel, the centres and the fit over rows that are read in passes."""
        kernel = kernels.resolve_kernel(
            self.kernel, gamma=self._gamma_of(survey), coef0=self.coef0, degree=self.degree
        )
        points = survey.choose(kernel, self.n_jobs)
        if points is None:
            points = read_centres(self.centres, survey.d)
        basis = self._basis(kernel, points)
        columns = np.arange(basis.size, dtype=np.int32)

        def values(X: Any) -> Matrix:
            gram = kernel.bind(X, points)
            return columns_of(gram, np.arange(count(X), dtype=np.int32), columns, self.n_jobs)

        stream = Stream(read, survey.n, values, basis, self.bias, self._watch(survey.n))
        solver, wanted = self._low_rank_solver(basis.size), self._wants_leave_one_out(survey.n)
        fitted = self._fit_stream(stream, self._ridge(total), solver, wanted and self.solver_ != "cg")
        return kernel, points, _with_weights(fitted, kernel, points)

    def _gamma_of(self, survey: Survey) -> float:
        if self.gamma == "auto":
            return 1.0 / survey.d
        if self.gamma in (None, "scale"):
            return sample.gamma_of_spread(survey.spread.variance, survey.d)
        return float(self.gamma)


def _with_weights(fitted: LeastSquaresFit, kernel: kernels.Kernel, points: Any) -> LeastSquaresFit:
    """For a linear kernel also the weights of the features."""
    if not sample.is_linear(kernel):
        return fitted
    return replace(fitted, weights=np.asarray(points.T @ fitted.coefficients))


class _RowWatch:
    """Says about once a second how far a pass over all rows is."""

    def __init__(self, n: int) -> None:
        self.n = n
        self._begin = time.monotonic()
        self._next = self._begin + REPORT_SECONDS

    def __call__(self, name: str, seen: int) -> None:
        now = time.monotonic()
        if now >= self._next or seen == self.n:
            self._next = now + REPORT_SECONDS
            logger.info(
                "%s: %s of %s rows (%.0f %%), %.1f s",
                name, f"{seen:,}", f"{self.n:,}", 100 * seen / self.n, now - self._begin,
            )  # fmt: skip
