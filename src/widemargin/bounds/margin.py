"""Margin bounds on the risk of machines without bias."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.bounds.checks import positive
from widemargin.bounds.rademacher import confidence
from widemargin.bounds.two_classes import TwoClasses


def hard_margin_bound(machine: Any, X: Any, y: ArrayLike, *, margin: float, delta: float = 0.05) -> float:
    """The risk of a hard-margin machine is, with probability 1 - delta, at most

        4 / (n rho) sqrt(trace K) + 3 sqrt(ln(2/delta) / (2 n)).

    Parameters
    ----------
    machine : SVC
        Fitted to two classes with ``C=inf`` and without bias.
    X, y : array-like
        What it was fitted to: points drawn independently from the distribution that the risk is about.
    margin : float
        rho, chosen before looking at the data. The bound applies if the machine's margin is larger.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis, 2004, chapter 7.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> random = np.random.default_rng(0)
    >>> y = random.choice([-1, 1], 5000)
    >>> X = np.column_stack([y, random.uniform(-0.1, 0.1, 5000)])
    >>> machine = wm.SVC(kernel="linear", C=np.inf, fit_intercept=False).fit(X, y)
    >>> round(wm.bounds.hard_margin_bound(machine, X, y, margin=0.9), 3)
    0.121
    """
    fitted = TwoClasses.of(machine, X, y)
    fitted.check_without_bias("the margin bound")
    if np.isfinite(fitted.C).any() or fitted.ridge.any():
        raise ValueError("this bound is for hard margins: fit with C=inf, or use soft_margin_bound.")
    return _complexity(fitted, margin) + confidence(fitted.y.size, delta)


def soft_margin_bound(machine: Any, X: Any, y: ArrayLike, *, margin: float, delta: float = 0.05) -> float:
    """The risk of a soft-margin machine is, with probability 1 - delta, at most

        1/n sum_i xi_i + 4 / (n rho) sqrt(trace K) + 3 sqrt(ln(2/delta) / (2 n)),

    xi_i = max(0, 1 - y_i f(x_i)).

    Parameters
    ----------
    machine : SVC
        Fitted to two classes without bias.
    X, y : array-like
        What it was fitted to: points drawn independently from the distribution that the risk is about.
    margin : float
        rho, chosen before looking at the data. The bound applies if 1 / |w|, the machine's margin, is no
        smaller.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Shawe-Taylor and Cristianini, Kernel Methods for Pattern Analysis, 2004, chapter 7.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> random = np.random.default_rng(0)
    >>> y = random.choice([-1, 1], 5000)
    >>> X = np.column_stack([y, random.normal(scale=0.1, size=5000)])
    >>> machine = wm.SVC(kernel="linear", C=0.1, fit_intercept=False).fit(X, y)
    >>> round(wm.bounds.soft_margin_bound(machine, X, y, margin=0.9), 2)
    0.12
    """
    fitted = TwoClasses.of(machine, X, y, ("hinge", "squared_hinge", "least-squares"))
    fitted.check_without_bias("the margin bound")
    slack = np.maximum(0.0, 1.0 - fitted.margins)
    return float(slack.mean()) + _complexity(fitted, margin) + confidence(fitted.y.size, delta)


def _complexity(fitted: TwoClasses, margin: float) -> float:
    """4 / (n rho) sqrt(trace K), if the machine has the margin rho."""
    rho = positive(margin, "margin")
    realised = fitted.squared_norm**-0.5 if fitted.squared_norm > 0 else np.inf
    if realised < rho:
        raise ValueError(
            f"the bound does not apply: the machine's margin is {realised:.4g}, less than margin={margin:g}."
        )
    return 4 / (fitted.y.size * rho) * float(np.sqrt(fitted.diagonal.sum()))
