"""The alignment of kernel and labels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from widemargin.estimators import SVC, SVR, RLSClassifier, RLSRegressor
from widemargin.kernels.points import take
from widemargin.problems import Vector
from widemargin.selection.objectives.kernel_blocks import KernelBlocks, Matrix
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task


class Alignment(Objective):
    """Minus the cosine of the angle between the kernel matrix and the labels.

    A = <yy', K> / (n sqrt(<K, K>)),    <A, B> = sum_ij A_ij B_ij

    No machine is trained: an evaluation and its gradient go over the kernel matrix, a block of rows at a
    time. It does not depend on C, which has to be chosen afterwards. The centred form takes the kernel and
    the labels as seen from their means, K - 1k' - k1' + mean, and is not misled by unequal classes.

    Several classes: yy' becomes the matrix with 1 for points of the same class and -1 / (classes - 1) for
    others. For regression y are the targets.

    Parameters
    ----------
    centred : bool, default=False

    References
    ----------
    Cristianini, Shawe-Taylor, Elisseeff and Kandola, On kernel-target alignment, NIPS 14, 2001.
    Cortes, Mohri and Rostamizadeh, Algorithms for learning kernels based on centered alignment, Journal of
    Machine Learning Research 13, 2012.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import Alignment
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = Alignment().bind(wm.SVC(kernel=wm.ARDGaussian([1.0, 1.0, 1.0, 1.0])), X, y)
    >>> value, gradient = bound.value_and_gradient(bound.parameters.start)
    >>> gradient.shape, bool(-1 <= value <= 0)
    ((4,), True)
    """

    tunes_C = False
    _machines: ClassVar[tuple[type, ...]] = (SVC, SVR, RLSClassifier, RLSRegressor)

    def __init__(self, centred: bool = False) -> None:
        self.centred = centred

    def _bind(self, task: Task) -> BoundObjective:
        return BoundAlignment(task)


def ideal_features(task: Task) -> Matrix:
    """Z with ZZ' the ideal kernel matrix: 1 for points of equal, -1 / (k - 1) for points of other classes."""
    if task.is_regression:
        return np.asarray(task.y, dtype=np.float64)[task.rows].reshape(task.rows.size, -1)
    names, labels = np.unique(task.y[task.rows], return_inverse=True)
    k = names.size
    if k < 2:
        raise ValueError("y has a single class: a kernel cannot be aligned with it.")
    if k == 2:
        return np.where(labels[:, None] == 1, 1.0, -1.0)
    simplex: Matrix = (np.eye(k) - 1 / k) * (k / (k - 1)) ** 0.5
    return simplex[labels]


class BoundAlignment(BoundObjective):
    """Two passes over the matrix: one for the value, one for the gradient."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.blocks = KernelBlocks(take(task.X, task.rows))
        self.Z = ideal_features(task)
        if task.objective.centred:
            self.Z = self.Z - self.Z.mean(axis=0)
        self.size = float(np.linalg.norm(self.Z.T @ self.Z))
        if self.size == 0:
            raise ValueError("y is constant: there is nothing to align a kernel with.")

    @property
    def chance(self) -> float:
        """That of the unit matrix, a kernel so narrow that no point has a neighbour."""
        n = self.blocks.n - (1 if self.objective.centred else 0)  # the rank, once centred
        return -float(np.vdot(self.Z, self.Z)) / (self.size * float(np.sqrt(n)))

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        kernel, n, Z = self.parameters.kernel_with(x), self.blocks.n, self.Z
        a = q = 0.0
        row_sums = np.zeros(n)
        blocks = self.blocks.of(kernel, keep=gradient)
        for block in blocks:
            K, square, beyond = block.K, block.K[:, : len(block.K)], block.K[:, len(block.K) :]
            a += float(np.vdot(K @ Z[block.columns], Z[block.rows]))
            a += float(np.vdot(beyond @ Z[block.rows.stop :], Z[block.rows]))
            q += 2 * float(np.vdot(K, K)) - float(np.vdot(square, square))
            row_sums[block.rows] += K.sum(axis=1)
            row_sums[block.rows.stop :] += beyond.sum(axis=0)
        means = row_sums / n if self.objective.centred else np.zeros(n)
        q -= n * (2 * float(means @ means) - n * float(means.mean()) ** 2)
        if q <= 1e-28 * n * n * float(means.mean()) ** 2 or q <= 0:  # all entries are the same
            return 0.0, np.zeros(len(self.parameters)) if gradient else None
        value = -a / (self.size * np.sqrt(q))
        if not gradient:
            return value, None
        total, share = np.zeros(len(self.parameters)), 1 / (self.size * np.sqrt(q))
        for block in blocks:
            W = (-value / q) * block.K
            if self.objective.centred:
                W += (value / q) * (means[block.rows, None] + (means - means.mean())[block.columns])
            W -= (share * Z[block.rows]) @ Z[block.columns].T
            total += self.blocks.contract(kernel, block, W)
        return value, total
