"""Weights of features that say something together, though none does by itself."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray

from widemargin.kernels import ARDGaussian
from widemargin.selection.objectives import Alignment
from widemargin.selection.optimizers import Box, IRpropPlus, minimize

Vector = NDArray[np.float64]

ALIGNED = 800
"""Points that the weights are found from, at most."""

FEWEST = 300
"""Points below which too few are left to show that weights are worth anything."""

EVALUATIONS = 40
MOST_FEATURES = 50

LEAST = 1e-6
"""Weight of a feature that says nothing: it stays in, by a thousandth of its width."""

REACH = 8.0
"""How far the logarithm of a width may go from where all begin."""


def is_worth_a_try(X: Any) -> bool:
    """Whether there are enough points for it, more than one feature, and not too many."""
    return not sp.issparse(X) and X.shape[0] >= FEWEST and 1 < X.shape[1] <= MOST_FEATURES


def aligned_metric(machine: Any, X: Any, y: NDArray[Any]) -> Vector:
    """The weights of features, the largest being 1, by which a kernel is aligned best with the targets.

    A width for each feature descends the gradient of the centred alignment of the kernel with the targets,
    which sees neighbours in all features at once, from a kernel in which all features count alike.

    Examples
    --------
    >>> import numpy as np
    >>> import widemargin as wm
    >>> from widemargin.selection.auto.togetherness import aligned_metric
    >>> board = wm.datasets.chess_board(400, seed=0)
    >>> noise = np.random.default_rng(0).normal(size=(400, 3))
    >>> weights = aligned_metric(wm.SVC(), np.column_stack([board.X - 2, noise]), board.y)
    >>> bool(weights[:2].min() > 10 * weights[2:].max())
    True
    """
    d = X.shape[1]
    start = ARDGaussian(np.full(d, 1 / (2 * d)))
    machine = type(machine)(**{**machine.get_params(deep=False), "kernel": start})
    bound = Alignment(centred=True).bind(machine, X, y)
    begin = bound.parameters.start
    box = Box.around(begin, REACH)
    run = minimize(bound.value_and_gradient, IRpropPlus(), begin, box=box, max_evaluations=EVALUATIONS)
    if run.reason == "interrupted":
        raise KeyboardInterrupt
    widths = np.exp(run.answer)
    return np.maximum(widths / widths.max(), LEAST)
