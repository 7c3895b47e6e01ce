"""A path over C: each machine starts where the one before it ended."""

import numpy as np
from sklearn.datasets import load_breast_cancer
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

import widemargin as wm

X, y = load_breast_cancer(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X, y, random_state=0)
scale = StandardScaler().fit(X_train)
X_train, X_test = scale.transform(X_train), scale.transform(X_test)

warm = wm.SVC(gamma=0.01, warm_start=True)
print(f"{'C':>8} {'accuracy':>8} {'support':>8} {'warm':>8} {'cold':>8}   iterations")
for C in np.logspace(-1, 3, 9):
    warm.set_params(C=C).fit(X_train, y_train)
    cold = wm.SVC(gamma=0.01, C=C).fit(X_train, y_train)
    print(
        f"{C:8.3g} {warm.score(X_test, y_test):8.3f} {len(warm.support_):8} "
        f"{warm.n_iter_[0]:8,} {cold.n_iter_[0]:8,}"
    )
