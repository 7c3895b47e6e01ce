"""The problems on which LASVM was studied, where they can be had."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from widemargin.datasets import Sample, archive, chess_board
from widemargin.estimators import SVC
from widemargin.online import LASVM

NEEDS = (
    "keel_banana.npz and a9a.npz in the data folder for banana and adult; the chess board is generated. The "
    "noisy USPS digits cannot be had."
)

ALGORITHMS = {"LASVM MVP": "most-violating-pair", "LASVM SO": "second-order"}


@dataclass(frozen=True)
class OnlineSet:
    """A set with its test part and the parameters of the study."""

    name: str
    train: Sample
    test: Sample
    C: float
    gamma: float

    @property
    def n(self) -> int:
        """Number of training points."""
        return len(self.train.y)

    @property
    def is_slow(self) -> bool:
        """Whether a single machine takes half a minute."""
        return self.name == "adult"

    def megabytes(self, share: float) -> float:
        """What this share of the kernel matrix takes in single precision."""
        return share * 4 * self.n**2 / 2**20

    def fitted(self, algorithm: str, **options: Any) -> Any:
        """The machine of an algorithm: a selection of LASVM, or the batch machine."""
        if algorithm in ALGORITHMS:
            options = {
                "selection": ALGORITHMS[algorithm],
                "random_state": 0,
                "max_candidates": self.n,
                **options,
            }
        machine = LASVM if algorithm in ALGORITHMS else SVC
        return machine(C=self.C, gamma=self.gamma, **options).fit(self.train.X, self.train.y)

    def primal(self, machine: Any) -> float:
        """1/2 |w|^2 plus C times the losses of all training points."""
        a = machine.dual_coef_
        norm = np.abs(a).sum() - machine.dual_objective_
        losses = np.maximum(0.0, 1.0 - self.train.y * machine.decision_function(self.train.X))
        return float(norm + self.C * losses.sum())


def online_sets(data_dir: Path | None, full: bool) -> Iterator[OnlineSet]:
    """Those at hand; adult, which takes minutes, and the whole chess board in full runs only."""
    n = 5000 if full else 2000
    board = chess_board(2 * n, seed=0)
    yield OnlineSet(
        f"chess board ({n})", Sample(board.X[:n], board.y[:n]), Sample(board.X[n:], board.y[n:]), 1000.0, 2.0
    )
    if archive.is_here("keel_banana", data_dir):
        yield _stored("banana", "keel_banana", data_dir, 4000, 316.0, 0.5)
    if full and archive.is_here("a9a", data_dir):
        yield _stored("adult", "a9a", data_dir, None, 100.0, 0.005)


def _stored(
    name: str, file: str, data_dir: Path | None, most: int | None, C: float, gamma: float
) -> OnlineSet:
    train, test = (Sample(part.X, _signs(part.y)) for part in archive.parts(file, data_dir))
    return OnlineSet(name, Sample(train.X[:most], train.y[:most]), test, C, gamma)


def _signs(y: np.ndarray) -> np.ndarray:
    return np.where(y == y.max(), 1.0, -1.0)
