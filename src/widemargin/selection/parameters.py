"""The hyperparameters that a search moves."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone

from widemargin.kernels import Kernel, ManifoldGaussian
from widemargin.problems import Vector
from widemargin.selection.way import Way

LARGEST_LOG = 50.0
"""exp(50) is 5e21: beyond that kernels are constants, or overflow."""


class Parameters:
    """The vector x = (log C, theta): the price if it is searched, then the parameters of the kernel.

    Machines of least squares have `lam` in the place of C.

    Parameters
    ----------
    estimator : estimator
        All that is not searched is taken from it.
    kernel : Kernel
        The kernel to start from.
    tunes_C : bool
        Whether C (or lam) is searched.

    Attributes
    ----------
    names : list of str
        Such as ["log C", "log gamma"].
    start : array of shape (n_parameters,)

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.selection import Parameters
    >>> parameters = Parameters(wm.SVC(C=10.0), wm.Gaussian(0.5), tunes_C=True)
    >>> parameters.names, parameters.start.round(3).tolist()
    (['log C', 'log gamma'], [2.303, -0.693])
    >>> parameters.estimator_with([0.0, 0.0])
    SVC(kernel=Gaussian())
    """

    def __init__(self, estimator: Any, kernel: Kernel, tunes_C: bool) -> None:
        self.estimator = clone(estimator)
        self.kernel = kernel
        self.way: Way | None = None
        self.price = None
        self.names = list(kernel.theta_names)
        self.start = kernel.theta
        if tunes_C:
            self.price = "C" if hasattr(estimator, "C") else "lam"
            self.names.insert(0, f"log {self.price}")
            self.start = np.insert(self.start, 0, np.log(self._first_price()))

    def __len__(self) -> int:
        return len(self.names)

    def __repr__(self) -> str:
        return f"Parameters({', '.join(self.names)})"

    def checked(self, x: ArrayLike) -> Vector:
        """x as a vector of numbers whose exponentials make sense."""
        vector = np.asarray(x, dtype=np.float64)
        if vector.shape != self.start.shape:
            raise ValueError(f"x must have {self.start.size} entries, {self}; got the shape {vector.shape}.")
        bad = ~(np.abs(vector) <= LARGEST_LOG)  # also NaN
        if bad.any():
            i = int(np.argmax(bad))
            raise ValueError(
                f"x[{i}] ({self.names[i]}) must lie between -{LARGEST_LOG:g} and {LARGEST_LOG:g}, "
                f"but it is {vector[i]:g}: scale the features, or search elsewhere."
            )
        return vector

    def theta_of(self, x: ArrayLike) -> Vector:
        """The part of x that belongs to the kernel."""
        return self.checked(x)[0 if self.price is None else 1 :]

    def kernel_with(self, x: ArrayLike) -> Kernel:
        """The kernel with these parameters."""
        theta = self.theta_of(x)
        return self.kernel.with_theta(theta) if self.way is None else self.way.kernel_at(theta)

    def recentre(self) -> None:
        """From now on, let a kernel on a manifold take steps from point to point: see `Way`."""
        if isinstance(self.kernel, ManifoldGaussian):
            self.way = Way(self.kernel)

    def estimator_with(self, x: ArrayLike) -> Any:
        """A copy of the estimator, not fitted, with these parameters."""
        x = self.checked(x)
        changed: dict[str, Any] = {"kernel": self.kernel_with(x)}
        if self.price is not None:
            changed[self.price] = float(np.exp(x[0]))
        return clone(self.estimator).set_params(**changed)

    def _first_price(self) -> float:
        price = getattr(self.estimator, self.price)  # type: ignore[arg-type]
        if isinstance(price, str):  # lam="loo"
            return 1e-3
        if not 0 < price < np.inf:
            raise ValueError(f"{self.price}={price!r} has no logarithm to search from: give a finite number.")
        return float(price)
