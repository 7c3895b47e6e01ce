"""The programs of machines that learn all classes at once, one function per machine."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin import _core

Matrix = NDArray[np.float64]

LOSSES = {
    "relative-sum": _core.JointLoss.relative_sum,
    "relative-largest": _core.JointLoss.relative_largest,
    "absolute-sum": _core.JointLoss.absolute_sum,
}


@dataclass(frozen=True, eq=False)
class JointProblem:
    """N functions, one per class, learnt together from n examples with labels y_i and prices C_i.

    Primal:  min 1/2 sum_k |f_k|^2 + sum_i C_i L_i
    Dual:    max margin sum_ik alpha_ik - 1/2 sum_k c_k'K c_k   s.t.  alpha_ik >= 0,  alpha_{i,y_i} = 0

    and f_k = sum_i c_ik k(x_i, .). With A_i = sum_k alpha_ik and all sums and maxima over k != y_i:

    ==================  ================================================  =============  =====================
    loss                L_i                                               and            c_ik
    ==================  ================================================  =============  =====================
    relative-sum        sum_k max(0, margin - f_{y_i}(x_i) + f_k(x_i))    alpha <= C_i   [k = y_i] A_i - alpha
    relative-largest    max_k max(0, margin - f_{y_i}(x_i) + f_k(x_i))    A_i <= C_i     [k = y_i] A_i - alpha
    absolute-sum        sum_k max(0, margin + f_k(x_i)), sum_k f_k = 0    alpha <= C_i   A_i / N - alpha
    ==================  ================================================  =============  =====================

    No constraint joins two examples. At a solution the functions add up to zero, whatever the loss. With
    constants b_k that no norm pays for, f_k + b_k takes the place of f_k in the losses, and the dual has the
    constraints sum_i c_ik = 0 besides.

    Parameters
    ----------
    labels : array of shape (n,)
        Numbers below `classes`.
    C : array of shape (n,)
        Positive and finite.
    classes : int
        N.
    margin : float
    loss : {"relative-sum", "relative-largest", "absolute-sum"}
    points : array of shape (n,), optional
        The row of the Gram of each example; row i for example i by default.
    bias : array of shape (classes,), optional
        There are constants b_k, and a solver begins with these; not for relative-largest.
    """

    labels: NDArray[np.int32]
    C: NDArray[np.float64]
    classes: int
    margin: float
    loss: str
    points: NDArray[np.int32] | None = None
    bias: NDArray[np.float64] | None = None

    @property
    def size(self) -> int:
        """Number of multipliers that may differ from zero."""
        return self.labels.size * (self.classes - 1)

    @property
    def has_one_slack(self) -> bool:
        """Whether an example pays for the class that misses its margin by most, and no other."""
        return self.loss == "relative-largest"

    def on(self, rows: NDArray[np.integer]) -> JointProblem:
        """The same problem whose examples are these rows of a larger Gram."""
        return replace(self, points=np.ascontiguousarray(rows, dtype=np.int32))

    def with_bias(self, start: ArrayLike | None = None) -> JointProblem:
        """The same problem with constants that no norm pays for, to be sought from these, or from zero."""
        if self.has_one_slack:
            raise ValueError("a problem with one slack per example has no bias that is free.")
        bias = np.zeros(self.classes) if start is None else np.array(start, dtype=np.float64)
        if bias.shape != (self.classes,) or not np.isfinite(bias).all():
            raise ValueError(f"start must be {self.classes} finite numbers, one for each class.")
        return replace(self, bias=bias)

    def coefficients(self, alpha: ArrayLike) -> Matrix:
        """The coefficients c, shape (n, classes), that multipliers of this shape stand for."""
        alpha = np.asarray(alpha, dtype=np.float64).reshape(-1, self.classes)
        total = alpha.sum(axis=1)
        c = -alpha
        if self.loss == "absolute-sum":
            return c + total[:, None] / self.classes
        c[np.arange(len(c)), self.labels] = total
        return c

    def multipliers(self, coefficients: Matrix) -> Matrix:
        """Feasible multipliers near those with these coefficients, which may belong to another price."""
        own = np.arange(self.labels.size), self.labels
        alpha = (coefficients[own][:, None] if self.loss == "absolute-sum" else 0.0) - coefficients
        alpha = np.clip(alpha, 0.0, self.C[:, None])
        alpha[own] = 0.0
        if self.has_one_slack:
            alpha *= np.minimum(1.0, self.C / np.maximum(alpha.sum(axis=1), 1e-300))[:, None]
        return alpha


def weston_watkins(labels: ArrayLike, C: ArrayLike, classes: int) -> JointProblem:
    """A slack for every wrong class: relative-sum with margin 2.

    Primal:  min 1/2 sum_k |f_k|^2 + sum_i C_i sum_{k != y_i} xi_ik
             s.t.  f_{y_i}(x_i) >= f_k(x_i) + 2 - xi_ik,  xi_ik >= 0

    Of two classes, f_1 = -f_0 is the soft margin machine without bias and with the same C.

    Weston and Watkins, Support vector machines for multi-class pattern recognition, ESANN 1999; Vapnik,
    Statistical Learning Theory, 1998.

    Examples
    --------
    >>> weston_watkins([0, 1, 2], C=1.0, classes=3).margin
    2.0
    """
    return _problem(labels, C, classes, 2.0, "relative-sum")


def crammer_singer(labels: ArrayLike, C: ArrayLike, classes: int) -> JointProblem:
    """One slack for every example: relative-largest with margin 1.

    Primal:  min 1/2 sum_k |f_k|^2 + sum_i C_i xi_i
             s.t.  f_{y_i}(x_i) >= f_k(x_i) + 1 - xi_i  for k != y_i,  xi_i >= 0

    Of two classes, f_1 - f_0 is the soft margin machine without bias and with 2C for its C.

    Crammer and Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
    2001.

    Examples
    --------
    >>> crammer_singer([0, 1, 2], C=1.0, classes=3).coefficients([[0, 0.2, 0.3], [0, 0, 0], [1, 0, 0]])
    array([[ 0.5, -0.2, -0.3],
           [-0. ,  0. , -0. ],
           [-1. , -0. ,  1. ]])
    """
    return _problem(labels, C, classes, 1.0, "relative-largest")


def lee_lin_wahba(labels: ArrayLike, C: ArrayLike, classes: int) -> JointProblem:
    """Wrong classes are held below -1/(N-1): absolute-sum with that margin.

    Primal:  min 1/2 sum_k |f_k|^2 + sum_i C_i sum_{k != y_i} max(0, f_k(x_i) + 1/(N-1))   s.t.  sum_k f_k = 0

    With lambda as in (1/n) sum of losses + lambda sum_k |f_k|^2 this is C = 1 / (2 lambda n). The only one of
    these losses that finds the most probable class, given enough data, however improbable that class is.
    Of two classes, f_1 = -f_0 is the soft margin machine without bias and with C/2 for its C.

    Lee, Lin and Wahba, Multicategory support vector machines, JASA 99, 2004.

    Examples
    --------
    >>> lee_lin_wahba([0, 1, 2], C=1.0, classes=3).margin
    0.5
    """
    return _problem(labels, C, classes, 1.0 / (classes - 1), "absolute-sum")


def bredensteiner_bennett(labels: ArrayLike, C: ArrayLike, classes: int) -> JointProblem:
    """All differences of functions are small too: relative-sum with margin 1 and C / (2N + 1) for C.

    Primal:  min 1/2 sum_km |f_k - f_m|^2 + 1/2 sum_k |f_k|^2 + sum_i C_i sum_{k != y_i} xi_ik
             s.t.  f_{y_i}(x_i) >= f_k(x_i) + 1 - xi_ik,  xi_ik >= 0

    The losses see differences of functions only, so that sum_k f_k = 0 at the solution, where the first two
    terms are (2N + 1) / 2 sum_k |f_k|^2. Hence twice its functions are those of `weston_watkins` with
    2C / (2N + 1) for its C, and its objective is 2N + 1 times that of the problem returned.

    Bredensteiner and Bennett, Multicategory classification by support vector machines, Computational
    Optimization and Applications 12, 1999.

    Examples
    --------
    >>> bredensteiner_bennett([0, 1, 2], C=7.0, classes=3).C
    array([1., 1., 1.])
    """
    shares = np.asarray(C, dtype=np.float64) / (2 * classes + 1)
    return _problem(labels, shares, classes, 1.0, "relative-sum")


def _problem(labels: ArrayLike, C: ArrayLike, classes: int, margin: float, loss: str) -> JointProblem:
    labels = np.ascontiguousarray(labels, dtype=np.int32)
    if labels.ndim != 1:
        raise ValueError(f"labels must be one-dimensional, not of shape {labels.shape}.")
    if classes < 2:
        raise ValueError(f"classes must be at least 2, not {classes}.")
    prices = np.array(np.broadcast_to(np.asarray(C, dtype=np.float64), labels.shape))
    for bad, name, rule, values in (
        ((labels < 0) | (labels >= classes), "labels", f"must be numbers from 0 to {classes - 1}", labels),
        (~((prices > 0) & np.isfinite(prices)), "C", "must be positive and finite", prices),
    ):
        if bad.any():
            i = int(np.argmax(bad))
            raise ValueError(f"{name} {rule}, but {name}[{i}] is {values[i]:g}.")
    return JointProblem(labels, prices, int(classes), margin, loss)
