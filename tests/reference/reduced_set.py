"""Reduced sets the slow and obvious way: every projection by dense matrices, every choice by trying all."""

import numpy as np

from .kernels import gaussian, gram


def squared_distance(K, a, chosen):
    """min over b of |sum_i a_i k(x_i, .) - sum_j b_j k(x_j, .)|^2 with j chosen, summed over columns."""
    b = np.linalg.pinv(K[np.ix_(chosen, chosen)], hermitian=True) @ K[chosen] @ a
    rest = a.copy()
    rest[chosen] -= b
    return float(np.sum(rest * (K @ rest)))


def greedy(K, a, m):
    """m points, each the one after which the distance is least; their squared distances."""
    chosen, distances = [], []
    for _ in range(m):
        others = [i for i in range(len(K)) if i not in chosen]
        tried = [squared_distance(K, a, [*chosen, i]) for i in others]
        chosen.append(others[int(np.argmin(tried))])
        distances.append(min(tried))
    return chosen, np.array(distances)


def distance_from_span(z, x, a, gamma):
    """|f|^2 - 2 b'K_zx a + b'K_zz b for the best b, over |f|^2."""
    k = gaussian(gamma)
    K_xx, K_zx, K_zz = gram(k, x), gram(k, z, x), gram(k, z)
    b = np.linalg.solve(K_zz, K_zx @ a)
    squared = np.sum(a * (K_xx @ a))
    return (squared - 2 * np.sum(b * (K_zx @ a)) + np.sum(b * (K_zz @ b))) / squared
