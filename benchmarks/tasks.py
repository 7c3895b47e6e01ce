"""What is trained in the comparison: data, price and kernel width."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn.datasets import make_blobs, make_classification
from sklearn.preprocessing import StandardScaler

from widemargin.datasets import chess_board, ringnorm, two_moons

Split = tuple[Any, Any, Any, Any]
"""X_train, y_train, X_test, y_test"""


@dataclass(frozen=True)
class Task:
    """A Gaussian-kernel classification task; `load(data_dir)` gives its split."""

    C: float
    gamma: float
    load: Callable[[Path | None], Split]
    needs_data: bool = False


def halves(X: Any, y: Any) -> Split:
    """The first half for training, the rest for testing."""
    n = X.shape[0] // 2
    return X[:n], y[:n], X[n:], y[n:]


def board(_: Path | None) -> Split:
    sample = chess_board(20_000, seed=0)
    return halves(sample.X, sample.y)


def moons(_: Path | None) -> Split:
    sample = two_moons(10_000, seed=0)
    return halves(sample.X, sample.y)


def normals(_: Path | None) -> Split:
    sample = ringnorm(10_000, seed=0)
    return halves(sample.X, sample.y)


def hypercube(_: Path | None) -> Split:
    return halves(*make_classification(10_000, 20, n_informative=10, n_clusters_per_class=4, random_state=0))


def blobs(_: Path | None) -> Split:
    return halves(*make_blobs(10_000, 16, centers=20, cluster_std=4.0, random_state=0))


def stored(name: str, standardise: bool = False, whole: bool = False) -> Callable[[Path | None], Split]:
    """The split of `NAME.npz`; `whole`: training and test part together are both."""

    def load(data_dir: Path | None) -> Split:
        assert data_dir is not None
        with np.load(data_dir / f"{name}.npz", allow_pickle=False) as file:
            X, Z = (_points(file, part) for part in ("train", "test"))
            y, t = file["y_train"], file["y_test"]
        if whole:
            X, y = np.concatenate([X, Z]), np.concatenate([y, t])
            Z, t = X, y
        if standardise:
            scaler = StandardScaler().fit(X)
            X, Z = scaler.transform(X), scaler.transform(Z)
        return X, y, Z, t

    return load


def _points(file: Any, part: str) -> Any:
    if f"X_{part}" in file:
        return file[f"X_{part}"].astype(np.float64)
    data, indices, indptr = (file[f"{part}_{name}"] for name in ("data", "indices", "indptr"))
    return sparse.csr_matrix((data.astype(np.float64), indices, indptr), shape=tuple(file[f"{part}_shape"]))


TASKS = {
    "chess": Task(1000.0, 0.5, board),
    "moons": Task(10.0, 1.0, moons),
    "ringnorm": Task(1.0, 0.1, normals),
    "hypercube": Task(10.0, 0.05, hypercube),
    "blobs": Task(1.0, 0.01, blobs),
    "spam": Task(10.0, 0.02, stored("spam", standardise=True, whole=True), needs_data=True),
    "covtype12k": Task(100.0, 1.0, stored("covtype12k", standardise=True), needs_data=True),
    "letter": Task(16.0, 2.0, stored("letter"), needs_data=True),
    "a9a": Task(1.0, 0.05, stored("a9a"), needs_data=True),
}
