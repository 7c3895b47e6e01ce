"""AutoSVC beside a grid search of scikit-learn: error, log-loss and time on real data sets."""

from __future__ import annotations

import time
import warnings
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.metrics import log_loss
from sklearn.model_selection import GridSearchCV, train_test_split
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.svm import SVC

from widemargin.datasets import archive
from widemargin.selection import AutoSVC

CS, GAMMAS, FOLDS = 2.0 ** np.arange(-5, 15, 2), 2.0 ** np.arange(-15, 5, 2), 5

SETS = (
    *("ionosphere", "pima", "breastcancer_w", "keel_banana", "keel_german", "keel_heart", "keel_segment"),
    *("spam", "covtype12k", "a9a", "glass", "vowel", "satimage", "yeast", "waveform", "keel_splice", "dna"),
)

POINTS, TEST_POINTS, FEWEST, SHARE = 1000, 4000, 10, 0.7
"""Points to train on and to test on at most; classes of fewer are left out; the part to train on."""


@dataclass(frozen=True)
class Result:
    """What a contender made of a data set."""

    error: float
    log_loss: float
    seconds: float


@dataclass(frozen=True)
class Comparison:
    """Both contenders on one split of a data set."""

    name: str
    points: int
    theirs: Result
    ours: Result

    def __str__(self) -> str:
        return (
            f"{self.name:<16} n={self.points:<5} error {self.theirs.error:.4f} -> {self.ours.error:.4f}   "
            f"log-loss {self.theirs.log_loss:.3f} -> {self.ours.log_loss:.3f}   "
            f"{self.theirs.seconds:.1f} s -> {self.ours.seconds:.2f} s"
        )


def available(data_dir: Path | None) -> list[str]:
    """The sets whose files are there."""
    return [name for name in SETS if data_dir is not None and (data_dir / f"{name}.npz").is_file()]


def compare(name: str, data_dir: Path, points: int = POINTS, seed: int = 0) -> Comparison:
    """Both contenders on a stratified split of a stored set."""
    parts = split(*_load(name, data_dir), points, seed)
    return Comparison(name, len(parts[2]), grid_search(*parts), automatic(*parts))


def comparisons(
    names: Sequence[str], data_dir: Path, points: int | None, splits: int
) -> Iterator[Comparison]:
    """One after the other, each on so many random splits."""
    for name, seed in product(names, range(splits)):
        yield compare(name, data_dir, points or POINTS, seed)


def split(X: NDArray[Any], y: NDArray[Any], points: int, seed: int) -> tuple[NDArray[Any], ...]:
    """Training points, test points and their classes."""
    classes, counts = np.unique(y, return_counts=True)
    kept = np.isin(y, classes[counts >= FEWEST])
    X, y = X[kept], y[kept]
    train, test = train_test_split(
        np.arange(len(y)), train_size=min(points, int(SHARE * len(y))), stratify=y, random_state=seed
    )
    test = test[:TEST_POINTS]
    return X[train], X[test], y[train], y[test]


def grid_search(X: Any, X_test: Any, y: Any, y_test: Any) -> Result:
    """scikit-learn over 10 x 10 cells and 5 folds; probabilities by another fit, which is not counted."""
    begin = time.perf_counter()
    grid = {"svc__C": CS, "svc__gamma": GAMMAS}
    search = GridSearchCV(make_pipeline(StandardScaler(), SVC()), grid, cv=FOLDS).fit(X, y)
    seconds = time.perf_counter() - begin
    best = {name.removeprefix("svc__"): value for name, value in search.best_params_.items()}
    machine = make_pipeline(StandardScaler(), SVC(**best, probability=True, random_state=0))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", FutureWarning)  # from scikit-learn 1.9 on it will not always be there
        machine.fit(X, y)
    return Result(1 - search.score(X_test, y_test), _log_loss(machine, X_test, y_test), seconds)


def automatic(X: Any, X_test: Any, y: Any, y_test: Any) -> Result:
    """`AutoSVC`, probabilities counted."""
    begin = time.perf_counter()
    machine = AutoSVC().fit(X, y)
    seconds = time.perf_counter() - begin
    return Result(1 - machine.score(X_test, y_test), _log_loss(machine, X_test, y_test), seconds)


def summary(found: Sequence[Comparison]) -> str:
    """Mean rank of the error, on the mean of the splits of a set, mean log-loss, and the ratio of times."""
    names = list(dict.fromkeys(each.name for each in found))
    errors = np.array(
        [
            np.mean([(each.theirs.error, each.ours.error) for each in found if each.name == name], axis=0)
            for name in names
        ]
    )
    losses = np.array([(each.theirs.log_loss, each.ours.log_loss) for each in found]).mean(axis=0)
    rank = 1.5 + 0.5 * np.sign(errors[:, 1] - errors[:, 0]).mean()
    times = np.exp(np.mean([np.log(each.theirs.seconds / each.ours.seconds) for each in found]))
    means = errors.mean(axis=0)
    return (
        f"AutoSVC beside GridSearchCV on {len(names)} sets: mean rank of the error {rank:.2f} against "
        f"{3 - rank:.2f}, mean error {means[1]:.4f} against {means[0]:.4f}, mean log-loss {losses[1]:.3f} "
        f"against {losses[0]:.3f}, 1/{times:.0f} of the time"
    )


def _load(name: str, data_dir: Path) -> tuple[NDArray[Any], NDArray[Any]]:
    sample = archive.merged(archive.parts(name, data_dir))
    X: Any = sample.X
    X = X.toarray() if sp.issparse(X) else X
    return np.asarray(X, dtype=np.float64), np.asarray(sample.y)


def _log_loss(machine: Any, X: Any, y: Any) -> float:
    return float(log_loss(y, machine.predict_proba(X), labels=machine.classes_))
