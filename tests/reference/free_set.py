"""The linear system among free variables, written out and handed to a general solver."""

import numpy as np


def bordered(Q, groups, count=None):
    """[[Q, E], [E', 0]] with a column of E for each group."""
    groups = np.asarray(groups, dtype=int)
    count = groups.max() + 1 if count is None else count
    E = np.eye(count)[groups]
    return np.block([[Q, E], [E.T, np.zeros((count, count))]])


def solve(Q, groups, b, sums):
    """d and r."""
    m = len(Q)
    x = np.linalg.solve(bordered(Q, groups), np.concatenate([b, sums]))
    return x[:m], x[m:]


def inverse_diagonal(Q, groups):
    return np.diag(np.linalg.inv(bordered(Q, groups)))[: len(Q)]


def log_determinant(Q, groups):
    """On an orthonormal basis of the vectors whose sums are zero."""
    E = np.eye(np.max(groups) + 1)[groups]
    _, _, right = np.linalg.svd(E.T)
    Z = right[E.shape[1] :].T
    return np.linalg.slogdet(Z.T @ Q @ Z)[1]


def span(Q):
    """The squared distance of each point from the affine hull of the others, by least squares."""
    distances = []
    for p in range(len(Q)):
        others = np.delete(np.arange(len(Q)), p)
        weights, _ = solve(Q[np.ix_(others, others)], [0] * len(others), Q[others, p], [1.0])
        distances.append(Q[p, p] - 2 * weights @ Q[others, p] + weights @ Q[np.ix_(others, others)] @ weights)
    return np.array(distances)
