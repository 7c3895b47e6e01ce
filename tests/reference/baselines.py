"""The baselines from their definitions: all distances, all votes, one example at a time."""

import numpy as np


def squared_distances_to_means(K, K_new, k_new, labels, weight):
    """|Phi(x) - mean_c|^2 for each new x and each class c, from kernel matrices alone."""
    columns = []
    for c in range(labels.max() + 1):
        w = np.where(labels == c, weight, 0.0)
        w = w / w.sum()
        columns.append(k_new - 2 * K_new @ w + w @ K @ w)
    return np.stack(columns, axis=1)


def neighbors(diagonal, K_new, k_new, k):
    """Indices of the k nearest points of each row, ties to the smaller index."""
    squared = k_new[:, None] - 2 * K_new + diagonal
    return np.array([sorted(range(len(row)), key=lambda j: (row[j], j))[:k] for row in squared])


def vote(labels, weights):
    """The label with the largest weight in all; of several the one that comes first."""
    totals = {}
    for label, weight in zip(labels, weights, strict=True):
        totals[label] = totals.get(label, 0.0) + weight
    most = max(totals.values())
    return next(label for label in labels if totals[label] >= most - 1e-12)


def perceptron(K, labels, epochs):
    """Coefficients after each presentation, in order, and the mistakes of each epoch, until one has none."""
    n, classes = len(K), labels.max() + 1
    c, course, mistakes = np.zeros((n, classes)), [], []
    for _ in range(epochs):
        mistakes.append(0)
        for i in range(n):
            values = K[i] @ c
            others = [r for r in range(classes) if r != labels[i]]
            rival = max(others, key=lambda r, values=values: values[r])
            if values[labels[i]] <= values[rival]:
                c[i, labels[i]] += 1
                c[i, rival] -= 1
                mistakes[-1] += 1
            course.append(c.copy())
        if mistakes[-1] == 0:
            break
    return course, mistakes
