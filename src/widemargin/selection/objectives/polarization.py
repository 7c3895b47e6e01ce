"""The polarization of a kernel by the labels."""

from __future__ import annotations

from typing import ClassVar

import numpy as np

from widemargin.estimators import SVC, SVR, RLSClassifier, RLSRegressor
from widemargin.kernels.points import take
from widemargin.problems import Vector
from widemargin.selection.objectives.alignment import ideal_features
from widemargin.selection.objectives.kernel_blocks import KernelBlocks
from widemargin.selection.objectives.objective import BoundObjective, Objective, Task


class Polarization(Objective):
    """Minus P = <yy', K> = sum_ij y_i y_j k(x_i, x_j), for kernels with k(x, x) = 1.

    The alignment without its denominator: points of the same class are to be close, others far apart in the
    feature space. It does not depend on C. Several classes as in `Alignment`.

    References
    ----------
    Baram, Learning by kernel polarization, Neural Computation 17, 2005.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.selection.objectives import Polarization
    >>> X, y = load_iris(return_X_y=True)
    >>> bound = Polarization().bind(wm.SVC(), X, y)
    >>> bool(bound.value([0.0]) < 0)
    True
    """

    tunes_C = False
    _machines: ClassVar[tuple[type, ...]] = (SVC, SVR, RLSClassifier, RLSRegressor)

    def _bind(self, task: Task) -> BoundObjective:
        diagonal = task.kernel.diagonal(take(task.X, task.rows))
        if not np.allclose(diagonal, 1.0, rtol=1e-8):
            raise ValueError(
                f"Polarization is for kernels with k(x, x) = 1: take ({task.kernel!r}).normalized()."
            )
        return BoundPolarization(task)


class BoundPolarization(BoundObjective):
    """One pass over the matrix."""

    def __init__(self, task: Task) -> None:
        super().__init__(task)
        self.blocks = KernelBlocks(take(task.X, task.rows))
        self.Z = ideal_features(task)

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        kernel, Z = self.parameters.kernel_with(x), self.Z
        value, total = 0.0, np.zeros(len(self.parameters))
        for block in self.blocks.of(kernel):
            ideal = Z[block.rows] @ Z[block.columns].T
            value -= float(np.vdot(block.K, block.doubled(ideal.copy())))
            if gradient:
                total -= self.blocks.contract(kernel, block, ideal)
        return value, total if gradient else None
