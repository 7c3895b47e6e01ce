"""A sigmoid for every column of a code."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.calibration import PlattSigmoid
from widemargin.calibration.platt import sigmoid


@dataclass(frozen=True, eq=False)
class ColumnSigmoids:
    """1 / (1 + exp(A_j f_j + B_j)), the probability of the positive side of column j.

    Parameters
    ----------
    A, B : arrays of shape (n_columns,)

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.codes import ColumnSigmoids, one_vs_all
    >>> M, labels = one_vs_all(3).matrix, np.array([0, 1, 2, 0, 1, 2])
    >>> sigmoids = ColumnSigmoids.fitted(M[labels].astype(float), labels, M)
    >>> sigmoids(M[:1].astype(float)).round(2)
    array([[0.75, 0.17, 0.17]])
    """

    A: NDArray[np.float64]
    B: NDArray[np.float64]

    @classmethod
    def fitted(
        cls,
        values: NDArray[np.float64],
        labels: NDArray[np.integer],
        M: NDArray[np.int8],
        sample_weight: ArrayLike | None = None,
    ) -> ColumnSigmoids:
        """Fitted to values of points that the machines behind them have not seen; each to its two sides."""
        w = None if sample_weight is None else np.asarray(sample_weight)
        fits = []
        for f, column in zip(values.T, M.T, strict=True):
            sides = column[labels]
            members = sides != 0
            fits.append(PlattSigmoid().fit(f[members], sides[members], None if w is None else w[members]))
        return cls(np.array([fit.A_ for fit in fits]), np.array([fit.B_ for fit in fits]))

    def __call__(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """Probabilities of the positive sides, shape (n, n_columns)."""
        return sigmoid(values, self.A, self.B)
