"""Probabilities that agree with the predictions, and how well they are calibrated."""

import numpy as np
from sklearn.metrics import brier_score_loss, log_loss
from sklearn.svm import LinearSVC

import widemargin as wm
from widemargin.datasets import twonorm

train, test = twonorm(400, seed=0), twonorm(4000, seed=1)

models = {
    "SVC(probability=True)": wm.SVC(C=1, probability=True),
    "Calibrated(LinearSVC())": wm.Calibrated(LinearSVC()),
}
for name, model in models.items():
    model.fit(train.X, train.y)
    P = model.predict_proba(test.X)
    assert (model.classes_[P.argmax(axis=1)] == model.predict(test.X)).all()
    print(f"{name}: log loss {log_loss(test.y, P):.3f}, Brier score {brier_score_loss(test.y, P[:, 1]):.3f}")
    for low, high in [(0.0, 0.2), (0.2, 0.8), (0.8, 1.0)]:
        those = (P[:, 1] >= low) & (P[:, 1] <= high)
        predicted, found = P[those, 1].mean(), np.mean(test.y[those] == model.classes_[1])
        print(f"  predicted {predicted:.2f}, found {found:.2f} ({those.sum()} points)")
