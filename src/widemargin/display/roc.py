"""How many points of one class are found at the price of how many false alarms."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike
from sklearn.base import clone
from sklearn.metrics import roc_auc_score, roc_curve
from sklearn.model_selection import StratifiedKFold, cross_val_predict

from widemargin.display.style import PALE, colour, pyplot, quiet_axes


class RocDisplay:
    """The share of one class that is found, over the share of the other that is taken for it.

    Every threshold of the values is a point of the curve. The area below it is the probability that a point
    of the one class has a larger value than one of the other; values that know nothing make the diagonal.

    Build one by `from_estimator`, which judges points that machines have not seen.

    Parameters
    ----------
    y : array-like of shape (n,)
        Two classes; the second in sorted order is the one to be found.
    values : array-like of shape (n,)
        Large for points of that class.
    name : str, optional
        Of the curve.

    Attributes
    ----------
    area_ : float
    ax_, figure_ : what was drawn on

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import widemargin as wm
    >>> from widemargin.display import RocDisplay
    >>> board = wm.datasets.chess_board(200, seed=0)
    >>> display = RocDisplay.from_estimator(wm.SVC(C=100, gamma=2), board.X, board.y)
    >>> display = RocDisplay.from_estimator(wm.SVC(kernel="linear"), board.X, board.y, ax=display.ax_)
    >>> bool(display.area_ < 0.6)
    True
    """

    def __init__(self, y: ArrayLike, values: ArrayLike, *, name: str | None = None) -> None:
        self.y, self.values = np.asarray(y), np.asarray(values, dtype=np.float64)
        self.name = name
        classes = np.unique(self.y)
        if classes.size != 2:
            raise ValueError(f"a ROC curve is one of two classes; y has {classes.size}.")
        if self.values.shape != self.y.shape:
            raise ValueError(f"values has shape {self.values.shape}; y has {self.y.shape}.")
        if not np.isfinite(self.values).all():
            raise ValueError("values must be finite numbers.")
        self.positive = classes[1]
        self.area_ = float(roc_auc_score(self.y == self.positive, self.values))

    @classmethod
    def from_estimator(
        cls,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        *,
        cv: Any = 5,
        random_state: Any = 0,
        name: str | None = None,
        ax: Any = None,
    ) -> RocDisplay:
        """Draw the curve of decision values at points that were left out, fold by fold.

        Parameters
        ----------
        estimator : classifier
            With `decision_function`; copies of it are trained, it is not changed.
        X : {array-like, sparse matrix} of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
        cv : int or splitter, default=5
            A number is shuffled folds, each with its share of both classes.
        random_state : int, RandomState instance or None, default=0
            For the folds.
        name : str, optional
            By default that of the estimator, or of the last step of a pipeline.
        ax : matplotlib axes, optional
            Where to draw, beside other curves; a new figure by default.

        Returns
        -------
        display : RocDisplay
        """
        if isinstance(cv, int):
            cv = StratifiedKFold(cv, shuffle=True, random_state=random_state)
        values = cross_val_predict(clone(estimator), X, np.asarray(y), cv=cv, method="decision_function")
        if values.ndim != 1:
            raise ValueError(f"a ROC curve is one of two classes; {type(estimator).__name__} has more.")
        return cls(y, values, name=name or _name(estimator)).plot(ax)

    def plot(self, ax: Any = None) -> RocDisplay:
        """Draw on these axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, optional
            Curves that are there already stay, and get a colour of their own.

        Returns
        -------
        self : RocDisplay
        """
        if ax is None:
            _, ax = pyplot().subplots(figsize=(5, 5), layout="constrained")
            ax.plot([0, 1], [0, 1], color=PALE, linewidth=0.9, linestyle="dotted", label="_chance")
            ax.set(xlim=(-0.02, 1.02), ylim=(-0.02, 1.02), aspect="equal")
            ax.set(xlabel="share of the other class taken for it")
            ax.set(ylabel=f"share of class {_text(self.positive)} that is found")
            quiet_axes(ax, grid=True)
        self.ax_, self.figure_ = ax, ax.figure
        drawn = sum(not line.get_label().startswith("_") for line in ax.lines)
        label = f"area {self.area_:.3f}" if self.name is None else f"{self.name}, area {self.area_:.3f}"
        mistaken, found, _ = roc_curve(self.y == self.positive, self.values)
        ax.plot(mistaken, found, color=colour((0, 5, 2, 3)[drawn % 4]), linewidth=2.0, label=label)
        ax.legend(loc="lower right", frameon=False, fontsize=9)
        return self


def _name(estimator: Any) -> str:
    return type(estimator.steps[-1][1] if hasattr(estimator, "steps") else estimator).__name__


def _text(label: Any) -> str:
    """1 for 1.0."""
    return f"{label:g}" if isinstance(label, np.number) else str(label)
