"""One sigmoid: the probability of a class from a decision value."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import expit
from sklearn.base import BaseEstimator
from sklearn.utils import column_or_1d
from sklearn.utils.validation import _check_sample_weight, check_consistent_length, check_is_fitted


class PlattSigmoid(BaseEstimator):
    """Platt's sigmoid: P(y = +1 | f) = 1 / (1 + exp(A f + B)).

    A and B minimise the cross-entropy

        sum_i w_i [ log(1 + exp(z_i)) - (1 - t_i) z_i ],    z_i = A f_i + B,

    to the regularised targets t = (N+ + 1) / (N+ + 2) of the positive and t = 1 / (N- + 2) of the negative
    class, with N+ and N- the sums of their weights. The function is convex; Newton's method with
    back-tracking finds its minimum. The decision values are brought to unit scale first, so that the fit
    does not depend on their unit.

    Attributes
    ----------
    A_, B_ : float
        Slope (negative if larger decision values speak for the positive class) and offset.

    References
    ----------
    Platt (2000); Lin, Lin and Weng (2007).

    Examples
    --------
    >>> from widemargin.calibration import PlattSigmoid
    >>> sigmoid = PlattSigmoid().fit([-2.0, -1.0, 0.5, -0.5, 1.0, 2.0], [-1, -1, -1, 1, 1, 1])
    >>> sigmoid.predict_proba([-2.0, 0.0, 2.0]).round(2)
    array([0.22, 0.5 , 0.78])
    """

    def fit(self, decision: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> PlattSigmoid:
        """Fit A and B to decision values and classes; entries of `y` above zero are the positive class.

        A sample of integer weight w counts like w samples.
        """
        f = finite(column_or_1d(decision), "decision")
        positive = column_or_1d(y) > 0
        check_consistent_length(f, positive)
        w = _check_sample_weight(sample_weight, f[:, None], dtype=np.float64, ensure_non_negative=True)
        if not w.sum() > 0:
            raise ValueError("sample_weight must have a positive entry; all weights are zero.")
        self.A_, self.B_ = _fit(f, positive, w)
        return self

    def predict_proba(self, decision: ArrayLike) -> NDArray[np.float64]:
        """Probability of the positive class for every decision value."""
        check_is_fitted(self)
        return sigmoid(np.asarray(decision, dtype=np.float64), self.A_, self.B_)


def finite(decision: ArrayLike, name: str) -> NDArray[np.float64]:
    """Decision values as an array, refused if empty, NaN or infinite."""
    f = np.asarray(decision, dtype=np.float64)
    if f.size == 0:
        raise ValueError(f"{name} is empty; at least one decision value is needed.")
    if not np.isfinite(f).all():
        raise ValueError(
            f"{name} has NaN or infinite entries; the first is in row {np.argwhere(~np.isfinite(f))[0][0]}."
        )
    return f


def sigmoid(f: NDArray[np.float64], A: Any, B: Any) -> NDArray[np.float64]:
    """1 / (1 + exp(A f + B))."""
    return expit(-(A * f + B))


def _fit(f: NDArray[np.float64], positive: NDArray[np.bool_], w: NDArray[np.float64]) -> tuple[float, float]:
    n_positive, n_negative = w[positive].sum(), w[~positive].sum()
    t = np.where(positive, (n_positive + 1) / (n_positive + 2), 1 / (n_negative + 2))
    scale = np.abs(f).max() or 1.0
    features = np.column_stack([f / scale, np.ones_like(f)])
    start = np.array([0.0, np.log((n_negative + 1) / (n_positive + 1))])
    A, B = _newton(features, t, w, start)
    return float(A / scale), float(B)


def _newton(
    features: NDArray[np.float64], t: NDArray[np.float64], w: NDArray[np.float64], theta: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Minimise sum w [log(1 + exp(z)) - (1 - t) z], z = features theta, by back-tracked Newton steps."""

    def value(z: NDArray[np.float64]) -> float:
        return float(w @ (np.logaddexp(0.0, z) - (1.0 - t) * z))

    z = features @ theta
    current = value(z)
    for _ in range(100):
        q = expit(z)
        gradient = features.T @ (w * (q - (1.0 - t)))
        curvature = w * q * expit(-z)
        hessian = features.T @ (curvature[:, None] * features) + 1e-12 * np.eye(2)
        direction = np.linalg.solve(hessian, -gradient)
        slope, length = gradient @ direction, 1.0
        if -slope <= 1e-12 * current:  # the gain drowns in rounding: the last step, too short to fail
            return theta + direction
        while length > 1e-10:
            trial = features @ (theta + length * direction)
            if (reached := value(trial)) <= current + 1e-4 * length * slope:
                break
            length /= 2
        theta, z, current = theta + length * direction, trial, reached
    return theta
