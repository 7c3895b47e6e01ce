"""How often classifiers say the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .labels import read_labels


@dataclass(frozen=True, eq=False)
class Agreement:
    """Shares of points on which classifiers say the same; printed, the upper triangle of the matrix.

    Parameters
    ----------
    names : list of str
        Of the classifiers.
    matrix : array of shape (classifiers, classifiers)
        Shares of points to which two of them give the same class.
    unanimous : float
        The share of points to which all give the same class.
    """

    names: list[str]
    matrix: NDArray[np.float64]
    unanimous: float

    def __str__(self) -> str:
        width = max(5, *map(len, self.names))
        lines = [" " * width + "".join(f"  {name:>{width}}" for name in self.names)]
        for i, name in enumerate(self.names):
            shares = (f"  {share:{width}.3f}" for share in self.matrix[i, i:])
            lines.append(f"{name:<{width}}" + " " * (width + 2) * i + "".join(shares))
        return "\n".join([*lines, f"all of them: {self.unanimous:.3f}"])


def agreement(predictions: Mapping[str, ArrayLike] | Sequence[ArrayLike]) -> Agreement:
    """The overlap of several classifiers: shares of points to which they give the same class.

    Two classifiers with errors e and e' agree on at least 1 - e - e' of all points. If they agree on much
    more, they err on the same points, and it matters little which of them is taken.

    Parameters
    ----------
    predictions : mapping of name to array-like of shape (n,), or sequence of them
        What each of at least two classifiers predicts for the same points.

    Returns
    -------
    overlap : Agreement

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, tables 4.6 and 4.7.

    Examples
    --------
    >>> from widemargin.comparison import agreement
    >>> overlap = agreement({"one-vs-all": [0, 1, 2, 2], "all pairs": [0, 1, 2, 1], "dense": [0, 0, 2, 2]})
    >>> print(overlap)
                one-vs-all   all pairs       dense
    one-vs-all       1.000       0.750       0.750
    all pairs                    1.000       0.500
    dense                                    1.000
    all of them: 0.500
    """
    if isinstance(predictions, Mapping):
        named = {str(name): labels for name, labels in predictions.items()}
    else:
        named = {str(number): labels for number, labels in enumerate(predictions)}
    if len(named) < 2:
        raise ValueError(
            f"predictions has {len(named)} classifier{'s' * (len(named) != 1)}: give at least two."
        )
    answers = read_labels(**{f"predictions[{name!r}]": labels for name, labels in named.items()})
    matrix = np.array([[float(np.mean(a == b)) for b in answers] for a in answers])
    same = np.logical_and.reduce([a == answers[0] for a in answers])
    return Agreement(list(named), matrix, float(same.mean()))
