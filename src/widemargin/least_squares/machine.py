"""Least-squares machines: data, weights, bias and a solver put together."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.expansion import product
from widemargin.threads import blas_for

from .band_form import BandForm
from .conjugate_gradient import ConjugateGradient, conjugate_gradient
from .curve import RidgeCurve
from .feature_fit import fit_features
from .fit import LeastSquaresFit
from .frame import Frame
from .gram_matrix import lower_triangle
from .inverse import CholeskyInverse, FeatureInverse
from .leave_one_out import LeaveOneOut, leave_one_out
from .path import Path, Ridge, descend
from .pivots import pivots_among
from .refinement import solve_refined
from .singular_system import EPSILON, SingularSystem
from .spectral_fit import choose_ridge, solve_at
from .spectrum import FeatureSpectrum, MatrixSpectrum, Spectrum

__all__ = ["SOLVERS", "LeastSquares", "choose_solver"]

Matrix = NDArray[np.float64]
Vector = NDArray[np.float64]

SOLVERS = ("cholesky", "eigen", "primal", "cg")

EIGEN_SIZE = 2000
"""Up to this many points all eigenvectors of K take a second."""

BAND_SIZE = 2000
"""From so many points on a band form and its path take less time than all eigenvectors."""

FACTORS = 5
"""So many factors with the diagonals of their inverses take about as long as a band form."""

PRIMAL_FEATURES = 8192
"""Up to this many dense features F'F is formed, and up to a quarter of them for sparse points."""

SPARSE_SIZE = 3000
"""Up to this many sparse points with many features K is formed and factorised."""

LOW_RANK_SIZE, LOW_RANK_SHARE, LOW_RANK_RESIDUAL = 500, 0.25, 1e-14
"""From so many points on, K is tried to be written with a quarter as many features, to rounding."""

REFINED_SIZE = 2000
"""From so many points on, a factor in single precision and its refinement take less time than in double."""

START_SIZE, START_SEED = 1000, 0
"""A descent begins at the best ridge of so many points, always the same ones."""

PRECONDITIONER_RANK = 512
"""Features of the preconditioner of a kernel matrix that is never stored."""


def choose_solver(n: int, linear: Any, choosing: bool, budget: int, values: int = 0) -> str:
    """The solver for n points: `linear` are the points of a linear kernel, else None.

    Parameters
    ----------
    n : int
    linear : array, CSR array or None
    choosing : bool
        Whether the ridge is to be chosen by leave-one-out.
    budget : int
        Bytes for kernel values.
    values : int
        How many ridges are given to choose from; 0 for all.
    """
    if linear is not None:
        sparse = hasattr(linear, "tocsr")
        if linear.shape[1] <= min(n, PRIMAL_FEATURES // (4 if sparse else 1)):
            return "primal"
        if sparse and n > SPARSE_SIZE and not choosing:
            return "cg"
    if 12 * n * n > budget:  # K in double precision, and a copy in single
        return "cg"
    few = n > EIGEN_SIZE and 0 < values <= FACTORS
    return "eigen" if choosing and not few else "cholesky"


@dataclass(frozen=True)
class LeastSquares:
    """The problem of fitting Y on rows of a Gram.

    Parameters
    ----------
    gram : Gram
        Square.
    rows : int32 array of shape (n,)
        The points that take part.
    frame : Frame
        Their weights, and the kind of bias.
    linear : array or CSR array of shape (n, d), optional
        These points, for a linear kernel.
    """

    gram: _core.Gram
    rows: NDArray[np.int32]
    frame: Frame
    linear: Any = None
    n_jobs: int | None = None
    tol: float = 1e-8
    max_iter: int = -1

    def fit(self, Y: Matrix, ridge: Ridge, solver: str, loo: bool) -> LeastSquaresFit:
        """Train with this ridge, or with the one of the least leave-one-out error (of these, or of all).

        Parameters
        ----------
        Y : array of shape (n, outputs)
        ridge : float, array or None
        solver : one of `SOLVERS`
        loo : bool
            Whether the leave-one-out residuals are wanted where they cost extra.
        """
        with blas_for(self.frame.size, self.n_jobs):
            return self._fit(Y, ridge, solver, loo)

    def _fit(self, Y: Matrix, ridge: Ridge, solver: str, loo: bool) -> LeastSquaresFit:
        match solver:
            case "primal":
                return fit_features(self.linear, Y, self.frame, ridge, loo)
            case "eigen":
                return self._fit_eigen(Y, ridge)
            case "cholesky":
                return self._fit_cholesky_or_eigen(Y, ridge, loo)
            case _:
                assert isinstance(ridge, float)
                return self._fit_krylov(Y, ridge)

    def _matrix(self) -> tuple[Matrix, Vector | None]:
        """M, shifted for a free bias, and the mean row of K that such a bias needs."""
        K = lower_triangle(self.gram, self.rows, self.n_jobs)
        mean_row = self.frame.mean_row(K) if self.frame.bias == "free" else None
        return self.frame.matrix(K, mean_row, self._shift), mean_row

    @cached_property
    def _trace(self) -> float:
        return float(self.frame.diagonal(self.gram.diagonal()[self.rows]).sum())

    @property
    def _shift(self) -> float:
        """A free bias takes the place of an eigenvalue of average size."""
        return self._trace / self.frame.size if self.frame.bias == "free" else 0.0

    def _fit_cholesky_or_eigen(self, Y: Matrix, ridge: Ridge, loo: bool) -> LeastSquaresFit:
        """Cholesky fails for singular and for indefinite matrices; eigenvectors tell them apart."""
        try:
            return self._fit_cholesky(Y, ridge, loo)
        except SingularSystem:
            if self.frame.size > EIGEN_SIZE:
                raise
            return self._fit_eigen(Y, ridge)

    def _fit_cholesky(self, Y: Matrix, ridge: Ridge, loo: bool) -> LeastSquaresFit:
        if not isinstance(ridge, float):
            return self._fit_low_rank(Y, ridge) or self._fit_several(Y, ridge)
        T = self.frame.targets(Y)
        M, mean_row = self._matrix()
        Z = solve_refined(M, ridge, T) if not loo and self.frame.size >= REFINED_SIZE else None
        if Z is not None:
            return self._fitted(Y, Z, ridge, mean_row, None, None)
        inverse = CholeskyInverse(M, ridge)
        Z = inverse.solve(T)
        out = self._left_out(Z, inverse.diagonal(), ridge) if loo else None
        return self._fitted(Y, Z, ridge, mean_row, out, None)

    def _fit_several(self, Y: Matrix, among: Vector | None) -> LeastSquaresFit:
        """A factor for each ridge, of these or of a descent; the best fit is kept."""
        best: LeastSquaresFit | None = None

        def error(ridge: float) -> float:
            nonlocal best
            fitted = self._fit_cholesky(Y, ridge, loo=True)
            assert fitted.loo is not None
            if best is None or best.loo is None or fitted.loo.error <= best.loo.error:
                best = fitted
            return fitted.loo.error

        if among is None:
            path = descend(error, self._near_best(Y), self._trace)
        else:
            path = Path(among, np.array([error(float(ridge)) for ridge in among]))
        assert best is not None
        return replace(best, path=path)

    def _near_best(self, Y: Matrix) -> float:
        """A ridge to begin with: the best one for some of the points, scaled to all of them."""
        some = np.sort(np.random.default_rng(START_SEED).permutation(self.frame.size)[:START_SIZE])
        linear = None if self.linear is None else self.linear[some]
        part = replace(self, rows=self.rows[some], frame=self.frame.part(some), linear=linear)
        return part._fit_eigen(Y[some], None).ridge * self._trace / part._trace

    def _left_out(self, Z: Matrix, diagonal: Vector, ridge: float) -> LeaveOneOut:
        return leave_one_out(self.frame, Z, diagonal, ridge, self._shift)

    def _fit_eigen(self, Y: Matrix, ridge: Ridge) -> LeastSquaresFit:
        if not isinstance(ridge, float) and (fitted := self._fit_low_rank(Y, ridge)) is not None:
            return fitted
        if self.frame.size >= BAND_SIZE:
            with suppress(SingularSystem):  # or indefinite: eigenvectors tell
                return self._fit_spectral(Y, ridge, partial(BandForm, n_jobs=self.n_jobs))
        return self._fit_spectral(Y, ridge, MatrixSpectrum)

    def _fit_spectral(
        self, Y: Matrix, ridge: Ridge, decompose: Callable[[Matrix], Spectrum]
    ) -> LeastSquaresFit:
        M, mean_row = self._matrix()
        spectrum, T = decompose(M), self.frame.targets(Y)
        path = None
        if not isinstance(ridge, float):
            path = choose_ridge(spectrum, T, self.frame, self._shift, ridge)
            ridge = path.best
        Z, out = solve_at(spectrum, T, self.frame, ridge, self._shift)
        return self._fitted(Y, Z, ridge, mean_row, out, path)

    def curve(self, Y: Matrix) -> RidgeCurve | None:
        """Risk and norm for all ridges; None where many fits take less time than all eigenvectors.

        Also None for an indefinite matrix, whose machines have no norm.
        """
        with blas_for(self.frame.size, self.n_jobs):
            return self._curve(Y)

    def _curve(self, Y: Matrix) -> RidgeCurve | None:
        T = self.frame.targets(Y)
        spectrum: FeatureSpectrum | MatrixSpectrum
        if (L := self._low_rank_features()) is not None:
            spectrum = FeatureSpectrum(self.frame.features(L))
        elif self.frame.size <= EIGEN_SIZE:
            spectrum = MatrixSpectrum(self._matrix()[0])
        else:
            return None
        rounding = EPSILON * self.frame.size * float(np.abs(spectrum.values).max(initial=0.0))
        if spectrum.values.min(initial=0.0) < -rounding:
            return None
        known = spectrum.values > rounding
        values, squares = spectrum.values[known], spectrum.squares(T)[known]
        return RidgeCurve(values, squares, max(float(np.sum(T**2) - squares.sum()), 0.0), self.frame.total)

    def _low_rank_features(self) -> Matrix | None:
        """Features that give K to rounding, if a quarter as many as there are points will do."""
        n, diagonal = self.frame.size, self.gram.diagonal()[self.rows]
        if n < LOW_RANK_SIZE or diagonal.min() < 0:
            return None  # a matrix with a negative diagonal has no features
        rank = int(LOW_RANK_SHARE * n)
        found = pivots_among(self.gram, self.rows, rank, LOW_RANK_RESIDUAL, self.n_jobs)
        return found.L if found.residual.max() <= LOW_RANK_RESIDUAL * diagonal.max() else None

    def _fit_low_rank(self, Y: Matrix, among: Vector | None) -> LeastSquaresFit | None:
        """By features, if there are few."""
        L = self._low_rank_features()
        if L is None:
            return None
        fitted = fit_features(L, Y, self.frame, among)
        return replace(fitted, weights=self._weights(fitted.coefficients))

    def _fit_krylov(self, Y: Matrix, ridge: float) -> LeastSquaresFit:
        M, precondition = self._products(ridge)
        found = conjugate_gradient(
            lambda V: M(V) + ridge * V,
            self.frame.targets(Y),
            precondition=precondition,
            tol=self.tol,
            max_iter=self.max_iter,
        )
        mean_row = self._mean_row() if self.frame.bias == "free" else None
        return self._fitted(Y, found.X, ridge, mean_row, None, None, found)

    def _products(self, ridge: float) -> tuple[Any, Any]:
        """V -> M V, and a preconditioner of M + ridge I; no matrix of n x n entries is ever there."""
        if self.linear is not None:
            F = self.frame.features(self.linear)
            scale = 1 / (F.squared_lengths() + ridge)
            return lambda V: F.times(F.transposed_times(V)), self._projected(lambda V: scale[:, None] * V)
        near = pivots_among(self.gram, self.rows, PRECONDITIONER_RANK, n_jobs=self.n_jobs)
        inverse = FeatureInverse(self.frame.features(near.L), ridge)
        return self.frame.product(self._kernel_product), self._projected(inverse.solve)

    def _projected(self, precondition: Any) -> Any:
        """The preconditioner within what a free bias leaves."""
        return lambda V: self.frame.project(precondition(V))

    def _kernel_product(self, V: Matrix) -> Matrix:
        return product(self.gram, self.rows, self.rows, np.ascontiguousarray(V), self.n_jobs)

    def _fitted(
        self,
        Y: Matrix,
        Z: Matrix,
        ridge: float,
        mean_row: Vector | None,
        loo: LeaveOneOut | None,
        path: Path | None,
        krylov: ConjugateGradient | None = None,
    ) -> LeastSquaresFit:
        c = self.frame.coefficients(Z)
        intercept = self.frame.intercept(Y, c, mean_row)
        return LeastSquaresFit(c, intercept, self._weights(c), ridge, loo, path, krylov)

    def _weights(self, c: Matrix) -> Matrix | None:
        """The function of these coefficients in the features of a linear kernel."""
        return None if self.linear is None else np.asarray(self.linear.T @ c)

    def _mean_row(self) -> Vector:
        """w'K / sum w, where K is never there as a whole."""
        w = self.frame.weight[:, None] / self.frame.total
        if self.linear is not None:
            return np.asarray(self.linear @ (self.linear.T @ w)).ravel()
        return self._kernel_product(w).ravel()
