"""The derivatives of a trained machine's values in its hyperparameters, by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.kernels import Kernel
from widemargin.kernels.points import count
from widemargin.problems import Vector
from widemargin.sensitivity.active_set import ActiveSet
from widemargin.sensitivity.response import Matrix, Response


@dataclass(frozen=True)
class Part:
    """One function of a machine, on points of its own."""

    active: ActiveSet
    points: Any
    """The data of the points of `active`."""

    labels: NDArray[np.integer]
    """The class of each point, counted from 0."""


class Sensitivity:
    """How the values f(x) of a machine move with the logarithms of its hyperparameters.

    Exact derivatives of the solution (c, b) found in training, from the system among its free support vectors
    (:class:`Response`). They hold as long as no support vector becomes free, bounded or idle, and are as
    accurate as the training was: take a small `tol` where that matters.

    Parameters
    ----------
    kernel : Kernel
    parts : sequence of Part
        One for each function.
    X : data
        Where the functions are looked at.
    classes : sequence
        The names of the classes, for the price of each; empty for regression.
    epsilon : float or None
        The half width of the tube, for regression.

    Attributes
    ----------
    names : list of str
        "log C", then "log C[c]" for each class c or "log epsilon", then those of the kernel.
    jacobian : array of shape (n_samples, n_parameters), or (n_samples, n_functions, n_parameters)
        The derivatives of the values; ``sensitivity[name]`` is one column.
    intercept : array of shape (n_parameters,), or (n_functions, n_parameters)
        The derivatives of b.
    coefficients : list of arrays of shape (n_points, n_parameters)
        Those of the coefficients, for each function, of its `parts[k].points`.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> X, y = X[y > 0], y[y > 0]
    >>> sensitivity = wm.SVC(C=5, kernel=wm.Gaussian(0.2)).fit(X, y).sensitivity(X[:3])
    >>> sensitivity.names
    ['log C', 'log C[1]', 'log C[2]', 'log gamma']
    >>> step = 1e-5
    >>> above = wm.SVC(C=5, gamma=0.2 * 2.718281828459045**step).fit(X, y).decision_function(X[:3])
    >>> below = wm.SVC(C=5, gamma=0.2 / 2.718281828459045**step).fit(X, y).decision_function(X[:3])
    >>> bool(abs(sensitivity["log gamma"] - (above - below) / (2 * step)).max() < 1e-5)
    True
    """

    def __init__(
        self,
        kernel: Kernel,
        parts: Sequence[Part],
        X: Any,
        classes: Sequence[Any] = (),
        epsilon: float | None = None,
    ) -> None:
        self.kernel = kernel
        self.parts = list(parts)
        self.X = X
        self.epsilon = epsilon
        prices = [f"log C[{name}]" for name in classes] + ([] if epsilon is None else ["log epsilon"])
        self.names = ["log C", *prices, *kernel.theta_names]
        self._classes = len(classes)

    def __getitem__(self, name: str) -> NDArray[np.float64]:
        if name not in self.names:
            raise KeyError(f"there is no parameter {name!r}; there are {self.names}.")
        return self.jacobian[..., self.names.index(name)]

    def __repr__(self) -> str:
        return f"Sensitivity(names={self.names})"

    @property
    def jacobian(self) -> NDArray[np.float64]:
        """The derivatives of the values, in direct form: one system per parameter."""
        return self._direct[0]

    @property
    def intercept(self) -> NDArray[np.float64]:
        """The derivatives of b."""
        return self._direct[1]

    @property
    def coefficients(self) -> list[Matrix]:
        """The derivatives of the coefficients, function by function."""
        return self._direct[2]

    def gradient(self, q: ArrayLike) -> Vector:
        """The gradient of sum_j q_j f(x_j), in adjoint form: one system in all.

        Parameters
        ----------
        q : array of shape (n_samples,), or (n_samples, n_functions)

        Returns
        -------
        gradient : array of shape (n_parameters,)
        """
        Q = np.asarray(q, dtype=np.float64).reshape(count(self.X), -1)
        if Q.shape[1] != len(self.parts):
            raise ValueError(f"q must have a column for each of the {len(self.parts)} functions.")
        return sum(
            (self._adjoint(part, Q[:, k]) for k, part in enumerate(self.parts)), np.zeros(len(self.names))
        )

    @cached_property
    def _direct(self) -> tuple[NDArray[np.float64], NDArray[np.float64], list[Matrix]]:
        found = [self._push(part) for part in self.parts]
        values, intercepts = (np.stack([each[i] for each in found], axis=-2) for i in (0, 1))
        if len(found) == 1:
            values, intercepts = values[:, 0], intercepts[0]
        return values, intercepts, [each[2] for each in found]

    def _push(self, part: Part) -> tuple[Matrix, Vector, Matrix]:
        active, own = part.active, len(self.names) - self.kernel.theta.size
        targets, prices = np.zeros((2, active.coefficients.size, len(self.names)))
        prices[:, 0] = 1.0
        for k in range(self._classes):
            prices[part.labels == k, 1 + k] = 1.0
        if self.epsilon is not None:
            targets[:, 1] = self.epsilon * active.side
        response = Response(active, self.kernel.bind(part.points))
        targets[:, own:] = -self.kernel.derivative(part.points, part.points, active.coefficients)
        dc, db = response.push(targets, prices)
        values = self.kernel.gram(self.X, part.points) @ dc + db
        values[:, own:] += self.kernel.derivative(self.X, part.points, active.coefficients)
        return values, db, dc

    def _adjoint(self, part: Part, q: Vector) -> Vector:
        active, kernel = part.active, self.kernel
        response = Response(active, kernel.bind(part.points))
        pulled = response.pull(kernel.gram(self.X, part.points).T @ q, float(q.sum()))
        own = [pulled.by_log_price.sum()]
        own += [pulled.by_log_price[part.labels == k].sum() for k in range(self._classes)]
        if self.epsilon is not None:
            own.append(self.epsilon * (active.side @ pulled.by_target))
        if not kernel.theta.size:
            return np.array(own)
        c = active.coefficients
        by_kernel = kernel.contract(self.X, part.points, np.outer(q, c))
        by_kernel -= kernel.contract(part.points, part.points, np.outer(pulled.by_target, c))
        return np.concatenate([own, by_kernel])
