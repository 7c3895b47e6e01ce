"""Kernels as their formulas read, one pair of points at a time."""

import numpy as np
import scipy.sparse as sp


def dense(X):
    return np.asarray(X.toarray() if sp.issparse(X) else X, dtype=np.float64)


def gram(k, X, Y=None):
    X = dense(X)
    Y = X if Y is None else dense(Y)
    return np.array([[k(x, z) for z in Y] for x in X])


def linear(x, z):
    return np.sum(x * z)


def polynomial(degree, gamma, coef0):
    return lambda x, z: (gamma * linear(x, z) + coef0) ** degree


def sigmoid(gamma, coef0):
    return lambda x, z: np.tanh(gamma * linear(x, z) + coef0)


def gaussian(gamma):
    return lambda x, z: np.exp(-gamma * np.sum((x - z) ** 2))


def ard_gaussian(gamma):
    return lambda x, z: np.exp(-np.sum(gamma * (x - z) ** 2))


def general_gaussian(M):
    return lambda x, z: np.exp(-0.5 * (x - z) @ M @ (x - z))


def laplacian(gamma):
    return lambda x, z: np.exp(-gamma * np.sum(np.abs(x - z)))


def monomial_features(x, degree):
    """All products of `degree` coordinates of `x`, in any order: n^degree features."""
    features = np.ones(1)
    for _ in range(degree):
        features = np.outer(features, x).ravel()
    return features
