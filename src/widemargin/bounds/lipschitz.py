"""How fast the functions of a machine can change."""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators.base import KernelMachine
from widemargin.kernels import ARDGaussian, Constant, Gaussian, GeneralGaussian, Kernel, Linear, Scaled, Sum
from widemargin.problems import Vector


def lipschitz_bound(machine: Any) -> Vector:
    """No decision value changes by more than this times the distance between two points:

        abs(f(x) - f(z)) <= |f| c |x - z|,      c the least with |k(x, .) - k(z, .)| <= c |x - z|,

    for every function f of the machine. For the Gaussian exp(-gamma |x - z|^2) c = sqrt(2 gamma), for the
    linear kernel c = 1; the squares of c add up where kernels do.

    Parameters
    ----------
    machine : a fitted machine of this library
        Its kernel is linear, a Gaussian, a constant, or a sum of multiples of these.

    Returns
    -------
    bounds : array of shape (n_functions,)

    Examples
    --------
    >>> import widemargin as wm
    >>> moons = wm.datasets.two_moons(300, seed=0)
    >>> machine = wm.SVC(gamma=0.5).fit(moons.X, moons.y)
    >>> f = wm.Expansion(machine.kernel_, machine.support_vectors_, machine.dual_coef_.T, machine.intercept_)
    >>> bool(wm.bounds.lipschitz_bound(machine)[0] == f.norm()[0])  # because sqrt(2 gamma) is 1
    True
    """
    if not isinstance(machine, KernelMachine):
        raise ValueError(f"this bound is for machines of this library; got {type(machine).__name__}.")
    check_is_fitted(machine)
    steepest = np.sqrt(_squared_slope(machine.kernel_))
    if (weights := getattr(machine, "_weights", None)) is not None:
        return np.linalg.norm(weights, axis=1)
    return steepest * machine._expansion().norm()


def _squared_slope(kernel: Kernel) -> float:
    """c^2, the supremum of (k(x, x) - 2 k(x, z) + k(z, z)) / |x - z|^2."""
    match kernel:
        case Constant():
            return 0.0
        case Linear():
            return 1.0
        case Gaussian() | ARDGaussian():
            return 2.0 * float(np.max(kernel.gamma))
        case GeneralGaussian():
            return float(np.linalg.eigvalsh(np.asarray(kernel.M, dtype=np.float64))[-1])
        case Scaled():
            return kernel.factor * _squared_slope(kernel.kernel)
        case Sum():
            return _squared_slope(kernel.left) + _squared_slope(kernel.right)
        case _:
            raise ValueError(
                f"no constant is known for {kernel!r}: the kernel must be linear, Gaussian, constant, or a "
                "sum of multiples of these."
            )
