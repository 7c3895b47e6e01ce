"""A trained machine, and what it was trained on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin import kernels
from widemargin.estimators import sample
from widemargin.kernels.points import count


def check_trained(machine: Any) -> None:
    """Raise an error unless the machine is as its training left it."""
    check_is_fitted(machine)
    if hasattr(machine, "compression_"):
        raise ValueError("this bound is for a machine as it was trained, not for a compressed one.")


def read_fitted(machine: Any, X: Any, y: ArrayLike) -> tuple[Any, NDArray[Any]]:
    """The points and classes that a classifier was fitted to, as far as can be told."""
    X, n = sample.read_prediction(machine, X), machine.shape_fit_[0]
    if count(X) != n:
        raise ValueError(f"X must be the {n} points that the machine was fitted to; it has {count(X)}.")
    y = np.asarray(y)
    if y.shape != (n,) or not np.isin(y, machine.classes_).all():
        raise ValueError("y must be the classes that the machine was fitted to.")
    _check_kernel(machine.kernel_, X)
    return X, y


def _check_kernel(kernel: kernels.Kernel, X: Any) -> None:
    """Raise a ValueError if there is no feature space for these points; most kernels have promised one."""
    every = np.arange(count(X), dtype=np.int32)
    if not kernel.is_psd and not kernels.is_psd(np.asarray(kernel.bind(X).block(every, every))):
        raise ValueError("this bound is for positive semi-definite kernels: the kernel matrix of X is not.")
