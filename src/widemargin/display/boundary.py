"""The plane as a machine with two features sees it."""

from __future__ import annotations

import copy
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.display.style import INK, colour, pyplot, quiet_axes


def decision_boundary(
    estimator: Any, X: ArrayLike, y: ArrayLike | None = None, ax: Any = None, *, resolution: int = 300
) -> Any:
    """Draw decision values as a fill, boundary, margins, points and a ring around each support vector.

    The fill deepens away from the boundary up to the margin, where |f| = 1. With more than two classes f is
    the lead of the best class over its strongest rival, f(x) = max_k min_{j != k} f_kj(x), where the machine
    has pairwise values.

    Parameters
    ----------
    estimator : fitted classifier or outlier detector of two features
        Anything with `decision_function`; `support_` or `support_vectors_` are ringed where present.
    X : array of shape (n, 2)
        Points to draw, usually the training points.
    y : array of shape (n,), optional
        Their labels; left out for outlier detectors.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    resolution : int
        Grid points in each direction.

    Returns
    -------
    ax : the axes drawn on

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import numpy as np, widemargin as wm
    >>> from widemargin.display import decision_boundary
    >>> X = np.array([[0.0, 0.0], [1.0, 1.0], [0.0, 1.0], [1.0, 0.0]])
    >>> ax = decision_boundary(wm.SVC().fit(X, [0, 0, 1, 1]), X, [0, 0, 1, 1])
    """
    X = _two_features(X)
    if ax is None:
        _, ax = pyplot().subplots(figsize=(6, 6), layout="constrained")
    horizontal, vertical = _ticks(X, resolution)
    scores, has_margin = _scores(
        estimator, np.stack(np.meshgrid(horizontal, vertical), axis=-1).reshape(-1, 2)
    )
    scores = scores.reshape(len(vertical), len(horizontal), -1)

    extent = (horizontal[0], horizontal[-1], vertical[0], vertical[-1])
    ax.imshow(
        _tint(scores, has_margin), extent=extent, origin="lower", aspect="auto", interpolation="bilinear"
    )
    _lines(ax, horizontal, vertical, scores, has_margin)
    _rings(ax, estimator, _marker_size(X))
    _points(ax, estimator, X, y)
    ax.set(xlim=extent[:2], ylim=extent[2:])
    quiet_axes(ax)
    return ax


def _two_features(X: ArrayLike) -> np.ndarray:
    points = np.asarray(X, dtype=float)
    if points.ndim != 2 or points.shape[1] != 2:
        raise ValueError(
            f"X has shape {points.shape}; a decision boundary is drawn for points with two features"
        )
    return points


def _ticks(X: np.ndarray, resolution: int) -> list[np.ndarray]:
    low, high = X.min(axis=0), X.max(axis=0)
    border = 0.04 * np.where(high > low, high - low, 1.0)
    return [np.linspace(a, b, resolution) for a, b in zip(low - border, high + border, strict=True)]


def _scores(estimator: Any, points: np.ndarray) -> tuple[np.ndarray, bool]:
    """One column per class, greatest for the winner, and whether the level 1 is a margin."""
    classes = getattr(estimator, "classes_", None)
    if classes is None or len(classes) == 2:
        values = np.ravel(estimator.decision_function(points)).astype(float)
        return np.column_stack([-values, values]), classes is not None
    scheme = getattr(estimator, "_scheme", None)
    if scheme is not None and not scheme.has_pairs:
        return estimator.decision_function(points), scheme.is_one_vs_all
    if hasattr(estimator, "decision_function_shape"):
        pairwise = copy.copy(estimator)
        pairwise.decision_function_shape = "ovo"
        return _least_lead(pairwise.decision_function(points), len(classes)), True
    return np.asarray(estimator.decision_function(points), dtype=float), False


def _least_lead(values: np.ndarray, n_classes: int) -> np.ndarray:
    """min_{j != k} f_kj for each class k, from the columns f_kj of all pairs k < j."""
    lead = np.full((len(values), n_classes), np.inf)
    for value, k, j in zip(values.T, *np.triu_indices(n_classes, 1), strict=True):
        lead[:, k] = np.minimum(lead[:, k], value)
        lead[:, j] = np.minimum(lead[:, j], -value)
    return lead


def _tint(scores: np.ndarray, has_margin: bool) -> np.ndarray:
    """Class colours over white, from a breath at the boundary to a clear tint at the margin and beyond."""
    from matplotlib.colors import to_rgb

    colours = np.array([to_rgb(colour(k)) for k in range(scores.shape[-1])])
    winner, lead = scores.argmax(axis=-1), scores.max(axis=-1)
    full = 1.0 if has_margin else np.maximum(scores.max(axis=(0, 1)), 1e-12)[winner]
    weight = (0.06 + 0.34 * np.clip(lead / full, 0, 1))[..., None]
    return 1 - weight * (1 - colours[winner])


def _lines(
    ax: Any, horizontal: np.ndarray, vertical: np.ndarray, scores: np.ndarray, has_margin: bool
) -> None:
    for k in range(scores.shape[-1]):
        lead = scores[..., k] - np.delete(scores, k, axis=-1).max(axis=-1)
        _level(ax, horizontal, vertical, lead, 0.0, linewidths=1.6)
        if has_margin:
            _level(
                ax, horizontal, vertical, scores[..., k], 1.0, linewidths=0.9, linestyles="dashed", alpha=0.75
            )


def _level(
    ax: Any, horizontal: np.ndarray, vertical: np.ndarray, values: np.ndarray, level: float, **style: Any
) -> None:
    if values.min() < level < values.max():
        ax.contour(horizontal, vertical, values, levels=[level], colors=INK, zorder=2, **style)


def _marker_size(X: np.ndarray) -> float:
    return float(np.clip(12000 / len(X), 8, 40))


def _rings(ax: Any, estimator: Any, size: float) -> None:
    support = np.asarray(getattr(estimator, "support_vectors_", np.empty((0, 2))))
    if support.ndim == 2 and support.shape[1] == 2:
        style = {"facecolors": "none", "edgecolors": INK, "linewidths": 0.8}
        ax.scatter(*support.T, s=3.2 * size, zorder=4, label="support vector", **style)


def _points(ax: Any, estimator: Any, X: np.ndarray, y: ArrayLike | None) -> None:
    style = {"s": _marker_size(X), "edgecolors": "white", "linewidths": 0.4, "zorder": 3}
    if y is None:
        ax.scatter(*X.T, color=colour(1), **style)
        return
    labels = np.asarray(y)
    for k, name in enumerate(getattr(estimator, "classes_", np.unique(labels))):
        ax.scatter(*X[labels == name].T, color=colour(k), marker="osD^vP*X"[k % 8], label=str(name), **style)
