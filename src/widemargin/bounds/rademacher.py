"""Rademacher complexity of balls in the kernel's Hilbert space.

All use the convention R(H) = E sup_h |2/n sum_i sigma_i h(x_i)|, sigma_i = -1 or +1 with equal probability.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import check_random_state

from widemargin.bounds.checks import kernel_matrix, not_negative, number_of_points, positive, probability


def empirical_rademacher(
    K: ArrayLike, radius: float = 1.0, *, draws: int = 1000, random_state: Any = None
) -> float:
    """Empirical Rademacher complexity of the ball |f| <= B, estimated from random signs.

        R = 2 B / n E_sigma sqrt(sigma'K sigma)

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix, positive semi-definite.
    radius : float, default=1.0
        B.
    draws : int, default=1000
        Random vectors of signs.
    random_state : int, RandomState or None, default=None

    Returns
    -------
    complexity : float

    References
    ----------
    Bartlett and Mendelson, Rademacher and Gaussian complexities, JMLR 3, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> round(wm.bounds.empirical_rademacher(np.eye(25), radius=2.0), 3)
    0.8
    """
    matrix, B = kernel_matrix(K), not_negative(radius, "radius")
    n = len(matrix)
    shape = (number_of_points(draws, "draws"), n)
    sigma = 2.0 * check_random_state(random_state).randint(2, size=shape) - 1.0
    squares = np.einsum("ij,ij->i", sigma @ matrix, sigma)
    return float(2 * B / n * np.sqrt(np.maximum(squares, 0.0)).mean())


def rademacher_trace_bound(K: ArrayLike, radius: float = 1.0) -> float:
    """Empirical Rademacher complexity of the ball |f| <= B is at most 2 B / n sqrt(trace K).

    Parameters
    ----------
    K : array-like of shape (n, n)
        Kernel matrix, positive semi-definite.
    radius : float, default=1.0
        B.

    Returns
    -------
    bound : float

    References
    ----------
    Bartlett and Mendelson, Rademacher and Gaussian complexities, JMLR 3, 2002.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> wm.bounds.rademacher_trace_bound(np.eye(25), radius=2.0)
    0.8
    """
    matrix = kernel_matrix(K)
    return float(2 * not_negative(radius, "radius") / len(matrix) * np.sqrt(np.trace(matrix)))


def rademacher_deviation(complexity: float, n: int, delta: float = 0.05) -> float:
    """The expected complexity is, with probability 1 - delta, at most R + 2 sqrt(ln(1/delta) / (2 n)).

    Parameters
    ----------
    complexity : float
        Empirical Rademacher complexity of a class of functions with values in [0, 1].
    n : int
        Points.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Bartlett and Mendelson, Rademacher and Gaussian complexities, JMLR 3, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> round(wm.bounds.rademacher_deviation(0.1, n=1000), 4)
    0.1774
    """
    n, delta = number_of_points(n), probability(delta)
    return not_negative(complexity, "complexity") + 2 * float(np.sqrt(-np.log(delta) / (2 * n)))


def rademacher_bound(empirical_risk: float, complexity: float, n: int, delta: float = 0.05) -> float:
    """The risk of every function of a class is, with probability 1 - delta, at most

        risk_S(f) + R + 3 sqrt(ln(2/delta) / (2 n)).

    Parameters
    ----------
    empirical_risk : float
        Mean loss on the n points; losses lie in [0, 1].
    complexity : float
        Empirical Rademacher complexity R of the class of losses on the same points.
    n : int
        Points, drawn independently from the distribution that the risk is about.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Bartlett and Mendelson, Rademacher and Gaussian complexities, JMLR 3, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> round(wm.bounds.rademacher_bound(0.1, complexity=0.2, n=1000), 4)
    0.4288
    """
    risk = not_negative(empirical_risk, "empirical_risk")
    if risk > 1:
        raise ValueError(
            f"empirical_risk must lie between 0 and 1, as the losses do; got {empirical_risk!r}."
        )
    return risk + not_negative(complexity, "complexity") + confidence(n, delta)


def confidence(n: int, delta: float) -> float:
    """3 sqrt(ln(2/delta) / (2 n))."""
    return 3 * float(np.sqrt(np.log(2 / probability(delta)) / (2 * number_of_points(n))))


def rademacher_of_scaled(complexity: float, factor: float) -> float:
    """R(c F) = |c| R(F).

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.rademacher_of_scaled(0.5, -2.0)
    1.0
    """
    return abs(float(factor)) * not_negative(complexity, "complexity")


def rademacher_of_composed(complexity: float, lipschitz: float) -> float:
    """R(A o F) <= 2 L R(F) for a function A with A(0) = 0 and Lipschitz constant L.

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.rademacher_of_composed(0.25, lipschitz=1.0)
    0.5
    """
    return 2 * positive(lipschitz, "lipschitz") * not_negative(complexity, "complexity")


def rademacher_of_shifted(complexity: float, mean_square: float, n: int) -> float:
    """R(F + h) <= R(F) + 2 sqrt(mean of h^2 / n) for a fixed function h.

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.rademacher_of_shifted(0.25, mean_square=1.0, n=16)
    0.75
    """
    shift = 2 * np.sqrt(not_negative(mean_square, "mean_square") / number_of_points(n))
    return not_negative(complexity, "complexity") + float(shift)


def rademacher_of_powers(complexity: float, q: float, mean_square: float, n: int) -> float:
    """R(|F - h|^q) <= 2 q (R(F) + 2 sqrt(mean of h^2 / n)) for a fixed h with |f - h| <= 1, q >= 1.

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.rademacher_of_powers(0.25, q=2, mean_square=1.0, n=16)
    3.0
    """
    if positive(q, "q") < 1:
        raise ValueError(f"q must be at least 1; got {q!r}.")
    return 2 * float(q) * rademacher_of_shifted(complexity, mean_square, n)
