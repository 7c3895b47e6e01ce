"""Centres by incomplete Cholesky."""

from __future__ import annotations

import numpy as np

from widemargin import _core

from ..pivots import pivots_among
from .centres import Centres, Indices

__all__ = ["PivotedCentres"]


class PivotedCentres(Centres):
    """The pivots of an incomplete Cholesky factor: points that those before them represent worst.

    With them K_nm K_mm^-1 K_mn is that factor times its transpose (Fine and Scheinberg 2001). It takes n m
    kernel values, O(n m^2) time and O(n m) memory. The points represented worst are outliers, so random
    centres often capture more of the trace of K; but no point is left far from all centres.

    Parameters
    ----------
    size : int

    Examples
    --------
    >>> import widemargin as wm
    >>> sample = wm.datasets.two_moons(200, seed=0)
    >>> machine = wm.RLSClassifier(centres=wm.PivotedCentres(20)).fit(sample.X, sample.y)
    >>> machine.support_vectors_.shape
    (20, 2)
    """

    def choose(self, gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Indices:
        return pivots_among(gram, rows, self.size, n_jobs=n_jobs).pivots.astype(np.int32)
