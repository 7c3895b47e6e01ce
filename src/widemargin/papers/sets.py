"""Classification sets for comparisons of two machines: generated, of scikit-learn, or in the data folder."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from scipy import sparse
from sklearn import datasets as bundled

from widemargin.datasets import (
    Sample,
    archive,
    ringnorm,
    tic_tac_toe,
    titanic,
    two_moons,
    twonorm,
    waveform,
)

GENERATED = 4000
"""Points of the generated sets."""


def _bundled(load: Callable[..., tuple[np.ndarray, np.ndarray]]) -> Callable[[], Sample]:
    return lambda: Sample(*load(return_X_y=True))


SOURCES: dict[str, str | Callable[[], Sample]] = {
    "iris": _bundled(bundled.load_iris),
    "wine": _bundled(bundled.load_wine),
    "breast-cancer-wisconsin": _bundled(bundled.load_breast_cancer),
    "digits": _bundled(bundled.load_digits),
    "tic-tac-toe": tic_tac_toe,
    "titanic": titanic,
    "twonorm": lambda: twonorm(GENERATED, seed=0),
    "ringnorm": lambda: ringnorm(GENERATED, seed=0),
    "waveform": lambda: waveform(GENERATED, seed=0),
    "two-moons": lambda: two_moons(GENERATED, seed=0),
    "banana": "keel_banana",
    "breast-cancer": "keel_breast",
    "chess": "keel_chess",
    "covertype": "covtype12k",
    "dna": "dna",
    "german": "keel_german",
    "glass": "glass",
    "heart": "keel_heart",
    "image": "keel_segment",
    "ionosphere": "ionosphere",
    "letter": "letter",
    "optdigits": "keel_optdigits",
    "pima": "pima",
    "satimage": "satimage",
    "shuttle": "shuttle",
    "spam": "spam",
    "splice": "keel_splice",
    "thyroid": "newthyroid",
    "vowel": "vowel",
    "yeast": "yeast",
}
"""A string names the archive to look for in the data folder."""


@dataclass(frozen=True)
class Sets:
    """The sets that can be loaded here."""

    data_dir: Path | None = None

    def available(self, names: Iterable[str] = SOURCES) -> list[str]:
        """Those of the names that can be loaded, in that order."""
        return [name for name in names if self._is_here(SOURCES[name])]

    def _is_here(self, source: str | Callable[[], Sample]) -> bool:
        return not isinstance(source, str) or archive.is_here(source, self.data_dir)

    def load(self, name: str, most: int | None = None) -> Sample:
        """All points in random order, or the first so many of that order, each feature standardised."""
        source = SOURCES[name]
        found = archive.merged(archive.parts(source, self.data_dir)) if isinstance(source, str) else source()
        rows = np.random.default_rng(0).permutation(len(found.y))[:most]
        X: Any = found.X[rows]
        X = (X.toarray() if sparse.issparse(X) else X).astype(np.float64)
        spread = X.std(axis=0)
        return Sample((X - X.mean(axis=0)) / np.where(spread > 0, spread, 1.0), found.y[rows])
