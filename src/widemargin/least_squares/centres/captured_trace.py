"""How well centres represent all points."""

from __future__ import annotations

import numpy as np

from widemargin import _core
from widemargin.kernels.row_blocks import row_blocks

from ..basis import Basis
from ..gram_matrix import columns_of
from .centres import Indices

__all__ = ["captured_trace"]


def captured_trace(gram: _core.Gram, centres: Indices, n_jobs: int | None = None) -> float:
    """The share of the trace of K that K_nm K_mm^-1 K_mn has, between 0 and 1.

    Parameters
    ----------
    gram : Gram
        Square.
    centres : array of int
        Positions of the centres.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.least_squares import captured_trace
    >>> gram = wm.Gaussian(1.0).bind(np.linspace(0, 3, 100)[:, None])
    >>> bool(captured_trace(gram, [50]) < captured_trace(gram, [20, 50, 80]) <= 1)
    True
    """
    n = gram.shape[0]
    every, centres = np.arange(n, dtype=np.int32), np.asarray(centres, dtype=np.int32)
    basis = Basis(columns_of(gram, centres, centres, n_jobs))
    captured = 0.0
    for block in row_blocks(n, centres.size, gram.entry_work):
        A = basis.features(columns_of(gram, every[block], centres, n_jobs))
        captured += float(np.einsum("ij,ij->", A, A))
    return captured / float(gram.diagonal().sum())
