"""Least squares against the SVM, both tuned on training points alone, on many sets."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import numpy as np
from sklearn.model_selection import train_test_split
from sklearn.preprocessing import StandardScaler

from widemargin.datasets import Sample
from widemargin.estimators import SVC, RLSClassifier
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.sets import Sets
from widemargin.papers.table import Column, Table
from widemargin.selection import cross_validate_path

CS = 4.0 ** np.arange(-1, 6)
GAMMAS = 4.0 ** np.arange(-3, 3)
"""Of the SVM; gamma in units of 1 / number of features."""

TRAINING, REPEATS = (200, 400), (3, 5)
"""Most training points, and random splits: quickly and fully."""

MOST_TEST = 5000

FOLDS = 5
"""Of the SVM's cross-validation; each has to have a point of every class."""


class RLSVersusSVM(Experiment):
    """Per cent of wrong test points of both machines, RLS minus SVM in points with the standard error of
    that mean over random splits, and seconds of tuning and training. Gaussian kernels, a free bias, one
    machine per class; features standardised by the training points, two thirds of a set but at most 200
    (with --full: 400) of them; classes of fewer than five training points are left out. SVM: C and gamma
    by five-fold cross-validation over 7 x 6 values. RLS: gamma and lam by exact leave-one-out
    (gamma="loo", lam="loo"). Both are then trained on all training points; nobody looks at test points
    before the end."""

    title = "Least squares beside the SVM: both tuned, on many sets"
    source = "Rifkin 2002, thesis, sections 3.4, 3.6 and 3.8: as accurate as the SVM"
    needs = "Nothing for ten sets; others are used if the data folder has them."
    columns = (
        Column("set"),
        Column("classes"),
        Column("n"),
        Column("test"),
        Column("splits"),
        Column("SVM %", ".2f"),
        Column("RLS %", ".2f"),
        Column("difference", "+.2f"),
        Column("standard error", ".2f", "+-"),
        Column("SVM s", ".2f"),
        Column("RLS s", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        sets = Sets(scope.data_dir)
        for name in sets.available():
            say(name)
            yield compare(name, sets.load(name), TRAINING[scope.full], REPEATS[scope.full])

    def notes(self, table: Table, scope: Scope) -> list[str]:
        differences = np.array(table["difference"])
        return [
            f"RLS is within one point of the SVM or better on {np.sum(differences <= 1)} of "
            f"{differences.size} sets; the mean difference is {differences.mean():+.2f} points, the median "
            f"{np.median(differences):+.2f}."
        ]


def compare(name: str, sample: Sample, most: int, repeats: int) -> tuple[Any, ...]:
    """A row of the table."""
    sample = of_frequent_classes(sample, training_points(sample, most))
    runs = np.array([run(sample, most, seed) for seed in range(repeats)])
    n, test, svm, rls, svm_seconds, rls_seconds = runs.mean(axis=0)
    differences = runs[:, 3] - runs[:, 2]
    error = float(differences.std(ddof=1) / np.sqrt(repeats)) if repeats > 1 else None
    classes = len(np.unique(sample.y))
    return name, classes, n, test, repeats, svm, rls, rls - svm, error, svm_seconds, rls_seconds


def run(sample: Sample, most: int, seed: int) -> tuple[float, ...]:
    """Sizes, errors of SVM and RLS in per cent, and their seconds, on one random split."""
    n = training_points(sample, most)
    X, X_test, y, y_test = train_test_split(
        sample.X,
        sample.y,
        train_size=n,
        test_size=min(MOST_TEST, len(sample.y) - n),
        stratify=sample.y,
        random_state=seed,
    )
    scaler = StandardScaler().fit(X)
    X, X_test = scaler.transform(X), scaler.transform(X_test)
    errors, seconds = [], []
    for tune in (tuned_svm, tuned_rls):
        begin = time.perf_counter()
        machine = tune(X, y)
        seconds.append(time.perf_counter() - begin)
        errors.append(100 * (1 - machine.score(X_test, y_test)))
    return n, len(y_test), *errors, *seconds


def training_points(sample: Sample, most: int) -> int:
    """Two thirds, but not more than `most`."""
    return min(most, 2 * len(sample.y) // 3)


def of_frequent_classes(sample: Sample, n: int) -> Sample:
    """The points of classes that have FOLDS points or more among n of them."""
    classes, counts = np.unique(sample.y, return_counts=True)
    frequent = classes[counts * n >= FOLDS * len(sample.y)]
    rows = np.isin(sample.y, frequent)
    return Sample(sample.X[rows], sample.y[rows])


def tuned_svm(X: np.ndarray, y: np.ndarray) -> SVC:
    """The best of the grid by cross-validation."""
    machine = SVC(multiclass="one-vs-all")
    found = cross_validate_path(machine, X, y, Cs=CS, gammas=GAMMAS / X.shape[1], cv=FOLDS)
    return found.best_estimator().fit(X, y)


def tuned_rls(X: np.ndarray, y: np.ndarray) -> RLSClassifier:
    """lam and gamma by leave-one-out; with a bias, because the SVM has one."""
    return RLSClassifier(gamma="loo", bias="free").fit(X, y)
