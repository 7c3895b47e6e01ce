"""What is known about hyperparameters before the data."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator

from widemargin.kernels import Kernel, ManifoldGaussian
from widemargin.problems import Vector
from widemargin.selection.width_heuristic import at_width


class JeffreysPrior(BaseEstimator):
    """An improper prior, uniform in log C, whose gradient is zero but for a slope that leads out of plateaus.

    Where no support vector is at its bound the machine does not depend on C, and an optimiser that looks at
    signs would stay there: the slope is then `-slope`, towards smaller C. Where the machine is no better than
    chance nothing depends on anything: the slope is then `+slope`, towards larger C. Elsewhere it is zero.

    Parameters
    ----------
    slope : float, default=1e-8
        Far below any other derivative.

    Examples
    --------
    >>> from widemargin.selection.objectives import JeffreysPrior
    >>> JeffreysPrior().escape(any_bounded=False, no_better_than_chance=False)
    -1e-08
    """

    def __init__(self, slope: float = 1e-8) -> None:
        self.slope = slope

    def log_density(self, log_C: float) -> float:
        """Zero, up to a constant."""
        return 0.0

    def escape(self, any_bounded: bool, no_better_than_chance: bool) -> float:
        """The derivative in log C that leads out of a plateau."""
        if no_better_than_chance:
            return self.slope
        return 0.0 if any_bounded else -self.slope


class NormalPrior(BaseEstimator):
    """Independent normal distributions of the logarithms in `theta`.

    log p(theta) = -sum_i (theta_i - centre_i)^2 / (2 width^2) + constant

    Parameters
    ----------
    centre : float or array, optional
        The means; by default those of the Gaussian kernel of the width heuristic (`width_heuristic`): log
        gamma, all log gamma_d, or log M of the general Gaussian.
    width : float, default=2.0
        The standard deviation: how strongly the search is held back.
    pairs : {"nearest", "all"}, default="nearest"
    quantile : float, default=0.5
        As in `width_heuristic`. With a width per feature, all pairs make a wider centre, which is slightly
        better where few features matter and worse where all do.

    Examples
    --------
    >>> from widemargin.selection.objectives import NormalPrior
    >>> prior = NormalPrior(centre=[0.0], width=2.0)
    >>> prior.log_density([2.0]), prior.gradient([2.0]).tolist()
    (-0.5, [-0.5])
    """

    def __init__(
        self, centre: Any = None, width: float = 2.0, pairs: str = "nearest", quantile: float = 0.5
    ) -> None:
        self.centre = centre
        self.width = width
        self.pairs = pairs
        self.quantile = quantile

    def centred(self, kernel: Kernel, width: float) -> NormalPrior:
        """The same prior around a kernel of this width, if it has no centre yet."""
        if not 0 < self.width < np.inf:
            raise ValueError(f"width must be a positive finite number, not {self.width!r}.")
        if self.centre is not None:
            centre = np.asarray(self.centre, dtype=np.float64)
            if centre.shape not in ((), kernel.theta.shape) or not np.isfinite(centre).all():
                raise ValueError(
                    f"centre must be one finite number or one for each of the {kernel.theta.size} entries of "
                    "theta."
                )
            return NormalPrior(np.broadcast_to(centre, kernel.theta.shape), self.width)
        centred = at_width(kernel, width)
        if centred is None or isinstance(kernel, ManifoldGaussian):  # whose theta are steps, no logarithms
            raise ValueError(
                f"no prior is known for {type(kernel).__name__}: give NormalPrior a centre, or search "
                "without a prior (BootstrapLikelihood)."
            )
        return NormalPrior(centred.theta, self.width)

    def log_density(self, theta: ArrayLike) -> float:
        """The logarithm of the density, up to a constant."""
        return float(-np.sum((np.asarray(theta) - self.centre) ** 2) / (2 * self.width**2))

    def gradient(self, theta: ArrayLike) -> Vector:
        """Its gradient."""
        return -(np.asarray(theta, dtype=np.float64) - self.centre) / self.width**2
