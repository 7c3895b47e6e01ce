"""Codes, decodings, and the claim that a well-tuned one-vs-all is as good as any of them."""

from sklearn.datasets import load_digits
from sklearn.linear_model import RidgeClassifier
from sklearn.model_selection import train_test_split

import widemargin as wm

X, y = load_digits(return_X_y=True)
X_train, X_test, y_train, y_test = train_test_split(X / 16, y, train_size=400, random_state=0)

for code in ("one-vs-all", "all-pairs", "dag", "dense-random", "sparse-random", "bch"):
    svm = wm.SVC(C=10, gamma=0.5, multiclass=code).fit(X_train, y_train)
    rls = wm.RLSClassifier(gamma=0.5, lam=1e-4, multiclass=code).fit(X_train, y_train)
    print(
        f"{code}: {svm.code_.shape[1]} columns, errors {1 - svm.score(X_test, y_test):.2%} (SVC) and "
        f"{1 - rls.score(X_test, y_test):.2%} (RLSClassifier, {rls.n_systems_} systems)"
    )

code = wm.codes.bch(10, random_state=0)
print(code.report())
for decoding in ("hamming", "loss"):
    machine = wm.OutputCode(RidgeClassifier(), code, decoding).fit(X_train, y_train)
    print(f"RidgeClassifier, {decoding}: {1 - machine.score(X_test, y_test):.2%}")
