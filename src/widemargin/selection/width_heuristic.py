"""A first width for Gaussian kernels."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin import _core
from widemargin.kernels import ARDGaussian, Gaussian, GeneralGaussian, Kernel, ManifoldGaussian
from widemargin.kernels.points import as_points, count

BLOCK_ENTRIES = 2**22

SAMPLE = 2000
"""Points whose distances to all others are looked at."""


def width_heuristic(
    X: Any, y: ArrayLike, *, pairs: str = "nearest", quantile: float = 0.5, random_state: Any = 0
) -> float:
    """The median distance m between points of different classes, for gamma = 1 / (2 m^2).

    A boundary between the classes has to bend on this scale, so that it is where to begin a search for the
    width of a Gaussian kernel, and the centre of a prior for it.

    Parameters
    ----------
    X : {array-like, sparse matrix} of shape (n_samples, n_features)
    y : array-like of shape (n_samples,)
        Classes; if they are target values (real numbers), all pairs of points count.
    pairs : {"nearest", "all"}, default="nearest"
        Whether the distance of each point to the nearest one of another class counts, or that of all pairs.
        Where the classes are not two blobs, all pairs give kernels that are far too wide.
    quantile : float, default=0.5
        In (0, 1); a higher one where labels are noisy.
    random_state : int, RandomState instance or None, default=0
        Chooses the 2000 points whose distances are looked at, if there are more.

    Returns
    -------
    m : float

    References
    ----------
    Jaakkola, Diekhans and Haussler, Using the Fisher kernel method to detect remote protein homologies, 1999.

    Examples
    --------
    >>> from widemargin.selection import width_heuristic
    >>> width_heuristic([[0.0], [1.0], [3.0], [7.0]], [0, 0, 1, 1])
    2.5
    >>> width_heuristic([[0.0], [1.0], [3.0], [7.0]], [0, 0, 1, 1], pairs="all")
    4.5
    """
    if pairs not in ("nearest", "all"):
        raise ValueError(f"pairs must be 'nearest' or 'all', not {pairs!r}.")
    if not 0 < quantile < 1:
        raise ValueError(f"quantile must lie strictly between 0 and 1, not {quantile!r}.")
    points, y, n = as_points(X), np.asarray(y), count(X)
    if y.shape != (n,):
        raise ValueError(f"y must have one entry for each of the {n} points; got the shape {y.shape}.")
    groups = np.arange(n) if y.dtype.kind == "f" and (y % 1).any() else np.unique(y, return_inverse=True)[1]
    if (groups == groups[0]).all():
        raise ValueError("y has a single class: a width between classes needs two.")
    distances = _distances(points, groups, pairs == "nearest", np.random.default_rng(_seed(random_state)))
    positive = distances[distances > 0]
    if not positive.size:
        raise ValueError(
            "all points are the same, or squares of their distances are too large or too small for numbers: "
            "they have no distance from each other. Scale the features."
        )
    return float(np.quantile(positive, quantile))


def _distances(points: Any, groups: NDArray[Any], nearest: bool, random: np.random.Generator) -> Any:
    """Distances of points to those of other groups, or to the nearest of them."""
    n = groups.size
    some = np.arange(n) if n <= SAMPLE else np.sort(random.choice(n, SAMPLE, replace=False))
    gram, every = _core.squared_distance(points, points), np.arange(n, dtype=np.int32)
    found = []
    for part in np.array_split(some.astype(np.int32), -(-some.size * n // BLOCK_ENTRIES)):
        squares = gram.block(part, every)
        other = groups[part, None] != groups[None, :]
        if nearest:
            found.append(np.where(other & (squares > 0), squares, np.inf).min(axis=1))
        else:
            found.append(squares[other])
    squares = np.concatenate(found)
    return np.sqrt(np.maximum(squares[np.isfinite(squares)], 0.0))


def at_width(kernel: Kernel, width: float) -> Kernel | None:
    """The kernel of the same kind whose scale is this width in all directions; None for other kernels."""
    gamma = 1 / (2 * width**2)
    if isinstance(kernel, Gaussian):
        return Gaussian(gamma)
    if isinstance(kernel, ARDGaussian):
        return ARDGaussian(gamma if np.ndim(kernel.gamma) == 0 else np.full(np.size(kernel.gamma), gamma))
    if isinstance(kernel, GeneralGaussian):
        return GeneralGaussian(np.eye(len(kernel.M)) / width**2)
    if isinstance(kernel, ManifoldGaussian):
        return ManifoldGaussian(np.eye(len(kernel.B)) / width, variant=kernel.variant)
    return None


def _seed(random_state: Any) -> Any:
    if isinstance(random_state, np.random.RandomState):
        return random_state.randint(2**31)
    return random_state
