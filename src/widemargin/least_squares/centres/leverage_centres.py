"""Centres by leverage."""

from __future__ import annotations

import numpy as np
from scipy.linalg import solve_triangular

from widemargin import _core
from widemargin.kernels.row_blocks import row_blocks

from ..gram_matrix import columns_of
from .centres import Centres, Indices

__all__ = ["LeverageCentres"]


class LeverageCentres(Centres):
    """Points drawn without replacement, in proportion to their leverage.

    The leverage of a point, the i-th diagonal entry of K (K + ridge I)^-1, is what its target contributes to
    its own fitted value: high where a point is alone. It is approximated from `size` pilot points s, drawn
    uniformly, as

        l_i = k_ii - k_is (K_ss + lam trace(K_ss) I)^-1 k_si,

    up to a factor, in O(n m^2) time (Alaoui and Mahoney 2015; Rudi, Calandriello, Carratino and Rosasco
    2018).

    Parameters
    ----------
    size : int
    lam : float, default=1e-3
        The regularisation at which leverages are meant; the larger, the more uniform they are.
    seed : int, default=0

    Examples
    --------
    >>> import widemargin as wm
    >>> sample = wm.datasets.two_moons(200, seed=0)
    >>> machine = wm.RLSClassifier(centres=wm.LeverageCentres(20)).fit(sample.X, sample.y)
    >>> machine.support_vectors_.shape
    (20, 2)
    """

    def __init__(self, size: int, lam: float = 1e-3, seed: int = 0) -> None:
        super().__init__(size)
        self.lam = lam
        self.seed = seed

    def choose(self, gram: _core.Gram, rows: Indices, n_jobs: int | None = None) -> Indices:
        random, n = np.random.default_rng(self.seed), rows.size
        leverages = gram.diagonal()[rows]
        pilot = rows[np.sort(random.permutation(n)[: self.size])]
        corner = columns_of(gram, pilot, pilot, n_jobs)
        trace = float(np.trace(corner))
        corner[np.diag_indices_from(corner)] += self.lam * trace if trace > 0 else 1.0
        L = np.linalg.cholesky(corner)
        for block in row_blocks(n, pilot.size, gram.entry_work):
            part = columns_of(gram, pilot, rows[block], n_jobs)
            half = solve_triangular(L, part, lower=True, check_finite=False)
            leverages[block] -= np.einsum("ij,ij->j", half, half)
        # The largest of log l_i - log(exponential) are a sample without replacement in proportion to l_i.
        keys = np.log(np.maximum(leverages, np.finfo(float).tiny)) - np.log(random.exponential(size=n))
        return np.sort(np.argsort(-keys, kind="stable")[: self.size]).astype(np.int32)
