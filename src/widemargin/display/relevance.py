"""Which features a machine looks at."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.display.style import PALE, colour, pyplot, quiet_axes


class RelevanceDisplay:
    """Weights of features in the distances of a kernel as bars, the largest on top.

    Build one by `from_estimator`.

    Parameters
    ----------
    relevance : array of shape (n_features,)
    feature_names : sequence of str, optional
        By default "feature 0", "feature 1", ...

    Attributes
    ----------
    ax_, figure_ : what was drawn on
    bars_ : matplotlib's container of bars

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import widemargin as wm
    >>> from widemargin.display import RelevanceDisplay
    >>> from sklearn.datasets import load_wine
    >>> wine = load_wine()
    >>> machine = wm.AutoSVC(probability=False).fit(wine.data, wine.target)
    >>> display = RelevanceDisplay.from_estimator(
    ...     machine, feature_names=wine.feature_names, max_features=5
    ... )
    >>> [label.get_text() for label in display.ax_.get_yticklabels()][0]
    'flavanoids'
    """

    def __init__(self, relevance: ArrayLike, *, feature_names: Sequence[str] | None = None) -> None:
        self.relevance = np.asarray(relevance, dtype=np.float64)
        if self.relevance.ndim != 1 or self.relevance.size == 0 or not np.isfinite(self.relevance).all():
            raise ValueError("relevance must be a vector of finite numbers, one for each feature.")
        d = self.relevance.size
        names = [f"feature {i}" for i in range(d)] if feature_names is None else map(str, feature_names)
        self.feature_names = list(names)
        if len(self.feature_names) != d:
            raise ValueError(f"feature_names has {len(self.feature_names)} names for {d} features.")

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        *,
        feature_names: Sequence[str] | None = None,
        max_features: int = 20,
        ax: Any = None,
    ) -> RelevanceDisplay:
        """Draw the relevances that a machine has found or was given.

        Parameters
        ----------
        estimator : fitted estimator
            `AutoSVC` or `AutoSVR`; a machine whose kernel is, or contains, an `ARDGaussian` with a gamma for
            each feature; a `ModelSearch` of one; or a pipeline that ends with one of them.
        feature_names : sequence of str, optional
            By default those that the estimator has seen in `fit`.
        max_features : int, default=20
            Only so many bars, the largest.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        display : RelevanceDisplay

        Notes
        -----
        gamma_d of a kernel is relative to the scale of feature d: compare them on scaled features only.
        `relevance_` of `AutoSVC` is that already.
        """
        if feature_names is None:
            feature_names = getattr(estimator, "feature_names_in_", None)
        return cls(_relevance(estimator), feature_names=feature_names).plot(ax, max_features=max_features)

    def plot(self, ax: Any = None, *, max_features: int = 20) -> RelevanceDisplay:
        """Draw on these axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, optional
        max_features : int, default=20

        Returns
        -------
        self : RelevanceDisplay
        """
        if max_features < 1:
            raise ValueError(f"max_features is {max_features}; it must be at least 1.")
        order = np.argsort(-self.relevance, kind="stable")
        shown, hidden = order[:max_features], order[max_features:]
        if ax is None:
            height = 1.1 + 0.26 * len(shown)
            _, ax = pyplot().subplots(figsize=(6.4, height), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self.bars_ = ax.barh(np.arange(len(shown)), self.relevance[shown], height=0.72, color=colour(0))
        ax.set_yticks(np.arange(len(shown)), [self.feature_names[i] for i in shown])
        ax.set_ylim(len(shown) - 0.4, -0.6)
        ax.set_xlabel("weight of the feature in squared distances")
        quiet_axes(ax, grid=True)
        ax.grid(False, axis="y")
        ax.tick_params(axis="y", length=0)
        if hidden.size:
            note = f"and {hidden.size} more, at most {self.relevance[hidden].max():.2g}"
            corner = {"xycoords": "axes fraction", "ha": "right", "va": "bottom"}
            ax.annotate(note, (0.99, 0.02), fontsize=9, color=PALE, **corner)
        return self


def _relevance(estimator: Any) -> Any:
    machine = _innermost(estimator)
    if hasattr(machine, "relevance_"):
        return machine.relevance_
    kernel: Any = getattr(machine, "kernel_", getattr(machine, "kernel", None))
    if hasattr(kernel, "get_params"):
        for part in (kernel, *kernel.get_params().values()):
            if np.ndim(getattr(part, "gamma", 0.0)) == 1:
                return part.gamma
    raise ValueError(
        f"{type(estimator).__name__} has no relevances: fit AutoSVC() or AutoSVR(), or a machine with "
        "kernel=ARDGaussian(numpy.ones(d)), a gamma for each of d features."
    )


def _innermost(estimator: Any) -> Any:
    """The machine at the end of a pipeline, the best one of a search."""
    if hasattr(estimator, "steps"):
        return _innermost(estimator.steps[-1][1])
    if hasattr(estimator, "best_estimator_"):
        return _innermost(estimator.best_estimator_)
    return estimator
