"""Band matrices the slow and obvious way: as dense ones."""

import numpy as np


def dense(diagonals):
    """The symmetric matrix whose diagonal is the first row, and whose next ones are the others."""
    width, n = diagonals.shape
    B = np.zeros((n, n))
    for k in range(width):
        for i in range(n - k):
            B[i + k, i] = B[i, i + k] = diagonals[k, i]
    return B


def squared_lengths(lower, Q):
    """Of the columns of L^-1 Q, entry (i + k, i) of L being lower[i, k]."""
    n, width = lower.shape
    L = np.array([[lower[j, i - j] if 0 <= i - j < width else 0.0 for j in range(n)] for i in range(n)])
    return (np.linalg.solve(L, Q) ** 2).sum(axis=0)
