"""Trained machines with fewer vectors."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass
from numbers import Integral
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.utils.validation import check_is_fitted

from widemargin.estimators import EnclosingBall, sample
from widemargin.estimators.base import KernelMachine
from widemargin.estimators.classifier import KernelClassifier
from widemargin.expansion import Expansion
from widemargin.kernels import Kernel
from widemargin.kernels.points import count, take
from widemargin.reduction.construction import check_movable, construct
from widemargin.reduction.projection import project
from widemargin.reduction.selection import select

Vector = NDArray[np.float64]

METHODS = ("selection", "construction")

CONSTRUCTED = -1
"""What `support_` says of a vector that is no training point."""


@dataclass(frozen=True, eq=False)
class Compression:
    """How far a compressed machine is from the original, function by function."""

    kernel: Kernel
    norm: Vector
    """|f| of each function of the original, without its offset."""
    distance: Vector
    """|f - g|, in the norm of the kernel's space."""

    def bound(self, X: Any) -> NDArray[np.float64]:
        """By how much decision values can have changed at the rows of X: |f - g| sqrt(k(x, x)).

        Of shape (n_rows, n_functions), by the inequality of Cauchy and Schwarz.
        """
        return np.sqrt(self.kernel.diagonal(X))[:, None] * self.distance


def compress(machine: Any, n_vectors: int, method: str = "selection", *, max_iter: int = 200) -> Any:
    """A machine that computes nearly the same as a trained one, with fewer vectors.

    Predictions take one kernel value per vector. The functions f = sum_i a_i k(x_i, .) + b of the machine are
    replaced by g = sum_j b_j k(z_j, .) + b with the coefficients for which |f - g| is least. The offset
    stays, so that no decision value changes by more than sqrt(k(x, x)) |f - g|.

    Parameters
    ----------
    machine : a fitted machine of this library
        Not `EnclosingBall`, whose decisions are no expansion, and with no precomputed kernel. It is not
        changed.
    n_vectors : int
        At most the number of its support vectors.
    method : {"selection", "construction"}, default="selection"
        The z_j are support vectors, chosen by :func:`~widemargin.reduction.select`; or, for Gaussian kernels,
        vectors moved to where they serve best, :func:`~widemargin.reduction.construct`, which takes longer
        and needs fewer of them.
    max_iter : int, default=200
        Steps of the construction.

    Returns
    -------
    compressed : a machine of the same class
        Its `support_vectors_` are the z_j (`support_` is -1 for those that are no training points), shared by
        all of its functions; `dual_coef_` has a row of coefficients for each of these. `compression_` is a
        record with the `norm` of each function of the original, its `distance` from the new one and
        ``bound(X)`` on the change of decision values. All else, like certificate, probabilities and
        leave-one-out, is that of the original.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> moons = wm.datasets.two_moons(300, seed=0)
    >>> X, y = moons.X, moons.y
    >>> machine = wm.SVC(C=10, gamma=2.0).fit(X, y)
    >>> small = wm.compress(machine, 12, method="construction")
    >>> len(small.support_vectors_), bool(np.mean(small.predict(X) == machine.predict(X)) > 0.98)
    (12, True)
    >>> change = np.abs(small.decision_function(X) - machine.decision_function(X))
    >>> bool((change <= small.compression_.bound(X)[:, 0]).all())
    True
    """
    f = _function_of(machine)
    _check(f, n_vectors, method, max_iter)
    if method == "selection":
        chosen = np.sort(select(f, n_vectors))
        rows = machine.support_ if machine.support_.size else np.full(count(f.points), CONSTRUCTED, np.int32)
        return _with(machine, f, project(f, take(f.points, chosen)), rows[chosen])
    g = construct(f, n_vectors, max_iter)
    return _with(machine, f, g, np.full(len(g.points), CONSTRUCTED, dtype=np.int32))


def _function_of(machine: Any) -> Expansion:
    """The functions of a machine that can be compressed."""
    name = type(machine).__name__
    if not isinstance(machine, KernelMachine) or isinstance(machine, EnclosingBall):
        raise TypeError(
            f"compress is for machines of this library whose decisions are expansions, not for {name}."
        )
    check_is_fitted(machine)
    if sample.is_precomputed(machine.kernel_):
        raise ValueError(
            "compress needs kernel values between support vectors, which a machine with a precomputed kernel "
            "does not keep: train it with a kernel object."
        )
    if getattr(machine, "_weights", None) is not None:
        raise ValueError(f"a linear {name} is one vector already, its coef_: there is nothing to compress.")
    return machine._expansion()


def _check(f: Expansion, n_vectors: int, method: str, max_iter: int) -> None:
    n = count(f.points)
    if not isinstance(n_vectors, Integral) or isinstance(n_vectors, bool) or not 1 <= n_vectors <= n:
        raise ValueError(
            f"n_vectors must be an integer from 1 to {n}, the number of support vectors, not {n_vectors!r}."
        )
    if method not in METHODS:
        raise ValueError(f"method must be 'selection' or 'construction', not {method!r}.")
    if not isinstance(max_iter, Integral) or max_iter < 1:
        raise ValueError(f"max_iter must be an integer >= 1, not {max_iter!r}.")
    if method == "construction":
        check_movable(f)


def _with(machine: Any, f: Expansion, g: Expansion, support: NDArray[np.int32]) -> Any:
    """A copy of the machine that computes g."""
    small = copy(machine)
    if isinstance(machine, KernelClassifier):
        classes = (g.coefficients @ machine.code_.T).argmax(axis=1)  # those that each vector speaks for most
        order = np.argsort(classes, kind="stable")
        g, support = (
            Expansion(g.kernel, take(g.points, order), g.coefficients[order], g.offsets),
            support[order],
        )
        small.n_support_ = np.bincount(classes, minlength=len(machine.classes_)).astype(np.int32)
        small._shares_vectors = machine._has_pairs
    elif hasattr(machine, "n_support_"):
        small.n_support_ = np.array([support.size], dtype=np.int32)
    small.support_vectors_, small.support_ = g.points, support
    small._store_dual(np.ascontiguousarray(g.coefficients.T))
    small.compression_ = Compression(f.kernel, f.norm(), f.distance(g))
    return small
