"""The same script with scikit-learn's machine and with ours: same answers, and a certificate."""

import numpy as np
import sklearn.svm
from sklearn.datasets import load_digits
from sklearn.model_selection import train_test_split

import widemargin as wm

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, random_state=0)

theirs = sklearn.svm.SVC(C=10, decision_function_shape="ovo").fit(X_train, y_train)
ours = wm.SVC(C=10, decision_function_shape="ovo").fit(X_train, y_train)

print(f"accuracy: {theirs.score(X_test, y_test):.4f} and {ours.score(X_test, y_test):.4f}")
difference = theirs.decision_function(X_test) - ours.decision_function(X_test)
print(f"decision values differ by at most {np.abs(difference).max():.1e}")
print(ours.status_.sentence)
print(f"The optimum is better by {ours.duality_gap_ / ours.dual_objective_:.1e} (relative) at most.")
