"""A slack for every wrong class."""

import numpy as np
from numpy.typing import NDArray

from widemargin.joint.machine import JointMachine, jointly_documented
from widemargin.joint_problems import JointProblem, weston_watkins
from widemargin.problems import Vector


@jointly_documented
class WestonWatkins(JointMachine):
    """The classifier of Weston and Watkins (and of Vapnik): a slack for every wrong class.

        min  1/2 sum_k |f_k|^2 + sum_i C_i sum_{k != y_i} max(0, 2 - f_{y_i}(x_i) + f_k(x_i))

    over a function f_k per class; the class of x is the k with the largest f_k(x). In the dual, with
    A_i = sum_k alpha_ik and c_ik = [k = y_i] A_i - alpha_ik the coefficients of f_k,

        max  2 sum_ik alpha_ik - 1/2 sum_k c_k'K c_k   s.t.  0 <= alpha_ik <= C_i,  alpha_{i,y_i} = 0.

    With ``bias="free"``, as published, f_k + b_k takes the place of f_k in the losses, and sum_i c_ik = 0 for
    every k is one more constraint. With two classes f_1 is `SVC(C, fit_intercept=False)`, or `SVC(C)`. A
    machine for study: no advantage over one-vs-all has been shown.

    Parameters
    ----------
    <joint parameters>

    Attributes
    ----------
    <joint attributes>

    References
    ----------
    Weston and Watkins, Support vector machines for multi-class pattern recognition, ESANN 1999.
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, chapter 4.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], ["a", "a", "b", "b", "c", "c"]
    >>> machine = wm.WestonWatkins(C=10.0, gamma=2.0).fit(X, y)
    >>> machine.predict([[0.1], [1.1], [2.1]]).tolist()
    ['a', 'b', 'c']
    >>> bool(abs(machine.dual_coef_.sum(axis=0)).max() < 1e-12)
    True
    """

    def _problem(self, labels: NDArray[np.integer], C: Vector, classes: int) -> JointProblem:
        return weston_watkins(labels, C, classes)
