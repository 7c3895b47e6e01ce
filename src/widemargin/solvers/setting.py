"""Numbers that a solver is set to."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np


def is_between(value: Any, least: float, greatest: float = np.inf) -> bool:
    """Whether it is a number, larger than one and smaller than the other."""
    return isinstance(value, Real) and least < float(value) < greatest


def check_between(name: str, value: Any, least: float, greatest: float = np.inf) -> None:
    """Refuse anything else, in a sentence."""
    if not is_between(value, least, greatest):
        above = "positive" if least == 0 else f"larger than {least:g}"
        below = "finite" if greatest == np.inf else f"smaller than {greatest:g}"
        raise ValueError(f"{name} must be a number, {above} and {below}; got {value!r}.")
