"""In which order a decision graph asks for classes."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray


def dag_order(confusion: ArrayLike) -> NDArray[np.intp]:
    """An order of the classes in which those that are hard to tell apart are neighbours.

    A decision graph (`Dag`) sets the first of the classes left against the last one and drops the loser, so
    that neighbours meet last, when the others are gone. The order is that of the second eigenvector of the
    graph Laplacian of the confusions, which minimises sum_rs confusion_rs (t_r - t_s)^2 over unit vectors t
    of mean zero.

    Parameters
    ----------
    confusion : array-like of shape (n_classes, n_classes)
        How often class r was taken for class s, or any other likeness; the diagonal plays no part.

    Returns
    -------
    order : array of shape (n_classes,)
        For ``Dag(order)``.

    Examples
    --------
    >>> from widemargin.codes import dag_order
    >>> dag_order([[90, 0, 7], [0, 95, 5], [6, 4, 80]]).tolist()
    [0, 2, 1]
    """
    A = np.asarray(confusion, dtype=np.float64)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or len(A) < 2 or not np.isfinite(A).all() or A.min() < 0:
        raise ValueError(
            "confusion must be a square matrix of finite numbers >= 0, with a row for each class."
        )
    A = (A + A.T) / 2
    np.fill_diagonal(A, 0.0)
    A += np.finfo(float).eps * max(A.max(), 1.0)  # keeps classes that are never confused together
    _, vectors = np.linalg.eigh(np.diag(A.sum(axis=1)) - A)
    t = vectors[:, 1]
    return np.argsort(t if t[np.flatnonzero(t)[0]] < 0 else -t, kind="stable")
