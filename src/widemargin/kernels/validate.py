"""Checks of kernel parameters; each failure is one sentence that names the parameter."""

from numbers import Integral, Real
from typing import Any

import numpy as np


def positive(name: str, value: Any) -> float:
    """Return `value` as a float if it is a positive finite number."""
    if not isinstance(value, Real) or not np.isfinite(value) or value <= 0:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}.")
    return float(value)


def finite(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number."""
    if not isinstance(value, Real) or not np.isfinite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    return float(value)


def natural(name: str, value: Any) -> int:
    """Return `value` as an int if it is a whole number, zero or more."""
    whole = isinstance(value, Integral) or (isinstance(value, Real) and float(value).is_integer())
    if not whole or value < 0:
        raise ValueError(f"{name} must be a whole number, zero or more, got {value!r}.")
    return int(value)
