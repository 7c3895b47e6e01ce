"""The parameter `centres`: a number, a rule, positions of samples, or points."""

from __future__ import annotations

from numbers import Integral
from typing import Any

import numpy as np
import scipy.sparse as sp
from sklearn.utils import check_array

from widemargin.estimators import parameters, sample
from widemargin.least_squares import Centres, GivenCentres, RandomCentres

__all__ = ["APPROXIMATIONS", "are_points", "centres_rule", "check_count", "read_centres", "rule_of"]

APPROXIMATIONS = ("rectangle", "nystrom", "subset")


def _positive_integer(value: Any) -> bool:
    return isinstance(value, Integral) and not isinstance(value, bool) and int(value) > 0


def are_points(centres: Any) -> bool:
    """Whether the centres are points themselves, one per row."""
    return sp.issparse(centres) or np.ndim(centres) == 2


def _are_positions(centres: Any) -> bool:
    if isinstance(centres, list | tuple | np.ndarray):
        positions = np.asarray(centres)
        return positions.ndim == 1 and positions.dtype.kind in "iu" and positions.size > 0
    return False


def _is_valid(value: Any) -> bool:
    if value is None or _positive_integer(value):
        return True
    if isinstance(value, Centres):
        return isinstance(value, GivenCentres) or _positive_integer(value.size)
    is_array = isinstance(value, list | tuple | np.ndarray)
    if not (is_array or sp.issparse(value) or hasattr(value, "columns")):
        return False
    try:
        return (are_points(value) and np.shape(value)[0] > 0) or _are_positions(value)
    except ValueError:  # rows of different lengths
        return False


centres_rule = parameters.Rule(
    "None, an integer >= 1, Centres of such a size, rows of samples or an array of points", _is_valid
)


def read_centres(points: Any, d: int) -> Any:
    """Valid centres that are points themselves, of d features like all others."""
    points = sample.finite(check_array(points, input_name="centres", **sample.CHECKS), "centres")
    if points.shape[1] != d:
        raise ValueError(f"centres has {points.shape[1]} features, but X has {d}: give points like X.")
    return points


def rule_of(centres: Any) -> Centres:
    """The rule that a number, positions or a rule stand for."""
    if isinstance(centres, Centres):
        return centres
    if isinstance(centres, Integral):
        return RandomCentres(int(centres))
    positions = np.asarray(centres)
    if np.unique(positions).size != positions.size:
        raise ValueError("centres names a sample twice: name each one once.")
    return GivenCentres(positions)


def check_count(centres: Centres, n: int) -> None:
    """Raise a ValueError if there are more centres than samples."""
    if centres.size > n:
        raise ValueError(
            f"centres: {centres.size} of them cannot be chosen from n_samples = {n} (of positive weight); "
            "take fewer."
        )
