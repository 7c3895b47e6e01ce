"""Distances in the Hilbert space of a kernel, ranked without cancellation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.kernels import Gaussian, Kernel, Linear
from widemargin.kernels.points import as_points
from widemargin.problems import Vector


@dataclass(frozen=True, eq=False)
class KernelDistance:
    """|Phi(x) - Phi(z)|^2 = k(x, x) - 2 k(x, z) + k(z, z) from any x to given points z.

    For a fixed x the points are ranked by k(z, z) - 2 k(x, z), which needs no k(x, x), less the smallest of
    the k(z, z), so that kernels with k(z, z) = 1 tell points apart however far away they are. For the linear
    kernel and the Gaussian, of whose distance theirs is an increasing function, it is |x - z|^2.

    Parameters
    ----------
    kernel : Kernel
    points : rows of data, or a list of objects
        For a precomputed kernel: their positions among the columns of the matrices to come.
    diagonal : array of shape (n_points,)
        k(z, z).
    """

    kernel: Kernel
    points: Any
    diagonal: Vector

    @property
    def is_plain(self) -> bool:
        """Whether points are ranked by |x - z|^2."""
        return type(self.kernel) in (Linear, Gaussian)

    def bind(self, X: Any) -> _core.Gram:
        """The matrix that `ranks` reads, with a row for each row of X."""
        if self.is_plain:
            return _core.squared_distance(as_points(X), as_points(self.points))
        return self.kernel.bind(X, self.points)

    def ranks(self, entries: NDArray[np.float64]) -> NDArray[np.float64]:
        """Numbers that grow with the distance along each row of these entries of the matrix."""
        return entries if self.is_plain else (self.diagonal - self.diagonal.min()) - 2 * entries

    def distances(self, X: Any, ranks: NDArray[np.float64]) -> NDArray[np.float64]:
        """The distances that numbers in the rows of X stand for."""
        if isinstance(self.kernel, Linear):
            squared = ranks
        elif isinstance(self.kernel, Gaussian):
            squared = -2 * np.expm1(-self.kernel.gamma * ranks)
        else:
            squared = self.kernel.diagonal(X)[:, None] + (ranks + self.diagonal.min())
        return np.sqrt(np.maximum(squared, 0.0))
