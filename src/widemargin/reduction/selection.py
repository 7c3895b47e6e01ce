"""The points of an expansion that express it best."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from widemargin.expansion import Expansion
from widemargin.kernels.points import count

RESIDUAL = 1e-10
"""A point of which no more than this share is left, outside the span of those chosen, adds nothing."""


def select(f: Expansion, n_points: int) -> NDArray[np.intp]:
    """Choose points of f one by one, each the one that brings the projection nearest to f.

    Let r = f - g be what the points chosen so far leave of f, and d_i the squared distance of Phi(x_i) from
    their span. Adding x_i lowers |r|^2, summed over the columns of f, by

        sum_c r_c(x_i)^2 / d_i,

    which is what is maximised: orthogonal matching pursuit, here with the exact gain. A column of a Cholesky
    factor per point keeps r and d up to date, O(n m^2) for m of n points; n x m kernel values are needed.

    Parameters
    ----------
    f : Expansion
    n_points : int
        Fewer are chosen if they express f to rounding.

    Returns
    -------
    chosen : int array
        Positions among the points of f, in the order of choice: the first ones are the choice for fewer.

    References
    ----------
    Smola and Schoelkopf, Sparse greedy matrix approximation for machine learning, ICML 2000.
    Vincent and Bengio, Kernel matching pursuit, Machine Learning 48, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> x = np.array([[0.0], [0.1], [2.0]])
    >>> f = wm.Expansion(wm.Gaussian(1.0), x, np.ones((3, 1)), np.zeros(1))
    >>> wm.reduction.select(f, 2)
    array([1, 2])
    """
    n = count(f.points)
    gram, every = f.kernel.bind(f.points), np.arange(n, dtype=np.int32)
    diagonal = gram.diagonal()
    left, residual = diagonal.copy(), f(f.points) - f.offsets
    L = np.empty((n, n_points))
    chosen: list[int] = []
    while len(chosen) < n_points:
        open_ = left > RESIDUAL * diagonal
        if not open_.any():
            break
        gain = np.where(open_, (residual**2).sum(axis=1) / np.where(open_, left, 1.0), -1.0)
        p, t = int(np.argmax(gain)), len(chosen)
        column = gram.block(every, every[p : p + 1])[:, 0] - L[:, :t] @ L[p, :t]
        L[:, t] = column / np.sqrt(left[p])
        residual -= np.outer(L[:, t], residual[p] / np.sqrt(left[p]))
        left -= L[:, t] ** 2
        left[p] = 0.0
        chosen.append(p)
    return np.array(chosen, dtype=np.intp)
