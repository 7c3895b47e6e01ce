"""Leave-one-out by training the machine anew without each point."""

import numpy as np
from sklearn.base import clone


def retrained(machine, X, y, sample_weight=None):
    """(values, predictions) of n machines, each at the point it does not know; pairs as with "ovo"."""
    machine = clone(machine).set_params(tol=1e-11)
    if hasattr(machine, "decision_function_shape"):
        machine.set_params(decision_function_shape="ovo")
    weight = np.ones(len(y)) if sample_weight is None else np.asarray(sample_weight)
    values, predictions = [], []
    for i in range(len(y)):
        others = np.arange(len(y)) != i
        fitted = machine.fit(X[others], y[others], weight[others])
        value = getattr(fitted, "decision_function", fitted.predict)
        values.append(value(X[[i]])[0])
        predictions.append(fitted.predict(X[[i]])[0])
    return np.array(values), np.array(predictions)
