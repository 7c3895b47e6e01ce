"""Whether more points would help."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone, is_classifier
from sklearn.model_selection import KFold, StratifiedKFold

from widemargin.display.style import colour, pyplot, quiet_axes

Matrix = NDArray[np.float64]

FEWEST = 10
"""Points of the smallest training set, at least."""


class LearningCurveDisplay:
    """The error on points that were left out and on those trained on, over the number of the latter.

    Lines are means over the folds, the band is one standard deviation to both sides. Where the line of unseen
    points still falls, more points would help; where both lines have met, a more flexible machine might.

    Build one by `from_estimator`.

    Parameters
    ----------
    sizes : array-like of shape (n_sizes,)
        Numbers of training points.
    unseen, seen : array-like of shape (n_sizes, n_folds)
        Errors on points that were left out and on the training points.
    error_name : str, default="error"

    Attributes
    ----------
    ax_, figure_ : what was drawn on

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import widemargin as wm
    >>> from widemargin.display import LearningCurveDisplay
    >>> board = wm.datasets.chess_board(300, seed=0)
    >>> display = LearningCurveDisplay.from_estimator(wm.SVC(C=100, gamma=2), board.X, board.y)
    >>> bool(display.unseen[0].mean() > display.unseen[-1].mean())
    True
    """

    def __init__(
        self, sizes: ArrayLike, unseen: ArrayLike, seen: ArrayLike, *, error_name: str = "error"
    ) -> None:
        self.sizes = np.asarray(sizes, dtype=np.int64)
        self.unseen, self.seen = (np.asarray(errors, dtype=np.float64) for errors in (unseen, seen))
        for name, errors in (("unseen", self.unseen), ("seen", self.seen)):
            if errors.ndim != 2 or len(errors) != self.sizes.size:
                raise ValueError(
                    f"{name} must have a row of errors for each of the {self.sizes.size} sizes; got the "
                    f"shape {errors.shape}."
                )
        self.error_name = error_name

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        steps: int = 6,
        cv: int = 5,
        random_state: int | None = 0,
        ax: Any = None,
    ) -> LearningCurveDisplay:
        """Train on growing parts of the data, and judge on folds that are left out.

        Parameters
        ----------
        estimator : classifier or regressor
            Copies of it are trained, it is not changed.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        steps : int, default=6
            Sizes from a tenth of the points outside a fold to all of them, evenly spaced in logarithm.
        cv : int, default=5
            Number of folds. Folds and parts have the same share of each class as all points.
        random_state : int or None, default=0
            For folds and parts.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        display : LearningCurveDisplay
        """
        y = np.asarray(y)
        classifies = is_classifier(estimator)
        folds = (StratifiedKFold if classifies else KFold)(cv, shuffle=True, random_state=random_state)
        random = np.random.default_rng(random_state)
        splits = [(_mixed(train, y, classifies, random), test) for train, test in folds.split(X, y)]
        sizes = _sizes(y, min(train.size for train, _ in splits), steps, classifies)
        errors = np.array(
            [[_errors(estimator, X, y, train[:m], test) for train, test in splits] for m in sizes]
        )
        name = "error" if classifies else "1 - R²"
        return cls(sizes, errors[..., 0], errors[..., 1], error_name=name).plot(ax)

    def plot(self, ax: Any = None) -> LearningCurveDisplay:
        """Draw on these axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        self : LearningCurveDisplay
        """
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 4), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        mean, deviation = self.unseen.mean(axis=1), self.unseen.std(axis=1)
        band = {"color": colour(0), "alpha": 0.15, "linewidth": 0}
        ax.fill_between(self.sizes, np.maximum(mean - deviation, 0.0), mean + deviation, **band)
        ax.plot(self.sizes, mean, "o-", color=colour(0), linewidth=2.0, markersize=5, label="points left out")
        training = {"color": colour(5), "linewidth": 1.4, "linestyle": (0, (5, 1.5))}
        ax.plot(self.sizes, self.seen.mean(axis=1), label="training points", **training)
        ax.set_xscale("log")
        ax.set_xticks(self.sizes, [f"{size:,}" for size in self.sizes])
        ax.minorticks_off()
        ax.set_ylim(bottom=-0.03 * ax.get_ylim()[1])  # room for a line of zeros
        ax.set(xlabel="training points", ylabel=self.error_name)
        ax.legend(frameon=False, fontsize=9)
        quiet_axes(ax, grid=True)
        return self


def _errors(estimator: Any, X: Any, y: Any, train: Any, test: Any) -> tuple[float, float]:
    """On points left out, and on those trained on."""
    machine = clone(estimator).fit(X[train], y[train])
    return 1 - machine.score(X[test], y[test]), 1 - machine.score(X[train], y[train])


def _sizes(y: NDArray[Any], largest: int, steps: int, classifies: bool) -> NDArray[np.int64]:
    """From a tenth of the points, or what the rarest class needs to be there, to all of them."""
    rarest = int(np.unique(y, return_counts=True)[1].min()) if classifies else y.size
    smallest = max(FEWEST, largest / 10, 2 * y.size / rarest)
    return np.unique(np.geomspace(min(smallest, largest), largest, steps).round().astype(np.int64))


def _mixed(
    rows: NDArray[np.intp], y: NDArray[Any], classifies: bool, random: np.random.Generator
) -> NDArray[np.intp]:
    """The rows in an order of which every beginning has its share of each class."""
    place = np.empty(rows.size)
    groups = y[rows] if classifies else np.zeros(rows.size)
    for group in np.unique(groups):
        mine = np.flatnonzero(groups == group)
        place[mine] = (random.permutation(mine.size) + 0.5) / mine.size
    return rows[np.argsort(place, kind="stable")]
