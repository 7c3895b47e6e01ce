"""What a cross-validation over C and gamma leaves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

Vector = NDArray[np.float64]


@dataclass(frozen=True, eq=False, repr=False)
class PathResult:
    """Scores of machines over a grid of C and gamma.

    Attributes
    ----------
    Cs : array of shape (n_Cs,)
    gammas : array of shape (n_gammas,)
        A single NaN where the kernel has no gamma.
    scores : array of shape (n_Cs, n_gammas, n_folds)
        Score of each fold's machine on the points it has not seen; NaN for cells that were not reached.
    n_support : integer array of shape (n_Cs, n_gammas, n_folds)
        Points with a coefficient, in any of the machine's functions.
    kernel_evaluations : int
        Kernel values that were computed.
    kernel_reads : int
        Kernel values that the solvers have asked for.
    seconds : float
        Time for all of it.
    """

    Cs: Vector
    gammas: Vector
    scores: Vector
    n_support: NDArray[np.int64]
    kernel_evaluations: int
    kernel_reads: int
    seconds: float
    _estimator: Any
    _gamma_name: str | None

    def __repr__(self) -> str:
        rows, columns, folds = self.scores.shape
        known = int(np.isfinite(self.mean_scores).sum())
        best = f"best_C={self.best_C:g}, best_gamma={self.best_gamma:g}, best_score={self.best_score:.4g}, "
        return (
            f"PathResult({best if known else ''}{known} of {rows} x {columns} cells, {folds} folds, "
            f"{self.seconds:.2g} s)"
        )

    @property
    def mean_scores(self) -> Vector:
        """Means over the folds, shape (n_Cs, n_gammas)."""
        return self.scores.mean(axis=2)

    @property
    def best_C(self) -> float:
        """The price of the best cell."""
        return float(self.Cs[self._best[0]])

    @property
    def best_gamma(self) -> float:
        """The gamma of the best cell."""
        return float(self.gammas[self._best[1]])

    @property
    def best_score(self) -> float:
        """The mean score of the best cell."""
        return float(self.mean_scores[self._best])

    def best_estimator(self) -> Any:
        """An unfitted copy of the estimator with the best C and gamma."""
        chosen = {"C": self.best_C}
        if self._gamma_name is not None:
            chosen[self._gamma_name] = self.best_gamma
        return clone(self._estimator).set_params(**chosen)

    @property
    def _best(self) -> tuple[int, int]:
        """The cell of the largest mean score; of several the smallest C, then the smallest gamma."""
        means = self.mean_scores
        if np.isnan(means).all():
            raise ValueError("no cell of the grid is complete: let it run longer, or on a smaller grid.")
        best = np.argwhere(means == np.nanmax(means)).tolist()
        row, column = min(best, key=lambda cell: (self.Cs[cell[0]], self.gammas[cell[1]]))
        return row, column


class PathInterrupted(KeyboardInterrupt):
    """Ctrl-C during a cross-validation; `result` has the scores up to then, NaN for the others."""

    def __init__(self, result: PathResult) -> None:
        super().__init__("interrupted; what is known so far is in the exception's result")
        self.result = result
