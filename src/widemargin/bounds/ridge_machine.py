"""A fitted least-squares machine in the letters of the bounds."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.bounds.fitted import check_trained, read_fitted
from widemargin.codes import Argmax
from widemargin.estimators import SVC, RLSClassifier
from widemargin.problems import Vector

Matrix = NDArray[np.float64]

SLACK = 10.0
"""y - f = ridge c holds to so many times the tolerance of the machine."""


@dataclass(frozen=True)
class RidgeMachine:
    """f = K c with (K + ridge I) c = y on its n training points, a column for each machine."""

    values: Matrix
    """f(x_i)."""

    targets: Matrix
    """-1 and +1."""

    labels: NDArray[np.intp]
    """Positions among the classes."""

    diagonal: Vector
    """K_ii."""

    ridge: float

    @classmethod
    def of(cls, machine: Any, X: Any, y: ArrayLike, *, several: bool = False) -> RidgeMachine:
        """Read a fitted RLSClassifier or SVC and the points and classes it was fitted to.

        Raises a ValueError that names the assumption that it does not meet.
        """
        _check_machine(machine)
        _check_classes(machine, several)
        X, y = read_fitted(machine, X, y)
        labels, k = np.searchsorted(machine.classes_, y), len(machine.classes_)
        signs = labels[:, None] == ([1] if k == 2 else np.arange(k))
        fitted = cls(
            values=np.asarray(machine._values(X)),
            targets=np.where(signs, 1.0, -1.0),
            labels=labels,
            diagonal=np.asarray(machine.kernel_.bind(X).diagonal(), dtype=np.float64),
            ridge=machine.ridge_ if isinstance(machine, RLSClassifier) else 1.0 / machine.C,
        )
        fitted._check_fit(machine, X)
        return fitted

    @property
    def coefficients(self) -> Matrix:
        """c = (y - f) / ridge."""
        return (self.targets - self.values) / self.ridge

    def _check_fit(self, machine: Any, X: Any) -> None:
        """Compare c with what the machine has stored, which differs if points had weights."""
        weights = getattr(machine, "_weights", None)
        if weights is not None:  # of a linear function
            off = X.T @ (self.targets - self.values) - self.ridge * weights.T
        else:
            off = self.targets - self.values
            off[machine.support_] -= self.ridge * machine._coefficients()
        scale = 1.0 if weights is None else max(1.0, float(abs(X).sum(axis=0).max()))
        if np.abs(off).max() > SLACK * max(machine.tol, 1e-6) * scale:
            raise ValueError("y must be that of the fit, which must have had no sample weights.")


def _check_machine(machine: Any) -> None:
    least_squares = isinstance(machine, RLSClassifier)
    if not least_squares and not isinstance(machine, SVC):
        raise ValueError(
            f"this bound is for a fitted RLSClassifier or least-squares SVC; got {type(machine).__name__}."
        )
    check_trained(machine)
    if not least_squares and machine.loss != "least-squares":
        raise ValueError(f"this bound is for the loss 'least-squares'; the machine has {machine.loss!r}.")
    if (machine.bias != "none") if least_squares else machine.fit_intercept:
        how = "bias='none'" if least_squares else "fit_intercept=False"
        raise ValueError(f"this bound is for machines without bias: fit with {how}.")
    if least_squares and machine.centres is not None:
        raise ValueError(
            "this bound is for machines with a coefficient at every point: fit with centres=None."
        )
    if machine.class_weight is not None:
        raise ValueError("this bound is for machines without weights: fit with class_weight=None.")


def _check_classes(machine: Any, several: bool) -> None:
    k = len(machine.classes_)
    if several != (k > 2):
        wanted, other = ("several", "rifkin") if several else ("two", "rifkin_multiclass")
        raise ValueError(f"this bound is for {wanted} classes; the machine has {k}: use {other}.")
    if several and not (machine._scheme.is_one_vs_all and isinstance(machine.decoding_, Argmax)):
        raise ValueError(
            "this bound is for one machine per class, of which the largest value decides: fit with "
            "multiclass='one-vs-all' and decoding='auto'."
        )
