"""The nearest function among those expanded in given points."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.linalg
from numpy.typing import NDArray

from widemargin.expansion import Expansion

JITTER = 1e-12
"""What is added to the diagonal of a kernel matrix, relative to its mean: the rounding of its entries."""


def upper_factor(K: NDArray[np.float64]) -> NDArray[np.float64]:
    """The upper triangular R with R'R = K, its diagonal raised by rounding."""
    raised = K + JITTER * max(np.trace(K) / len(K), np.finfo(np.float64).tiny) * np.eye(len(K))
    try:
        return scipy.linalg.cholesky(raised, check_finite=False)
    except np.linalg.LinAlgError:
        raise ValueError(
            "the kernel is not positive semi-definite on these points: take a kernel that is."
        ) from None


def project(f: Expansion, points: Any) -> Expansion:
    """The functions nearest to those of f, in the norm of the kernel's space, that the points can express.

    g = sum_j b_j k(z_j, .) is nearest to f = sum_i a_i k(x_i, .) if f - g is orthogonal to every k(z_j, .),
    that is, if both agree at every z_j:

        K_zz b = K_zx a.

    Parameters
    ----------
    f : Expansion
        Its offsets are kept.
    points : rows of data, or a list of objects
        The z_j.

    Returns
    -------
    g : Expansion

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> x = np.array([[0.0], [0.1], [2.0]])
    >>> f = wm.Expansion(wm.Gaussian(1.0), x, np.ones((3, 1)), np.zeros(1))
    >>> g = wm.reduction.project(f, np.array([[0.0], [2.0]]))
    >>> f.distance(g).round(4)
    array([0.1404])
    """
    R = upper_factor(f.kernel.gram(points))
    values = f(points) - f.offsets
    return Expansion(f.kernel, points, scipy.linalg.cho_solve((R, False), values), f.offsets)
