"""Every machine as one quadratic program.

    maximise    linear'a - 1/2 a'(K + diag(ridge))a
    subject to  lower <= a <= upper,   sum of a over each group fixed

The variables are signed (a_i = y_i alpha_i in the textbooks' letters), so that the equality is a plain sum
and the quadratic term is the kernel matrix itself. A solver sees a `Problem` and a Gram, never labels, C or a
kernel.

The multiplier of a group's equality (`offset`, the gradient linear - (K + ridge)a at its free variables)
gives the bias; each builder says how.
"""

from widemargin.problems.bias import without_bias
from widemargin.problems.checks import Vector
from widemargin.problems.classification import (
    hard_margin,
    largest_nu,
    nu_classification,
    soft_margin,
    squared_soft_margin,
)
from widemargin.problems.description import enclosing_ball, one_class
from widemargin.problems.problem import GROUNDED, Problem
from widemargin.problems.regression import (
    epsilon_regression,
    least_squares,
    nu_regression,
    squared_epsilon_regression,
)

__all__ = [
    "GROUNDED",
    "Problem",
    "Vector",
    "enclosing_ball",
    "epsilon_regression",
    "hard_margin",
    "largest_nu",
    "least_squares",
    "nu_classification",
    "nu_regression",
    "one_class",
    "soft_margin",
    "squared_epsilon_regression",
    "squared_soft_margin",
    "without_bias",
]
