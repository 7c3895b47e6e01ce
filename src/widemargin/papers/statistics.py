"""The statistics of the published comparisons."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike
from scipy.stats import ranksums, wilcoxon


def geometric_mean(values: ArrayLike) -> float:
    """The mean of ratios: equal to one if half of them are x and half 1/x.

    Examples
    --------
    >>> geometric_mean([0.5, 2.0])
    1.0
    """
    return float(np.exp(np.mean(np.log(np.asarray(values, dtype=float)))))


def paired_sign(left: ArrayLike, right: ArrayLike, level: float = 0.05) -> str:
    """Whether the left of two paired samples is significantly larger: ">", "<" or "" (Wilcoxon signed-rank).

    Examples
    --------
    >>> paired_sign(range(10, 20), range(10))
    '>'
    """
    difference = np.subtract(left, right).astype(float)
    if not difference.any():
        return ""
    return _sign(lambda side: _signed_rank_p(difference, side), level)


def unpaired_sign(left: ArrayLike, right: ArrayLike, level: float = 0.001) -> str:
    """Whether the left of two samples is significantly larger: ">", "<" or "" (Wilcoxon rank-sum test).

    Examples
    --------
    >>> unpaired_sign(range(10), range(20, 30))
    '<'
    """
    return _sign(lambda side: ranksums(left, right, alternative=side).pvalue, level)


def _signed_rank_p(difference: np.ndarray, side: str) -> float:
    """Exact for small samples; the exact distribution knows neither ties nor zeros."""
    exact = len(difference) <= 50 and np.all(np.diff(np.sort(np.abs(difference)), prepend=0.0) > 0)
    return float(wilcoxon(difference, alternative=side, method="exact" if exact else "approx").pvalue)


def _sign(p: Callable[[str], float], level: float) -> str:
    """Two-tailed: each side has half of the level."""
    if p("greater") < level / 2:
        return ">"
    return "<" if p("less") < level / 2 else ""
