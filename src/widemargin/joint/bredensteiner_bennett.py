"""Differences of functions are small too."""

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators.training import Solved
from widemargin.joint.machine import JointMachine, jointly_documented
from widemargin.joint_problems import JointProblem, bredensteiner_bennett
from widemargin.problems import Vector


@jointly_documented
class BredensteinerBennett(JointMachine):
    """The classifier of Bredensteiner and Bennett: all differences of functions are small too.

        min  1/2 sum_km |f_k - f_m|^2 + 1/2 sum_k |f_k|^2
             + sum_i C_i sum_{k != y_i} max(0, 1 - f_{y_i}(x_i) + f_k(x_i))

    over a function f_k for each of N classes; the class of x is the k with the largest f_k(x). The losses see
    differences only, hence sum_k f_k = 0 at the solution, the first two terms are (2N+1)/2 sum_k |f_k|^2, and
    twice its functions are those of `WestonWatkins(2 * C / (2 * N + 1))`: the same machine, parametrised
    otherwise.

    Parameters
    ----------
    <joint parameters>

    Attributes
    ----------
    <joint attributes>

    References
    ----------
    Bredensteiner and Bennett, Multicategory classification by support vector machines, Computational
    Optimization and Applications 12, 1999.
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, chapter 4.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], [0, 0, 1, 1, 2, 2]
    >>> machine = wm.BredensteinerBennett(C=7.0, gamma=2.0).fit(X, y)
    >>> twin = wm.WestonWatkins(C=2.0, gamma=2.0).fit(X, y)
    >>> np.allclose(2 * machine.decision_function(X), twin.decision_function(X))
    True
    """

    def _problem(self, labels: NDArray[np.integer], C: Vector, classes: int) -> JointProblem:
        return bredensteiner_bennett(labels, C, classes)

    def _keep_certificate(self, solved: Solved, count: int = 1) -> None:
        super()._keep_certificate(solved, count)
        factor = 2 * len(self.classes_) + 1
        self.dual_objective_ *= factor
        self.primal_objective_ *= factor
        self.duality_gap_ *= factor
