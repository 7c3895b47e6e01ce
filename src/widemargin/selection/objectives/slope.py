"""A sigmoid with one parameter."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from scipy.special import expit

from widemargin.problems import Vector

STEEPEST = 1e3
"""The slope is at most this, divided by the mean size of the values."""

ROUNDS = 200


class Slope(NamedTuple):
    """The sigmoid P(y = +1 | z) = 1 / (1 + exp(s z)) of largest likelihood, s <= 0."""

    s: float
    log_likelihood: float
    by_margin: Vector
    """The derivative of the log-likelihood in each margin y_i z_i; s is at its best, and needs none."""


def fit_slope(margins: Vector) -> Slope:
    """Maximise L(s) = -sum_i log(1 + exp(s m_i)), which is concave, over -1000 / mean |m| <= s <= 0.

    If all margins are positive the steepest sigmoid is the best; if it would have to fall (the values are no
    better than chance), s = 0, L = -n log 2, and the derivatives are zero, so that wrong orders are not
    rewarded.

    Examples
    --------
    >>> import numpy as np
    >>> from widemargin.selection.objectives.slope import fit_slope
    >>> round(fit_slope(np.array([1.0, 2.0, -0.5])).s, 4)
    -1.3511
    >>> fit_slope(np.array([-1.0, -2.0, 0.5])).s
    0.0
    """
    size = float(np.mean(np.abs(margins)))
    if size == 0 or margins.sum() <= 0:  # L'(0) = -sum m / 2
        return Slope(0.0, -margins.size * np.log(2.0), np.zeros(margins.size))
    m = margins / size
    s = _steepest_ascent(m)
    w = expit(s * m)
    by_margin = -s * w / size
    if s == -STEEPEST:  # not at its best, and a function of the margins: s / mean |m|
        by_margin += s * float(m @ w) / (size * m.size) * np.sign(m)
    return Slope(s / size, -float(np.logaddexp(0.0, s * m).sum()), by_margin)


def _steepest_ascent(m: Vector) -> float:
    """Newton's method within a bracket that every step makes shorter."""
    low, high, s = -STEEPEST, 0.0, -1.0
    if -(m @ expit(low * m)) <= 0:  # L falls from the left end on
        return low
    for _ in range(ROUNDS):
        w = expit(s * m)
        slope, curvature = -float(m @ w), float((m * m) @ (w * (1 - w)))
        low, high = (s, high) if slope > 0 else (low, s)
        step = slope / curvature if curvature > 0 else np.inf
        following = s + step
        if not low < following < high:
            following = (low + high) / 2
        if abs(following - s) <= 1e-9 * abs(s):  # squared by the step that was taken last
            return following
        s = following
    return s
