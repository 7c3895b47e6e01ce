"""Kernels are objects: build one from parts, and search the parameters of the parts."""

import numpy as np
from sklearn.model_selection import GridSearchCV

import widemargin as wm

random = np.random.default_rng(0)
X = np.sort(random.uniform(0, 10, size=(150, 1)), axis=0)
y = 0.5 * X[:, 0] + np.sin(2 * X[:, 0]) + 0.1 * random.normal(size=150)


def on_circle(X):
    """Two features that repeat with the period pi."""
    return np.hstack([np.cos(2 * X), np.sin(2 * X)])


trend, waves = wm.Linear(), wm.Gaussian().pull_back(on_circle)
kernels = {"waves": waves, "trend": trend, "trend + waves": trend + waves}
future = np.linspace(10, 15, 50)[:, None]
truth = 0.5 * future[:, 0] + np.sin(2 * future[:, 0])

for name, kernel in kernels.items():
    machine = wm.SVR(kernel=kernel, C=10, epsilon=0.05).fit(X, y)
    error = np.sqrt(np.mean((machine.predict(future) - truth) ** 2))
    print(f"{name:14} error beyond the data: {error:.3f}")

grid = {"kernel__left__factor": [0.01, 1.0], "kernel__right__kernel__gamma": [0.1, 1.0, 10.0]}
search = GridSearchCV(wm.SVR(kernel=1.0 * trend + waves, C=10, epsilon=0.05), grid).fit(X, y)
print("best kernel:", search.best_estimator_.kernel_)
