"""Real data that come with the packages of the tests, standardised."""

import numpy as np
from sklearn import datasets as bundled
from sklearn.preprocessing import scale

from widemargin import datasets

BUNDLED = {
    "iris": bundled.load_iris,
    "wine": bundled.load_wine,
    "breast cancer": bundled.load_breast_cancer,
    "digits": bundled.load_digits,
}
GENERATED = {"titanic": datasets.titanic, "tic-tac-toe": datasets.tic_tac_toe}
KEEL = (
    "australian",
    "bupa",
    "contraceptive",
    "dermatology",
    "haberman",
    "ionosphere",
    "mammographic",
    "newthyroid",
    "pima",
    "saheart",
    "spectfheart",
    "vowel",
    "zoo",
)
CLASSIFICATION = (*BUNDLED, *GENERATED, *KEEL)
LARGEST = 1000  # points; of a longer table every so many are taken


def classification(name):
    """X, y of a set; several of them have more than two classes."""
    if name in BUNDLED:
        X, y = BUNDLED[name](return_X_y=True)
    else:
        sample = GENERATED[name]() if name in GENERATED else datasets.keel(name)
        X, y = sample.X, sample.y
    every = -(-len(X) // LARGEST)
    X, y = X[::every], y[::every]
    return scale(X[:, X.std(axis=0) > 0]), np.unique(y, return_inverse=True)[1]


def regression():
    """The diabetes set, targets of unit variance."""
    X, t = bundled.load_diabetes(return_X_y=True)
    return scale(X), t / t.std()
