"""Wrong classes are held below a negative margin."""

import numpy as np
from numpy.typing import NDArray

from widemargin.joint.machine import JointMachine, jointly_documented
from widemargin.joint_problems import JointProblem, lee_lin_wahba
from widemargin.problems import Vector


@jointly_documented
class LeeLinWahba(JointMachine):
    """The multicategory support vector machine of Lee, Lin and Wahba.

        min  1/2 sum_k |f_k|^2 + sum_i C_i sum_{k != y_i} max(0, f_k(x_i) + 1/(N-1))   s.t.  sum_k f_k = 0

    over a function f_k for each of N classes; the class of x is the k with the largest f_k(x). In the dual,
    with A_i = sum_k alpha_ik and c_ik = A_i / N - alpha_ik the coefficients of f_k,

        max  1/(N-1) sum_ik alpha_ik - 1/2 sum_k c_k'K c_k   s.t.  0 <= alpha_ik <= C_i,  alpha_{i,y_i} = 0.

    C = 1 / (2 lambda n) if lambda weighs sum_k |f_k|^2 beside the mean loss. Given enough data, f is 1 for
    the most probable class and -1/(N-1) for all others even where that class has a probability below 1/2,
    which one-vs-all with the hinge loss cannot tell. With two classes f_1 is
    `SVC(C / 2, fit_intercept=False)`. A machine for study: in practice no advantage over one-vs-all has been
    shown.

    Parameters
    ----------
    <joint parameters>

    Attributes
    ----------
    <joint attributes>

    References
    ----------
    Lee, Lin and Wahba, Multicategory support vector machines, JASA 99, 2004.
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, chapter 4.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> X, y = np.zeros((100, 1)), np.repeat(["often", "rarely", "seldom"], [40, 35, 25])
    >>> machine = wm.LeeLinWahba(C=100.0, bias="penalised", kernel="linear").fit(X, y)
    >>> machine.decision_function([[0.0]]).round(3)
    array([[ 1. , -0.5, -0.5]])
    """

    def _problem(self, labels: NDArray[np.integer], C: Vector, classes: int) -> JointProblem:
        return lee_lin_wahba(labels, C, classes)
