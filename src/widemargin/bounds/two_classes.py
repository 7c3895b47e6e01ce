"""A fitted two-class machine in the letters of the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.bounds.fitted import check_trained, read_fitted
from widemargin.estimators import SVC
from widemargin.estimators.sample import is_precomputed
from widemargin.problems import GROUNDED, Vector
from widemargin.solvers import FreeSet, Status

ROUNDING = 1e-9
"""Coefficients this near to C, relatively, are at C."""

SLACK = 10.0
"""The optimality conditions hold to so many times the tolerance of the machine."""


@dataclass(frozen=True)
class TwoClasses:
    """f(x) = sum_i y_i alpha_i k(x_i, x) + b on its n training points."""

    y: Vector
    alpha: Vector
    values: Vector
    """f(x_i)."""

    C: Vector
    """The upper bound of alpha_i: infinite for squared hinge and hard margins."""

    ridge: Vector
    """What the machine adds to K_ii: 1 / C_i for the squared hinge loss, else 0."""

    has_bias: bool
    gram: Any
    squared_norm: float
    """|w|^2 = a'Ka."""

    @classmethod
    def of(
        cls, machine: Any, X: Any, y: ArrayLike, losses: tuple[str, ...] = ("hinge", "squared_hinge")
    ) -> TwoClasses:
        """Read a fitted SVC of two classes and the points and classes it was fitted to."""
        check_svc(machine, losses)
        if len(machine.classes_) != 2:
            raise ValueError(f"this bound is for two classes; the machine has {len(machine.classes_)}.")
        X, y = read_fitted(machine, X, y)
        n = len(y)
        labels = (y == machine.classes_[1]).astype(int)
        sign = 2.0 * labels - 1.0
        coefficients = np.zeros(n)
        coefficients[machine.support_] = machine._coefficients()[:, 0]
        gram = machine.kernel_.bind(X)
        C = machine.C * machine.class_weight_[labels]
        hinge = machine.loss == "hinge"
        fitted = cls(
            y=sign,
            alpha=sign * coefficients,
            values=_values(gram, coefficients) + float(machine.intercept_[0]),
            C=C if hinge else np.full(n, np.inf),
            ridge=np.zeros(n) if hinge else 1.0 / C,
            has_bias=bool(machine.fit_intercept),
            gram=gram,
            squared_norm=_squared_norm(machine, gram, coefficients),
        )
        fitted._check_fit(-np.inf if machine.loss == "least-squares" else 0.0, machine.tol)
        return fitted

    def _check_fit(self, least: float, tol: float) -> None:
        """Raise a ValueError unless the coefficients, from `least` to C, are optimal for these points."""
        slope = 1.0 - self.margins - self.ridge * self.alpha
        off = max(
            slope[self.alpha < self.C * (1 - ROUNDING)].max(initial=0.0),
            (-slope)[self.alpha > least].max(initial=0.0),
        )
        outside = (self.alpha < least) | (self.alpha > self.C * (1 + ROUNDING))
        if outside.any() or off > SLACK * max(tol, 1e-6):
            raise ValueError("X, y and C must be those of the fit, which must have had no sample weights.")

    @property
    def margins(self) -> Vector:
        """y_i f(x_i)."""
        return self.y * self.values

    @property
    def diagonal(self) -> Vector:
        """K_ii."""
        return np.asarray(self.gram.diagonal())

    @property
    def free(self) -> NDArray[np.intp]:
        """The support vectors with 0 < alpha_i < C_i."""
        return np.flatnonzero((self.alpha > 0) & (self.alpha < self.C * (1 - ROUNDING)))

    @property
    def bounded(self) -> NDArray[np.intp]:
        """The support vectors with alpha_i = C_i."""
        return np.flatnonzero((self.alpha > 0) & (self.alpha >= self.C * (1 - ROUNDING)))

    def free_set(self) -> FreeSet:
        """The system among the free support vectors, with one grounded variable if there is no bias."""
        points, ridge = self.free.tolist(), self.ridge[self.free].tolist()
        if not self.has_bias:
            points, ridge = [*points, GROUNDED], [*ridge, 0.0]
        return FreeSet(self.gram, points, ridge=ridge)

    def block(self, rows: NDArray[np.intp], columns: NDArray[np.intp]) -> NDArray[np.float64]:
        """Entries of K."""
        return np.asarray(self.gram.block(rows.astype(np.int32), columns.astype(np.int32)))

    def check_without_bias(self, bound: str) -> None:
        """Raise a ValueError if the machine has a bias."""
        if self.has_bias:
            raise ValueError(f"{bound} is for machines without bias: fit with fit_intercept=False.")


def check_svc(machine: Any, losses: tuple[str, ...]) -> None:
    """Raise a ValueError unless the machine is an SVC with one of these losses, fitted to the end."""
    if not isinstance(machine, SVC):
        raise ValueError(f"this bound is for a fitted SVC; got {type(machine).__name__}.")
    check_trained(machine)
    if machine.loss not in losses:
        raise ValueError(f"this bound is for the losses {losses}; the machine has {machine.loss!r}.")
    if machine.status_ is not Status.OPTIMAL:
        raise ValueError(f"this bound is for a machine at its optimum: {machine.status_.sentence}")


def _squared_norm(machine: Any, gram: Any, coefficients: Vector) -> float:
    if is_precomputed(machine.kernel_):
        return float(coefficients @ _values(gram, coefficients))
    return float(machine._expansion().squared_norm()[0])


def _values(gram: Any, coefficients: Vector) -> Vector:
    """K times coefficients, of which many are zero."""
    support = np.flatnonzero(coefficients).astype(np.int32)
    every = np.arange(coefficients.size, dtype=np.int32)
    return np.asarray(gram.block(every, support)) @ coefficients[support]
