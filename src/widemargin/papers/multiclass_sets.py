"""The sets and settings on which the thesis compares codes, and what it prints about them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

from widemargin.datasets import Sample, archive
from widemargin.papers.leave_one_out import load_satimage, load_yeast

CODES = {
    "OVA": "one-vs-all",
    "AVA": "all-pairs",
    "COMP": "complete",
    "DEN": "dense-random",
    "SPA": "sparse-random",
}
"""The schemes of the thesis, and what they are called here."""

Pair = tuple[str, str]


@dataclass(frozen=True)
class Study:
    """A set with the settings of its machines, and the printed errors in per cent.

    `svm` has sigma and C by code, `rls` sigma and lam n; `polynomial` the errors of Allwein et al. with a
    kernel of degree 4. `overlap` has printed shares of identical predictions. `joint` has C and, if known,
    the error by machine. Only a full table has what is `slow`, machines and codes, and sets that are large.
    """

    svm: Mapping[str, tuple[float, float]]
    rls: tuple[float, float] | None = None
    printed: Mapping[str, float] = field(default_factory=dict)
    polynomial: Mapping[str, float] = field(default_factory=dict)
    overlap: Mapping[Pair, float] = field(default_factory=dict)
    joint: Mapping[str, tuple[float, float | None]] = field(default_factory=dict)
    slow: tuple[Pair, ...] = ()
    is_large: bool = False


def by_code(*errors: float) -> dict[str, float]:
    """Errors in the order of the tables."""
    return dict(zip(CODES, errors, strict=True))


def upper_triangle(*shares: float) -> dict[Pair, float]:
    """Shares of the pairs of codes, row by row."""
    names = list(CODES)
    pairs = [(a, b) for i, a in enumerate(names) for b in names[i + 1 :]]
    return dict(zip(pairs, shares, strict=True))


STUDIES = {
    "satimage": Study(
        svm={"OVA": (0.25, 2), "AVA": (0.25, 8), "COMP": (0.25, 2), "DEN": (0.25, 2), "SPA": (0.25, 1)},
        rls=(0.25, 0.5),
        printed=by_code(7.85, 7.85, 7.95, 8.2, 8.15),
        polynomial=by_code(40.9, 27.8, 13.9, 14.3, 13.3),
        overlap=upper_triangle(0.987, 0.995, 0.995, 0.980, 0.986, 0.986, 0.979, 0.997, 0.980, 0.980),
        joint={"CrammerSinger": (1, 8.1), "WestonWatkins": (2, None), "LeeLinWahba": (1, None)},
        slow=(("RLS", "SPA"),),
    ),
    "yeast": Study(
        svm={"OVA": (0.125, 1), "AVA": (0.25, 8), "COMP": (0.125, 1), "DEN": (0.125, 1), "SPA": (0.125, 2)},
        rls=(0.25, 0.5),
        printed=by_code(39.0, 39.4, 38.5, 39.3, 38.8),
        polynomial=by_code(72.9, 40.9, 40.4, 39.7, 47.2),
        overlap=upper_triangle(0.888, 0.970, 0.920, 0.950, 0.906, 0.894, 0.870, 0.923, 0.967, 0.924),
        slow=(("SVM", "COMP"), ("SVM", "DEN"), ("RLS", "AVA")),
    ),
    "glass": Study(
        svm={"OVA": (1, 8), "AVA": (1, 8), "COMP": (1, 8), "DEN": (1, 8), "SPA": (1, 8)}, rls=(1, 0.25)
    ),
    "letter": Study(
        svm={"OVA": (0.25, 8), "AVA": (0.5, 8), "DEN": (0.25, 8), "SPA": (0.25, 8)},
        joint={"CrammerSinger": (8, None)},
        is_large=True,
    ),
    "shuttle": Study(
        svm={"OVA": (16, 8), "AVA": (16, 8)},
        printed={"OVA": 0.35},
        joint={"CrammerSinger": (8, 0.1)},
        is_large=True,
    ),
}


def load(name: str, data_dir: Path | None) -> tuple[Sample, Sample | None]:
    """Training and test points; all of them and None where points are left out one by one."""
    if name == "satimage":
        return load_satimage(data_dir)
    if name == "yeast":
        return load_yeast(data_dir)
    parts = archive.parts(name, data_dir)
    if name == "glass":
        whole = archive.merged(parts)
        return Sample((whole.X - whole.X.mean(axis=0)) / whole.X.std(axis=0), whole.y), None
    train, test = (Sample(np.asarray(part.X, dtype=np.float64), part.y) for part in parts)
    return train, test
