"""Stability of Tikhonov regularisation, and the bounds on the risk that follow from it.

The machine minimises 1/n sum_i V(f(x_i), y_i) + lambda |f|^2 without bias; lambda = 1 / (2 C n).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from widemargin import losses
from widemargin.bounds.checks import code_matrix, not_negative, number_of_points, positive, probability

MODES = ("deletion", "replacement")


@dataclass(frozen=True)
class LossRange:
    """What a loss can be on the functions that a machine can return, |f(x)| <= kappa sqrt(B / lambda)."""

    lipschitz: float
    """sigma: Lipschitz constant in f(x)."""

    largest: float
    """M: the largest loss."""

    @classmethod
    def of(cls, loss: str | losses.Loss, lam: float, kappa: float, target: float) -> LossRange:
        """Of a loss; B = max V(0, y) over targets |y| <= target.

        A convex loss is largest, and steepest, where f and y are at the ends of their ranges.
        """
        V = losses.loss_of(loss)
        if not V.is_convex:
            raise ValueError(f"loss must be convex, which {loss!r} is not: no machine minimises it.")
        lam, kappa, target = positive(lam, "lam"), positive(kappa, "kappa"), positive(target, "target")
        y = np.array([-1.0, 1.0]) * (1.0 if isinstance(V, losses.MarginLoss) else target)
        largest = kappa * np.sqrt(V.value(np.zeros(2), y).max() / lam)
        f, y = np.array([-largest, -largest, largest, largest]), np.tile(y, 2)
        steepest = V.lipschitz if np.isfinite(V.lipschitz) else np.abs(V.subgradient(f, y)).max()
        return cls(float(steepest), float(V.value(f, y).max()))


def stability(
    loss: str | losses.Loss, *, n: int, lam: float, kappa: float, target: float = 1.0, mode: str = "deletion"
) -> float:
    """How much the loss at any point changes when a training point is deleted, or replaced: at most

        beta = sigma^2 kappa^2 / (2 lambda n)  (deletion),   sigma^2 kappa^2 / (lambda n)  (replacement).

    Parameters
    ----------
    loss : str or Loss
        The loss V that the machine minimises, convex, as for `TikhonovEstimator`. sigma is its
        Lipschitz constant; where it has none, that on the functions which the machine can return.
    n : int
        Points.
    lam : float
        lambda; 1 / (2 C n).
    kappa : float
        The largest sqrt(k(x, x)).
    target : float, default=1.0
        The largest |y|; that of a loss of margins is 1.
    mode : {"deletion", "replacement"}, default="deletion"

    Returns
    -------
    beta : float

    References
    ----------
    Bousquet and Elisseeff, Stability and generalization, JMLR 2, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> wm.bounds.stability("hinge", n=100, lam=0.5, kappa=1.0)
    0.01
    >>> wm.bounds.stability(wm.losses.Logistic(), n=100, lam=0.5, kappa=1.0)
    0.01
    """
    if mode not in MODES:
        raise ValueError(f"mode must be one of {MODES}; got {mode!r}.")
    sigma = LossRange.of(loss, lam, kappa, target).lipschitz
    beta = sigma**2 * float(kappa) ** 2 / (2 * float(lam) * number_of_points(n))
    return float(beta if mode == "deletion" else 2 * beta)


def stability_bound(
    empirical_risk: float,
    loss: str | losses.Loss,
    *,
    n: int,
    lam: float,
    kappa: float,
    target: float = 1.0,
    delta: float = 0.05,
    mode: str = "deletion",
) -> float:
    """The expected loss of the machine is, with probability 1 - delta, at most

        risk_S + 2 beta + (4 n beta + M) sqrt(ln(1/delta) / (2 n))      (deletion),
        risk_S + beta + (2 n beta + M) sqrt(ln(1/delta) / (2 n))        (replacement),

    the same number for both, because beta of a replacement is twice that of a deletion.

    Parameters
    ----------
    empirical_risk : float
        Mean loss on the n training points, drawn independently.
    loss, n, lam, kappa, target, mode
        As in `stability`; the machine has no bias.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Bousquet and Elisseeff, Stability and generalization, JMLR 2, 2002.

    Examples
    --------
    >>> import widemargin as wm
    >>> round(wm.bounds.stability_bound(0.1, "hinge", n=10_000, lam=0.5, kappa=1.0), 4)
    0.1787
    """
    beta = stability(loss, n=n, lam=lam, kappa=kappa, target=target, mode=mode)
    twice = 2 * beta if mode == "deletion" else beta
    M = LossRange.of(loss, lam, kappa, target).largest
    deviation = np.sqrt(np.log(1 / probability(delta)) / (2 * n))
    return float(not_negative(empirical_risk, "empirical_risk") + twice + (2 * n * twice + M) * deviation)


def multiclass_stability_bound(
    empirical_risk: float,
    *,
    beta: float,
    gamma: float,
    code: ArrayLike,
    n: int,
    delta: float = 0.05,
) -> float:
    """The error of several machines decoded by their total loss is, with probability 1 - delta, at most

        risk_S + 4 G beta / gamma + (8 n G beta / gamma + 1) sqrt(ln(1/delta) / (2 n)),

    G = the largest number of machines that two classes differ in (2 for one machine per class). risk_S is the
    mean of the ramp loss: 1 for a point with margin m <= 0, 1 - m / gamma below gamma, 0 above; the margin is
    the least total loss of a wrong class minus that of the right one.

    Parameters
    ----------
    empirical_risk : float
        risk_S, between 0 and 1.
    beta : float
        Stability of the loss of each machine under the deletion of a point, see `stability`.
    gamma : float
        Width of the ramp.
    code : array-like of shape (classes, machines)
        Over -1 and +1.
    n : int
        Points, drawn independently.
    delta : float, default=0.05

    Returns
    -------
    bound : float

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT, 2002, equation 5.34.

    Examples
    --------
    >>> import numpy as np, widemargin as wm
    >>> one_vs_all = 2 * np.eye(4) - 1
    >>> round(wm.bounds.multiclass_stability_bound(0.1, beta=1e-4, gamma=1.0, code=one_vs_all, n=10_000), 4)
    0.3089
    """
    M = code_matrix(code)
    if not M.all():
        raise ValueError("code must be a matrix over -1 and +1, without zeros, with a row for each class.")
    risk, n = not_negative(empirical_risk, "empirical_risk"), number_of_points(n)
    if risk > 1:
        raise ValueError(f"empirical_risk must be a mean ramp loss, at most 1; got {empirical_risk!r}.")
    G = int((M[:, None] != M[None]).sum(axis=2).max())
    change = 2 * G * positive(beta, "beta") / positive(gamma, "gamma")
    deviation = np.sqrt(np.log(1 / probability(delta)) / (2 * n))
    return float(risk + 2 * change + (4 * n * change + 1) * deviation)
