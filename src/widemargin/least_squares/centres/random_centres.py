"""Centres by chance."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from widemargin import _core

from .centres import Centres, Indices

__all__ = ["RandomCentres"]


class RandomCentres(Centres):
    """Points drawn uniformly, without replacement: nothing is cheaper, and little is better.

    Parameters
    ----------
    size : int
    seed : int, default=0

    Examples
    --------
    >>> import widemargin as wm
    >>> sample = wm.datasets.two_moons(200, seed=0)
    >>> machine = wm.RLSClassifier(centres=wm.RandomCentres(20)).fit(sample.X, sample.y)
    >>> machine.support_vectors_.shape
    (20, 2)
    """

    candidates: ClassVar[int] = 1

    def __init__(self, size: int, seed: int = 0) -> None:
        super().__init__(size)
        self.seed = seed

    def choose(self, gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Indices:
        chosen = np.random.default_rng(self.seed).permutation(rows.size)[: self.size]
        return np.sort(chosen).astype(np.int32)
