"""Checks of kernel parameters; each failure is one sentence that names the parameter."""

import math
from numbers import Real
from typing import Any


def positive(name: str, value: Any) -> float:
    """Return `value` as a float if it is a positive finite number."""
    if not _is_finite(value) or value <= 0:
        raise ValueError(f"{name} must be a positive finite number, got {value!r}.")
    return float(value)


def finite(name: str, value: Any) -> float:
    """Return `value` as a float if it is a finite number."""
    if not _is_finite(value):
        raise ValueError(f"{name} must be a finite number, got {value!r}.")
    return float(value)


def natural(name: str, value: Any) -> int:
    """Return `value` as an int if it is a whole number, zero or more."""
    if not _is_finite(value) or value < 0 or value != int(value):
        raise ValueError(f"{name} must be a whole number, zero or more, got {value!r}.")
    return int(value)


def _is_finite(value: Any) -> bool:
    return isinstance(value, Real) and math.isfinite(value)
