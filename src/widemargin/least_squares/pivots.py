"""The points that represent all others, and features in which they do."""

from __future__ import annotations

from functools import partial

import numpy as np
from numpy.typing import NDArray

from widemargin import _core
from widemargin.pivoted_cholesky import PivotedCholesky, pivoted_cholesky

from .gram_matrix import columns_of
from .singular_system import refuse_overflow

__all__ = ["pivots_among"]


def pivots_among(
    gram: _core.Gram,
    rows: NDArray[np.int32],
    rank: int,
    tol: float = 1e-14,
    n_jobs: int | None = None,
) -> PivotedCholesky:
    """`pivoted_cholesky` of K[rows, rows]."""
    diagonal = gram.diagonal()[rows]
    refuse_overflow(diagonal)
    entries = partial(columns_of, gram, n_jobs=n_jobs)
    return pivoted_cholesky(lambda some, others: entries(rows[some], rows[others]), diagonal, rank, tol)
