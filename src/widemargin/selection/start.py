"""Where a search of hyperparameters begins."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from widemargin.kernels import ARDGaussian, Gaussian, Kernel
from widemargin.kernels.points import count
from widemargin.selection.auto.scaling import Scaling
from widemargin.selection.width_heuristic import at_width, width_heuristic

FIRST_PRICE = float(np.exp(4.0))
"""C at the start: below, wide kernels make constant machines, whose objectives say nothing."""


def begin_search(estimator: Any, X: Any, y: NDArray[Any], by_heuristic: bool) -> Any:
    """A copy of the estimator with the parameters to begin at."""
    estimator = clone(estimator)
    if "kernel" not in estimator.get_params(deep=False):
        return estimator  # objectives say what they are made for
    kernel = Gaussian() if by_heuristic and estimator.kernel == "rbf" else estimator.kernel
    if isinstance(kernel, ARDGaussian) and np.ndim(kernel.gamma) == 0 and hasattr(X, "shape"):
        kernel = ARDGaussian(np.full(X.shape[1], float(kernel.gamma)))
        estimator.set_params(kernel=kernel)
    if not by_heuristic:
        return estimator
    if has_price(estimator):
        estimator.set_params(C=FIRST_PRICE)
    if isinstance(kernel, Kernel) and hasattr(X, "shape") and count(X) > 1 and _differ(X, y):
        wide = at_width(kernel, width_heuristic(X, y if y.ndim == 1 else y[:, 0]))
        estimator.set_params(kernel=estimator.kernel if wide is None else wide)
    return estimator


def has_price(estimator: Any) -> bool:
    """Whether there is a C to choose: that of a hard margin, infinity, is none."""
    return bool(np.isfinite(estimator.get_params(deep=False).get("C", np.inf)))


def _differ(X: Any, y: NDArray[Any]) -> bool:
    """Whether there are different points and different targets, so that they have a distance."""
    first = y if y.ndim == 1 else y[:, 0]
    return bool((first != first[0]).any()) and bool(Scaling.of(X).factor.any())
