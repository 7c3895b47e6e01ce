"""What every generator returns."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

Array = np.ndarray


@dataclass(frozen=True)
class Sample:
    """A sample and, where they are known, the facts about the distribution it comes from.

    Attributes
    ----------
    X : array of shape (n, d)
    y : array of shape (n,)
        Labels -1/+1 for two classes, 0..m-1 for more, real numbers for regression.
    bayes_error : float or None
        The least possible risk: error rate for classification, mean squared error for regression.
    posterior : callable or None
        ``posterior(X)`` is the probability of +1 (two classes), the matrix of class probabilities (more
        classes), or the conditional mean of y (regression).
    """

    X: Array
    y: Array
    bayes_error: float | None = None
    posterior: Callable[[Array], Array] | None = None
