"""Regularisation chosen by exact leave-one-out: n machines for the price of one."""

import numpy as np
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import widemargin as wm

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, train_size=600, random_state=0)

machine = wm.RLSClassifier(gamma=0.05).fit(X_train, y_train)
print(f"lam = {machine.lam_:.2e}, the best of {len(machine.lam_path_)}")
print(f"leave-one-out error {machine.loo_error_:.4f}, test error {1 - machine.score(X_test, y_test):.4f}")

i = 7  # one of the 600 machines, trained the long way, with the same ridge
others = np.arange(600) != i
lam = wm.Regularization.from_ridge(machine.ridge_, n=599).lam
without = wm.RLSClassifier(gamma=0.05, lam=lam).fit(X_train[others], y_train[others])
difference = without.decision_function(X_train[[i]])[0] - machine.loo_decision_[i]
print(f"its decision values differ from the closed form by {np.abs(difference).max():.0e}")

doubtful = np.flatnonzero(machine.loo_predictions_ != y_train)
for j in doubtful[:5]:
    print(f"training image {j} is labelled {y_train[j]}; the others say {machine.loo_predictions_[j]}")
