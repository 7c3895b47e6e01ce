"""Least squares with few centres: three approximations, centres by chance or by pivots, bagging."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.datasets import load_digits
from sklearn.metrics import roc_auc_score, roc_curve

from widemargin.datasets import Sample, archive
from widemargin.estimators import SVC, RLSClassifier
from widemargin.kernels import Gaussian
from widemargin.least_squares import Basis, PivotedCentres, RandomCentres, captured_trace, columns_of
from widemargin.papers.experiment import Experiment, Scope, say
from widemargin.papers.table import Column, Table
from widemargin.selection import cross_validate_path

if TYPE_CHECKING:
    from matplotlib.figure import Figure

METHODS = ("subset", "rectangle", "nystrom")
DIGIT = 4
USPS = (7291, 2007)
"""Training and test digits of the study."""

TUNING = 1000
"""Training points on which C and gamma are chosen."""


@dataclass(frozen=True)
class Study:
    """Two classes of digits, -1 and +1, with the parameters of the machines."""

    train: Sample
    test: Sample
    C: float
    gamma: float
    lam: float

    def full(self) -> dict[str, Any]:
        """Both machines on all points, not yet fitted."""
        return {
            "SVM": SVC(C=self.C, gamma=self.gamma),
            "RLS": RLSClassifier(lam=self.lam, gamma=self.gamma, leave_one_out=False),
        }

    def outputs(self, method: str, rows: np.ndarray) -> np.ndarray:
        """Decision values at the test points of a machine with centres in these rows."""
        if method == "nystrom":
            return self._exact_kernel @ nystrom_coefficients(self.train, rows, self.gamma, self.lam)
        machine = RLSClassifier(
            lam=self.lam, gamma=self.gamma, centres=rows, approximation=method, leave_one_out=False
        )
        return machine.fit(self.train.X, self.train.y).decision_function(self.test.X)

    @cached_property
    def _exact_kernel(self) -> np.ndarray:
        return Gaussian(self.gamma).gram(self.test.X, self.train.X)

    def quality(self, values: np.ndarray) -> tuple[float, float]:
        """Area under the ROC curve and share of errors."""
        return roc_auc_score(self.test.y > 0, values), float(np.mean(np.sign(values) != self.test.y))


class LowRank(Experiment):
    """Digit 4 against the rest: area under the ROC curve (AUC) and errors on test points, mean over runs
    with other random centres, and of the mean of their outputs ("bagged"); share of the trace of K that
    the centres capture. "subset" trains on the centres alone, "rectangle" has coefficients at the centres
    and all points in the loss, "nystrom" is the study's: K_nm K_mm^-1 K_mn in training, all n
    coefficients with the exact kernel in prediction. "ic" takes the pivots of an incomplete Cholesky
    factor, once. C and gamma are the SVM's best of a grid, by cross-validation on 1,000 training points;
    RLS has the same gamma, and the lam of the least leave-one-out error on all points, for all its rows."""

    title = "Least squares with few centres: subset, rectangle, nystrom"
    source = "Rifkin 2002, thesis, figures 3-10, 3-17, 3-19, 3-21 and 3-23 to 3-25"
    needs = "mnist.npz in the data folder, which stands in for usps; without it scikit-learn's small digits."
    columns = (
        Column("centres"),
        Column("choice"),
        Column("method"),
        Column("trace", ".3f"),
        Column("AUC", ".4f"),
        Column("bagged AUC", ".4f"),
        Column("error", ".2%"),
        Column("bagged error", ".2%"),
        Column("seconds", ".2f"),
    )

    def rows(self, scope: Scope) -> Iterator[tuple[Any, ...]]:
        say("choosing C, gamma and lam")
        study = prepare(scope)
        gram = Gaussian(study.gamma).bind(study.train.X)
        every = np.arange(len(study.train.y), dtype=np.int32)
        for name, machine in study.full().items():
            begin = time.perf_counter()
            values = machine.fit(study.train.X, study.train.y).decision_function(study.test.X)
            auc, error = study.quality(values)
            yield every.size, "all", name, 1.0, auc, None, error, None, time.perf_counter() - begin
        for size in sizes(every.size):
            say(f"{size} centres")
            choices = {
                "random": [
                    RandomCentres(size, seed).choose(gram, every) for seed in range(10 if scope.full else 3)
                ],
                "ic": [PivotedCentres(size).choose(gram, every)],
            }
            for choice, runs in choices.items():
                trace = float(np.mean([captured_trace(gram, rows) for rows in runs]))
                for method in METHODS:
                    begin = time.perf_counter()
                    outputs = [study.outputs(method, rows) for rows in runs]
                    seconds = (time.perf_counter() - begin) / len(runs)
                    auc, error = np.mean([study.quality(values) for values in outputs], axis=0)
                    bagged = study.quality(np.mean(outputs, axis=0)) if len(runs) > 1 else (None, None)
                    yield size, choice, method, trace, auc, bagged[0], error, bagged[1], seconds

    def notes(self, table: Table, scope: Scope) -> list[str]:
        stand_in = (
            "7,291 and 2,007 digits of MNIST (fewer without --full) stand in for it."
            if archive.is_here("mnist", scope.data_dir)
            else "scikit-learn's 1,797 digits of 8 x 8 pixels stand in for it."
        )
        notes = [f"The face images of the study are not public, and usps is not among the data: {stand_in}"]
        if table.complete:
            notes += [
                "The curves of the study are lost, its findings are not:",
                f"(1) RLS on all points is as good as the SVM or better. Here: AUC {full_machines(table)}.",
                f"(4) rectangle is better than subset, and subset than nystrom. Here: {ranking(table)}.",
                "(5) Bagging helps weak machines, nystrom with few centres most, and never the best. "
                f"Here the AUC rises so: {bagging(table)}.",
                "(6) ic captures less of the trace than random centres and predicts no better, except "
                f"perhaps with few. Here: {pivots(table)}.",
            ]
        return notes


def nystrom_coefficients(train: Sample, rows: np.ndarray, gamma: float, lam: float) -> np.ndarray:
    """u with (K_nm K_mm^-1 K_mn + lam n I) u = y, to be used with the exact kernel, f(x) = sum_i u_i k(x,
    x_i).

    Nobody should want that machine: its kernels in training and in prediction differ. With the approximate
    kernel in both places it is "rectangle".
    """
    gram, n = Gaussian(gamma).bind(train.X), len(train.y)
    rows, every, ridge = np.asarray(rows, dtype=np.int32), np.arange(n, dtype=np.int32), lam * n
    A = Basis(columns_of(gram, rows, rows)).features(columns_of(gram, every, rows))
    v = np.linalg.solve(A.T @ A + ridge * np.eye(len(rows)), A.T @ train.y)
    return (train.y - A @ v) / ridge


def prepare(scope: Scope) -> Study:
    """The data at hand, with parameters chosen on the training points."""
    train, test = digits(scope.data_dir, scope.full)
    scale = 1 / (train.X.shape[1] * train.X.var())
    few = slice(TUNING)
    found = cross_validate_path(
        SVC(),
        train.X[few],
        train.y[few],
        Cs=4.0 ** np.arange(0, 5),
        gammas=scale * 2.0 ** np.arange(-2, 4),
        scoring="roc_auc",
    )
    rls = RLSClassifier(gamma=found.best_gamma, lam="loo").fit(train.X, train.y)
    return Study(train, test, found.best_C, found.best_gamma, rls.lam_)


def digits(data_dir: Path | None, full: bool) -> tuple[Sample, Sample]:
    """Digit 4 (+1) against the rest (-1), pixels between 0 and 1, in random order."""
    if archive.is_here("mnist", data_dir):
        train, test = archive.parts("mnist", data_dir)
        n, n_test = USPS if full else (2000, USPS[1])
        return _some(train, n, 255.0), _some(test, n_test, 255.0)
    X, y = load_digits(return_X_y=True)
    whole = _some(Sample(X, y), len(y), 16.0)
    n = 2 * len(y) // 3
    return Sample(whole.X[:n], whole.y[:n]), Sample(whole.X[n:], whole.y[n:])


def _some(sample: Sample, n: int, white: float) -> Sample:
    rows = np.random.default_rng(0).permutation(len(sample.y))[:n]
    return Sample(sample.X[rows] / white, np.where(sample.y[rows] == DIGIT, 1.0, -1.0))


def sizes(n: int) -> tuple[int, ...]:
    """Numbers of centres: the study's, or fewer if there are few points."""
    return tuple(size for size in (1024, 512, 256, 128) if size <= n // 2)


def full_machines(table: Table) -> str:
    """The AUC of both machines on all points."""
    auc = {r["method"]: r["AUC"] for r in table.records() if r["choice"] == "all"}
    return ", ".join(f"{name} {value:.4f}" for name, value in auc.items())


def _random(table: Table) -> list[dict[str, Any]]:
    return [record for record in table.records() if record["choice"] == "random"]


def ranking(table: Table) -> str:
    """For how many numbers of centres the order is the printed one."""
    auc = {(r["centres"], r["method"]): r["AUC"] for r in _random(table)}
    sizes = list(dict.fromkeys(size for size, _ in auc))
    first = sum(auc[size, "rectangle"] >= auc[size, "subset"] for size in sizes)
    second = sum(auc[size, "subset"] >= auc[size, "nystrom"] for size in sizes)
    return f"the first for {first}, the second for {second} of {len(sizes)} numbers of centres"


def bagging(table: Table) -> str:
    """By how much the AUC rises for each method, with the fewest centres and with the most."""
    gains = {(r["method"], r["centres"]): r["bagged AUC"] - r["AUC"] for r in _random(table)}
    fewest, most = min(table["centres"]), max(r["centres"] for r in _random(table))
    return ", ".join(
        f"{method} {gains[method, fewest]:+.4f} with {fewest} and {gains[method, most]:+.4f} with {most}"
        for method in METHODS
    )


def pivots(table: Table) -> str:
    """For how many numbers of centres ic captures less, and in how many cells it predicts better."""
    cells: dict[tuple[int, str], dict[str, dict[str, Any]]] = {}
    for record in table.records():
        if record["choice"] in ("random", "ic"):
            cells.setdefault((record["centres"], record["method"]), {})[record["choice"]] = record
    pairs = [(cell["random"], cell["ic"]) for cell in cells.values()]
    less = sum(ic["trace"] < random["trace"] for random, ic in pairs) // len(METHODS)
    better = sum(ic["AUC"] > random["AUC"] for random, ic in pairs)
    sizes = len(pairs) // len(METHODS)
    return f"less for {less} of {sizes} numbers of centres, a higher AUC in {better} of {len(pairs)} rows"


def draw(study: Study) -> Figure:
    """ROC curves of both machines on all points, and their outputs as crossplots (figures 3-10, 3-12)."""
    from matplotlib.figure import Figure

    figure = Figure(figsize=(12, 4), layout="constrained")
    curves, *crossplots = figure.subplots(1, 3)
    machines = {name: each.fit(study.train.X, study.train.y) for name, each in study.full().items()}
    for name, machine in machines.items():
        false, true, _ = roc_curve(study.test.y, machine.decision_function(study.test.X))
        curves.plot(false, true, label=name)
    curves.set(title="ROC", xlabel="false positives", ylabel="true positives", xlim=(0, 0.1))
    curves.legend()
    for ax, title, sample in zip(crossplots, ("training", "test"), (study.train, study.test), strict=True):
        values = [machine.decision_function(sample.X) for machine in machines.values()]
        ax.scatter(*values, c=np.where(sample.y > 0, "#0072B2", "#E69F00"), s=4)
        ax.set(title=title, xlabel="SVM", ylabel="RLS")
    return figure
