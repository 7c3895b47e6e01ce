"""Errors of least-squares machines in closed form, and their derivatives."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin.codes import one_vs_all, two_classes
from widemargin.estimators import RLSClassifier, RLSRegressor, sample
from widemargin.estimators.classifier import class_weights
from widemargin.kernels.points import take
from widemargin.least_squares import Frame
from widemargin.least_squares.singular_system import SingularSystem, refuse_overflow
from widemargin.problems import Vector
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task

Matrix = NDArray[np.float64]


class RidgeObjective(Objective):
    """An objective of least-squares machines of all points, in log lam and the kernel's parameters."""

    _machines: ClassVar[tuple[type, ...]] = (RLSClassifier, RLSRegressor)

    def _bind(self, task: Task) -> BoundObjective:
        if task.estimator.centres is not None:
            raise ValueError(
                f"{type(self).__name__} is for machines of all points: set centres=None to choose a model."
            )
        return BoundRidge(task)

    def _judge(self, parts: Ridge) -> tuple[float, Matrix, Vector]:
        """The value, and its derivatives in the residuals r and in the `stays` 1 - h."""
        raise NotImplementedError


class Ridge:
    """A machine (M + ridge I) z = t in its frame (`widemargin.least_squares.Frame`), with the inverse.

    With G the inverse (on what a free bias leaves), residuals and leverages are

        r = ridge D^-1 z,    1 - h_i = ridge G_ii,

    and they move with M and the ridge by

        dz = -G dM z - G z dridge,    d(1 - h_i) = G_ii dridge - ridge (G dM G)_ii - ridge (G^2)_ii dridge.
    """

    def __init__(self, frame: Frame, K: Matrix, Y: Matrix, ridge: float) -> None:
        self.frame = frame
        self.ridge = ridge
        scale, q = frame.scale, frame.constant
        M = scale[:, None] * (K + 1.0 if frame.bias == "penalised" else K) * scale
        refuse_overflow(M)
        if q is not None:
            half = M - np.outer(q, q @ M)
            M = half - np.outer(half @ q, q)
        values, U = np.linalg.eigh((M + M.T) / 2)
        shifted = values + ridge
        if np.abs(shifted).min() <= np.finfo(float).eps * values.size * np.abs(values).max():
            raise SingularSystem(ridge, float(np.diag(M).max()))
        self.G = (U / shifted) @ U.T
        if q is not None:
            self.G -= np.outer(q, q) / ridge
        self.Z = self.G @ frame.targets(Y)
        self.residuals = ridge * self.Z / scale[:, None]
        self.stays = ridge * np.diag(self.G)

    def pull(self, by_residual: Matrix, by_stay: Vector) -> tuple[Matrix, float]:
        """The derivatives in the entries of K and in log ridge, from those in r and in 1 - h."""
        G, Z, ridge, scale = self.G, self.Z, self.ridge, self.frame.scale[:, None]
        adjoint = ridge * (G @ (by_residual / scale))
        by_M = -adjoint @ Z.T - ridge * (G * by_stay) @ G
        squares = np.einsum("ij,ij->i", G, G)
        by_ridge = float(np.sum(by_residual * Z / scale) - np.sum(adjoint * Z))
        by_ridge += float(by_stay @ (np.diag(G) - ridge * squares))
        return scale * by_M * scale.T, ridge * by_ridge


class BoundRidge(BoundObjective):
    """A function of log lam and theta."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        rows = task.rows
        copies = np.asarray(task.weight[rows], dtype=np.float64)
        price, Y = self._columns()
        self.X, self.Y = take(task.X, rows), Y[rows]
        if sample.is_precomputed(task.estimator.kernel):
            self.X = np.ascontiguousarray(task.X[np.ix_(rows, rows)])
        self.frame = Frame(copies * price[rows], task.estimator.bias, copies)

    def _columns(self) -> tuple[Vector, Matrix]:
        task = self.task
        if task.is_regression:
            return np.ones(task.n), task.y.reshape(task.n, -1).astype(np.float64)
        names, labels = sample.read_classes(task.y)
        if names.size < 2:
            raise ValueError("y has a single class: there is nothing to choose a classifier for.")
        M = (two_classes() if names.size == 2 else one_vs_all(names.size)).matrix
        weights = class_weights(task.estimator.class_weight, names, names[labels])
        return weights[labels], M[labels].astype(np.float64)

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        kernel = self.parameters.kernel_with(x)
        ridge = float(np.exp(x[0])) * self.frame.total
        K = kernel.gram(self.X)
        parts = Ridge(self.frame, K, self.Y, ridge)
        objective: Any = self.objective
        value, by_residual, by_stay = objective._judge(parts)
        if not gradient:
            return value, None
        W, by_log_ridge = parts.pull(by_residual, by_stay)
        return value, np.insert(kernel.contract(self.X, None, W, K), 0, by_log_ridge)
