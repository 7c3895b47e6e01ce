"""The values of C and gamma to try, and where gamma lives."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.estimators import sample
from widemargin.kernels import Kernel
from widemargin.problems import Vector


def read_values(values: ArrayLike, name: str) -> Vector:
    """Positive finite numbers, at least one."""
    wanted = f"{name} must be a list of at least one number, not {values!r}."
    try:
        array = np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError(wanted) from None
    if array.ndim != 1 or array.size == 0:
        raise ValueError(wanted)
    bad = ~(np.isfinite(array) & (array > 0))
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(f"{name} must be positive and finite, but {name}[{i}] is {array[i]:g}.")
    return array


def gamma_name(estimator: Any) -> str | None:
    """The parameter of the estimator that holds its kernel's gamma, None if there is no such number."""
    kernel = estimator.kernel
    if isinstance(kernel, str):
        return None if kernel in ("linear", "precomputed") else "gamma"
    has_gamma = isinstance(kernel, Kernel) and "gamma" in kernel.get_params(deep=False)
    return "kernel__gamma" if has_gamma and np.ndim(kernel.gamma) == 0 else None


def read_gammas(estimator: Any, gammas: ArrayLike | None, X: Any, weight: Vector) -> Vector:
    """The values to try: those given, or the one the estimator has; NaN where the kernel has no gamma."""
    name = gamma_name(estimator)
    if name is None:
        if gammas is not None:
            raise ValueError(f"gammas has no meaning for kernel={estimator.kernel!r}: leave it out.")
        return np.array([np.nan])
    if gammas is not None:
        return read_values(gammas, "gammas")
    own = estimator.get_params()[name]
    return np.array([sample.choose_gamma(own, X, weight) if name == "gamma" else own], dtype=np.float64)
