"""Least-squares machines the slow and obvious way: dense systems, and leave-one-out by training n times."""

import numpy as np


def kernel_with_bias(K, bias):
    """The kernel that the bias makes of K, where it is one."""
    return K + 1.0 if bias == "penalised" else K


def fit(K, Y, weight, ridge, bias):
    """Coefficients and intercept; (WK + ridge I) c = WY allows for weights of zero."""
    n = len(K)
    W = np.diag(weight)
    if bias != "free":
        c = np.linalg.solve(W @ kernel_with_bias(K, bias) + ridge * np.eye(n), W @ Y)
        return c, c.sum(axis=0) if bias == "penalised" else np.zeros(Y.shape[1])
    bordered = np.block([[np.zeros((1, 1)), np.ones((1, n))], [weight[:, None], W @ K + ridge * np.eye(n)]])
    solution = np.linalg.solve(bordered, np.vstack([np.zeros((1, Y.shape[1])), W @ Y]))
    return solution[1:], solution[0]


def objective(K, Y, weight, ridge, c, b):
    """sum w (y - f)^2 + ridge |g|^2, a free bias not included in the norm."""
    return float((weight[:, None] * (Y - K @ c - b) ** 2).sum() + ridge * np.sum(c * (K @ c)))


def leave_one_out(K, Y, weight, ridge, bias):
    """Values at each point of the machine without one copy of it: all of it for weights <= 1."""
    values = np.empty_like(Y)
    for i in range(len(K)):
        less = weight.copy()
        less[i] = max(weight[i] - 1.0, 0.0)
        c, b = fit(K, Y, less, ridge, bias)
        values[i] = K[i] @ c + b
    return values


def gcv(K, Y, weight, ridge, bias):
    """n^2 / sum w times sum w r^2 / (n - trace H)^2, H the whole hat matrix; copies weigh 1 or less."""
    n, identity = np.maximum(weight, weight > 0).sum(), np.eye(len(K))
    c, b = fit(K, identity, weight, ridge, bias)
    H = K @ c + b
    r = Y - H @ Y
    return n**2 / weight.sum() * float((weight @ r**2).mean()) / (n - np.trace(H)) ** 2
