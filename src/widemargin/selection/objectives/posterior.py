"""The posterior density of hyperparameters."""

from __future__ import annotations

from typing import Any, ClassVar

import numpy as np
import scipy.sparse as sp

from widemargin.estimators import SVC
from widemargin.kernels import Kernel
from widemargin.kernels.points import take
from widemargin.problems import Vector
from widemargin.selection.objectives.bootstrap_likelihood import BootstrapLikelihood, BoundLikelihood
from widemargin.selection.objectives.objective import BoundObjective, Task
from widemargin.selection.objectives.priors import JeffreysPrior, NormalPrior
from widemargin.selection.objectives.subsets import Subsets
from widemargin.selection.width_heuristic import width_heuristic


class LogPosterior(BootstrapLikelihood):
    """Minus the logarithm of the posterior density of C and the kernel's parameters, up to a constant.

    log p(C, theta | data) = L(C, theta) + log p(C) + log p(theta)

    with the likelihood L of `BootstrapLikelihood`, a sum over the points that were left out, so that the
    weight of the priors follows from the number of points. The priors keep a search with many parameters from
    running away: of all objectives here this is the most reliable for small data.

    Parameters
    ----------
    share, draws, stratified, subsets, fresh
        As in `BootstrapLikelihood`.
    prior_of_C : JeffreysPrior, optional
    prior : prior of theta, optional
        By default a `NormalPrior` around the width heuristic. An object with `centred(kernel, width)`,
        `log_density(theta)` and `gradient(theta)`.

    References
    ----------
    Glasmachers, Gradient based optimization of support vector machines, PhD thesis, Bochum, 2008.

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.selection.objectives import LogPosterior
    >>> sample = wm.datasets.chess_board(100, seed=0)
    >>> bound = LogPosterior().bind(wm.SVC(), sample.X, sample.y, random_state=0)
    >>> value, gradient = bound.value_and_gradient([4.0, 0.0])
    >>> gradient.shape
    (2,)
    """

    _machines: ClassVar[tuple[type, ...]] = (SVC,)

    def __init__(
        self,
        share: float = 0.8,
        draws: int = 1,
        stratified: bool = True,
        subsets: Any = None,
        prior_of_C: Any = None,
        prior: Any = None,
        fresh: bool = True,
    ) -> None:
        super().__init__(share, draws, stratified, subsets, fresh)
        self.prior_of_C = prior_of_C
        self.prior = prior

    def _bind(self, task: Task) -> BoundObjective:
        prior_of_C = self.prior_of_C or JeffreysPrior()
        return BoundPosterior(task, self._subsets(task), prior_of_C, _centred(self.prior, task))


class BoundPosterior(BoundLikelihood):
    """Minus the log-posterior.

    Attributes
    ----------
    prior : prior
        Of theta, with its centre.
    """

    def __init__(self, task: Task, subsets: Subsets, prior_of_C: Any, prior: Any) -> None:
        super().__init__(task, subsets)
        self.prior_of_C = prior_of_C
        self.prior = prior

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        value, slopes = super()._evaluate(x, gradient)
        value -= self.prior_of_C.log_density(x[0]) + self.prior.log_density(x[1:])
        if slopes is not None:
            slopes[0] -= self.prior_of_C.escape(self.any_bounded, self.no_better_than_chance)
            slopes[1:] -= self.prior.gradient(x[1:])
        return value, slopes


def _centred(prior: Any, task: Task) -> Any:
    prior = NormalPrior() if prior is None else prior
    needs_width = getattr(prior, "centre", None) is None
    return prior.centred(task.kernel, _width(prior, task.kernel, task) if needs_width else 1.0)


def _width(prior: Any, kernel: Kernel, task: Task) -> float:
    """The width of the heuristic, or any for kernels of which the prior says that it knows none."""
    if not (isinstance(task.X, np.ndarray) or sp.issparse(task.X)) or task.X.dtype == object:
        return 1.0
    settings = {name: getattr(prior, name) for name in ("pairs", "quantile") if hasattr(prior, name)}
    return width_heuristic(take(task.X, task.rows), task.y[task.rows], **settings)
