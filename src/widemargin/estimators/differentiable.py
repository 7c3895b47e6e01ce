"""What SVC and SVR share as functions of their hyperparameters."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators import sample
from widemargin.kernels.points import count, take
from widemargin.problems import Problem, Vector
from widemargin.sensitivity import ActiveSet, Part, Sensitivity


class Differentiable:
    """A machine whose fit notes what the derivatives of its functions need besides the functions.

    That is the price of each support vector and, for a function without free support vectors, the points at
    the ends of the interval of its intercept.
    """

    kernel_: Any
    support_vectors_: Any
    n_support_: NDArray[np.int32]
    C: float
    support_: NDArray[np.int32]
    fit_intercept: bool
    _coefficients: Callable[[], NDArray[np.float64]]

    def _note_solution(self, column: int, problem: Problem, solution: Any) -> None:
        """Note which points bound the intercept of a function, if there are such."""
        if ((solution.alpha > problem.lower) & (solution.alpha < problem.upper)).any():
            return  # nearly always
        active = ActiveSet.of(problem, solution.alpha, solution.gradient, int(problem.rows.max()) + 1)
        if active.ends.size:
            noted = self.__dict__.setdefault("_open_intercepts", {})
            noted[column] = active.ends, active.side[active.ends]

    def _keep_prices(self, X: Any, weight: Vector, class_weight: Vector | float = 1.0) -> None:
        """Store the price of each support vector, computed as its bound is, and the ends that were noted."""
        self._prices = self.C * weight[self.support_] * class_weight
        noted = sorted(self.__dict__.pop("_open_intercepts", {}).items())
        self._ends = [(column, sides, take(X, rows)) for column, (rows, sides) in noted]

    def sensitivity(self, X: Any) -> Sensitivity:
        """How the decision values at X move with the logarithms of C and of the kernel's parameters.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects

        Returns
        -------
        sensitivity : Sensitivity
            ``sensitivity[name]`` has the derivatives in one of its `names` ("log C", "log gamma", ...),
            ``sensitivity.jacobian`` all of them, and ``sensitivity.gradient(q)`` those of a weighted sum of
            values, from one linear system for any number of parameters.

        Notes
        -----
        The machine must have been trained well: with a small `tol`, unless it has less than a thousand
        points, which are solved to rounding anyway.
        """
        check_is_fitted(self)
        name = type(self).__name__
        if not hasattr(self, "_prices") or hasattr(self, "compression_"):
            raise ValueError(f"sensitivity needs a {name} as it was trained: call fit.")
        if sample.is_precomputed(self.kernel_):
            raise ValueError(
                "sensitivity needs kernels of support vectors, and a precomputed matrix is not kept: "
                "give the kernel itself."
            )
        X = sample.read_prediction(self, X)
        if not self.kernel_.has_derivative():
            raise ValueError(
                f"{type(self.kernel_).__name__} has parameters but no derivative: "
                "define _contract_rows, see widemargin.testing.check_kernel."
            )
        labels = self._support_labels()
        coefficients = self._coefficients()
        ends = {column: (sides, points) for column, sides, points in self._ends}
        parts = [self._part(c, labels, ends.get(k)) for k, c in enumerate(coefficients.T)]
        return Sensitivity(
            self.kernel_,
            parts,
            X,
            getattr(self, "classes_", ()),
            getattr(self, "epsilon", None),
        )

    def _part(self, c: Vector, labels: NDArray[np.integer], ends: tuple[Vector, Any] | None) -> Part:
        mine = np.flatnonzero(c)
        prices, c, labels = self._prices[mine], c[mine], labels[mine]
        points, m = take(self.support_vectors_, mine), mine.size
        has_bounds = getattr(self, "loss", "hinge") == "hinge"
        bounded = np.flatnonzero(np.abs(c) >= prices) if has_bounds else np.empty(0, dtype=int)
        sides = -np.sign(c) if hasattr(self, "epsilon") else np.zeros(m)
        if ends is not None:
            points, sides = _joined(points, ends[1]), np.append(sides, ends[0])
        extra = count(points) - m
        active = ActiveSet(
            coefficients=np.append(c, np.zeros(extra)),
            free=np.setdiff1d(np.arange(m), bounded).astype(np.int32),
            bounded=bounded.astype(np.int32),
            ends=np.arange(m, m + extra, dtype=np.int32),
            side=sides,
            ridge=np.append(np.zeros(m) if has_bounds else 1 / prices, np.zeros(extra)),
            has_bias=bool(self.fit_intercept),
        )
        return Part(active, points, np.append(labels, np.full(extra, -1)))

    def _support_labels(self) -> NDArray[np.integer]:
        """The class of each support vector, counted from 0."""
        return np.repeat(np.arange(len(self.n_support_)), self.n_support_)


def _joined(A: Any, B: Any) -> Any:
    if sp.issparse(A):
        return sp.vstack([A, B], format="csr")
    return [*A, *B] if isinstance(A, list) else np.concatenate([A, B])
