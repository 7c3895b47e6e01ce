"""Dual coordinate descent over weights, one variable after the other, as it is written in the papers.

    a_v <- clip(a_v + G_v / (|x_v|^2 + rho_v)),   G_v = linear_v - <w, x_v> - rho_v a_v,   w <- w + change x_v

for problems without a bias, or with one that is a coordinate of every point.
"""

import numpy as np


def augmented(X, constant):
    """The points with a last coordinate that is constant."""
    return np.column_stack([X, np.full(len(X), constant)])


def descend(problem, X, sweeps):
    """Variables and weights after so many sweeps over all variables in their order."""
    rows = problem.rows
    ridge = np.zeros(problem.size) if problem.ridge is None else problem.ridge
    a, w = np.zeros(problem.size), np.zeros(X.shape[1])
    for _ in range(sweeps):
        for v in np.flatnonzero(rows >= 0):
            x = X[rows[v]]
            G = problem.linear[v] - w @ x - ridge[v] * a[v]
            best = np.clip(a[v] + G / (x @ x + ridge[v]), problem.lower[v], problem.upper[v])
            w += (best - a[v]) * x
            a[v] = best
    return a, w


def primal(X, y, w, b, C, loss, epsilon=0.0, penalised=0.0):
    """1/2 |w|^2 + penalised b^2 / 2 + sum C_i loss, of a classifier (labels -1, +1) or a regression."""
    f = X @ w + b
    slack = np.maximum(0, 1 - y * f) if "hinge" in loss else np.maximum(0, np.abs(y - f) - epsilon)
    return (w @ w + penalised * b**2) / 2 + np.sum(C * (slack**2 if "squared" in loss else slack))
