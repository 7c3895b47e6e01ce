"""What is trained: data, a machine and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import make_classification, make_friedman1
from sklearn.preprocessing import StandardScaler

from widemargin.datasets import chess_board, two_moons

Split = tuple[Any, Any, Any, Any]
"""X_train, y_train, X_test, y_test"""
Source = Callable[[Path | None, int | None], Split]
"""A function of the data directory and the number of training points (None: all)."""

TEST_POINTS = 10_000


@dataclass(frozen=True)
class Workload:
    """A machine with its parameters, and data to train and test it on."""

    source: Source
    parameters: dict[str, Any]
    points: int | None = None
    file: str | None = None
    machine: str = "SVC"
    quick: bool = False

    def load(self, data: Path | None = None, points: int | None = None) -> Split:
        """Both parts in double precision; `points` overrides the number of training points."""
        X, y, X_test, y_test = self.source(data, points or self.points)
        return _double(X), y, _double(X_test), y_test

    @property
    def milder(self) -> Workload:
        """The same with C = 1."""
        mild = {name: 1.0 if name == "C" else value for name, value in self.parameters.items()}
        return replace(self, parameters=mild)


def _double(X: Any) -> Any:
    return X.astype(np.float64) if sparse.issparse(X) else np.ascontiguousarray(X, dtype=np.float64)


def _generated(sample: Callable[[int, int], tuple[Any, Any]]) -> Source:
    """Points from a function of their number and a seed; the test points have another seed."""
    return lambda _, points: (*sample(points or 0, 0), *sample(TEST_POINTS, 1))


def _chess(n: int, seed: int) -> tuple[Any, Any]:
    board = chess_board(n, seed=seed)
    return board.X, board.y


def _moons(n: int, seed: int) -> tuple[Any, Any]:
    moons = two_moons(n, seed=seed)
    return moons.X, moons.y


def _friedman(n: int, seed: int) -> tuple[Any, Any]:
    return make_friedman1(n, n_features=10, noise=1.0, random_state=seed)


def _hypercube(_: Path | None, points: int | None) -> Split:
    """One sample in two parts: another seed would be another distribution."""
    n = points or 0
    X, y = make_classification(n + TEST_POINTS, 50, random_state=0)
    return X[:n], y[:n], X[n:], y[n:]


def stored(name: str, change: Callable[[Split], Split] = lambda split: split) -> Source:
    """The split in `NAME.npz`; fewer points are taken at equal distances, for some files are sorted."""

    def load(data: Path | None, points: int | None) -> Split:
        if data is None:
            raise ValueError(f"{name} needs the directory of the data files")
        with np.load(data / f"{name}.npz", allow_pickle=False) as file:
            X, X_test = (_points(file, part) for part in ("train", "test"))
            X, y, X_test, y_test = change((X, file["y_train"], X_test, file["y_test"]))
        n = X.shape[0]
        chosen = np.arange(points) * n // points if points and points < n else slice(None)
        return X[chosen], y[chosen], X_test, y_test

    return load


def _points(file: Any, part: str) -> Any:
    if f"X_{part}" in file:
        return file[f"X_{part}"]
    arrays = tuple(file[f"{part}_{name}"] for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix(arrays, shape=tuple(file[f"{part}_shape"]))


def _standardised(split: Split) -> Split:
    X, y, X_test, y_test = split
    scaler = StandardScaler().fit(X.astype(np.float64))
    return scaler.transform(X), y, scaler.transform(X_test), y_test


def _major_class(split: Split) -> Split:
    """Of the standardised points, those of the most frequent class."""
    X, y, X_test, y_test = _standardised(split)
    major = np.bincount(y).argmax()
    return X[y == major], y[y == major], X_test[y_test == major], y_test[y_test == major]


def _dense(split: Split) -> Split:
    X, y, X_test, y_test = split
    return X.toarray(), y, X_test.toarray(), y_test


def _unit_pixels(split: Split) -> Split:
    X, y, X_test, y_test = split
    return X / 255.0, y, X_test / 255.0, y_test


def _gaussian(C: float, gamma: float, **more: float) -> dict[str, Any]:
    return {"kernel": "rbf", "gamma": gamma, "C": C, **more}


def _file(name: str, parameters: dict[str, Any], change: Any = lambda split: split, **more: Any) -> Workload:
    return Workload(stored(name, change), parameters, file=name, **more)


WORKLOADS = {
    "chess-1k": Workload(_generated(_chess), _gaussian(1e6, 0.5), 1000, quick=True),
    "chess-10k": Workload(_generated(_chess), _gaussian(1e6, 0.5), 10_000),
    "chess-100k": Workload(_generated(_chess), _gaussian(1e6, 0.5), 100_000),
    "chess-10k-C1000": Workload(_generated(_chess), _gaussian(1e3, 0.5), 10_000, quick=True),
    "spam": _file("spam", _gaussian(10, 0.02), _standardised, quick=True),
    "covtype12k": _file("covtype12k", _gaussian(100, 1), quick=True),
    "classification": Workload(_hypercube, _gaussian(1, 0.02), 20_000, quick=True),
    "moons": Workload(_generated(_moons), _gaussian(1, 1), 50_000),
    "a9a": _file("a9a", _gaussian(1, 0.05)),
    "a9a-dense": _file("a9a", _gaussian(1, 0.05), _dense),
    "w8a": _file("w8a", _gaussian(10, 0.05)),
    "letter": _file("letter", _gaussian(16, 2)),
    "mnist-10k": _file("mnist", _gaussian(10, 0.02), _unit_pixels, points=10_000),
    "mnist-60k": _file("mnist", _gaussian(10, 0.02), _unit_pixels),
    "sector-linear": _file("sector", {"kernel": "linear", "C": 10}),
    "sector": _file("sector", _gaussian(10, 1)),
    "friedman": Workload(_generated(_friedman), _gaussian(10, 1, epsilon=0.1), 10_000, machine="SVR"),
    "shuttle": _file(
        "shuttle", {"kernel": "rbf", "gamma": 0.1, "nu": 0.05}, _major_class, machine="OneClassSVM"
    ),
}
