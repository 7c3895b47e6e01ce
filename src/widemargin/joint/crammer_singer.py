"""One slack for every example."""

from typing import ClassVar

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators import parameters
from widemargin.joint.machine import JointMachine, jointly_documented
from widemargin.joint_problems import JointProblem, crammer_singer
from widemargin.problems import Vector


@jointly_documented
class CrammerSinger(JointMachine):
    """The classifier of Crammer and Singer: one slack for every example.

        min  1/2 sum_k |f_k|^2 + sum_i C_i max(0, 1 - f_{y_i}(x_i) + max_{k != y_i} f_k(x_i))

    over a function f_k per class; the class of x is the k with the largest f_k(x). In the dual, with tau_ik
    the coefficients of f_k,

        max  sum_i tau_{i,y_i} - 1/2 sum_k tau_k'K tau_k   s.t.  sum_k tau_ik = 0,  tau_ik <= C_i [k = y_i].

    With two classes f_1 - f_0 is `SVC(2 * C, fit_intercept=False)`. A machine for study: no advantage over
    one-vs-all has been shown.

    Parameters
    ----------
    <joint parameters>

    Attributes
    ----------
    <joint attributes>

    References
    ----------
    Crammer and Singer, On the algorithmic implementation of multiclass kernel-based vector machines, JMLR 2,
    2001.
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, chapter 4.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], [0, 0, 1, 1, 2, 2]
    >>> machine = wm.CrammerSinger(C=10.0, gamma=2.0).fit(X, y)
    >>> machine.predict([[0.1], [1.1], [2.1]])
    array([0, 1, 2])
    >>> machine.status_.name
    'OPTIMAL'
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = JointMachine._rules | {
        "bias": parameters.one_of("none", "penalised")
    }

    def _problem(self, labels: NDArray[np.integer], C: Vector, classes: int) -> JointProblem:
        return crammer_singer(labels, C, classes)
