"""A way on the manifold of symmetric positive definite matrices."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.kernels import ManifoldGaussian

Vector = NDArray[np.float64]

SAME = 1 + 1e-9
"""Of points that are as near as the nearest but for rounding, the latest is taken."""


class Way:
    """Kernels of a search that steps from point to point.

    The kernel at a point lies a step exp(A) B exp(A) away from the nearest one visited before, which is the
    last one for a search in small steps; its own matrix is the next B. So gradients are always those at
    A = 0, steps do not depend on where the search began, and a size that may not change does not.

    Parameters
    ----------
    kernel : ManifoldGaussian
        Where the way begins.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.kernels import ManifoldGaussian
    >>> from widemargin.selection.way import Way
    >>> way = Way(ManifoldGaussian(np.eye(2), variant="size"))
    >>> way.kernel_at([0.5]).B.round(3).tolist(), way.kernel_at([0.0]).B.tolist()
    ([[2.718, 0.0], [0.0, 2.718]], [[1.0, 0.0], [0.0, 1.0]])
    """

    def __init__(self, kernel: ManifoldGaussian) -> None:
        self.points = [kernel.theta]
        self.kernels = [kernel.recentred()]

    def kernel_at(self, theta: Vector) -> ManifoldGaussian:
        """The kernel there; where the search has been before, the one that it found."""
        steps = np.asarray(theta, dtype=np.float64) - np.array(self.points)
        lengths = np.linalg.norm(steps, axis=1)
        near = int(np.flatnonzero(lengths <= SAME * lengths.min())[-1])
        if lengths[near] == 0:
            return self.kernels[near]
        kernel = self.kernels[near].with_theta(steps[near]).recentred()
        self.points.append(np.array(theta, dtype=np.float64))
        self.kernels.append(kernel)
        return kernel
