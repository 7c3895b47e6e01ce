"""Which classes a classifier takes for which."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from widemargin.comparison import class_report
from widemargin.display.style import INK, colour, pyplot, quiet_axes

MOST_TEXT = 30
"""Of more classes numbers would be too small to read."""


def confusion(
    y: ArrayLike, predictions: ArrayLike, ax: Any = None, *, classes: ArrayLike | None = None
) -> Any:
    """Draw the confusion matrix: a row per class, a column per class that its points are given.

    Numbers are points. Tints are shares of the row, so that a rare class shows its confusions as clearly as a
    frequent one: right ones on the diagonal in one colour, errors in another.

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes.
    predictions : array-like of shape (n,)
        What the classifier says.
    ax : matplotlib axes, optional
        Where to draw; a new figure by default.
    classes : array-like of shape (n_classes,), optional
        Names and order, as in `classes_`; all that occur, sorted, if not given.

    Returns
    -------
    ax : the axes drawn on

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from widemargin.display import confusion
    >>> ax = confusion(["ant", "ant", "bee", "bee"], ["ant", "bee", "bee", "bee"])
    >>> [text.get_text() for text in ax.texts]
    ['1', '1', '2']
    """
    report = class_report(y, predictions, classes=classes)
    counts, k = report.confusion, len(report.classes)
    if ax is None:
        side = float(np.clip(0.55 * k + 1.5, 3.5, 12))
        _, ax = pyplot().subplots(figsize=(side, side), layout="constrained")
    shares = counts / np.maximum(report.support, 1)[:, None]
    ax.imshow(_tint(shares), interpolation="nearest")
    if k <= MOST_TEXT:
        for i, j in np.argwhere(counts):
            ax.text(j, i, f"{counts[i, j]:,}", ha="center", va="center", fontsize=9, color=_ink(shares[i, j]))
    names = [str(name) for name in report.classes.tolist()]
    ax.set_xticks(range(k), names, rotation=90 if max(map(len, names)) > 3 else 0)
    ax.set_yticks(range(k), names)
    ax.set(xlabel="predicted", ylabel="class")
    ax.set_title(f"{report.error:.2%} errors", loc="left", fontsize=11)
    quiet_axes(ax)
    ax.tick_params(length=0)
    return ax


def _tint(shares: np.ndarray) -> np.ndarray:
    """White for nothing, the full colour for a whole row; errors grow fast, because most are small shares."""
    from matplotlib.colors import to_rgb

    right, wrong = np.array(to_rgb(colour(0))), np.array(to_rgb(colour(5)))
    diagonal = np.eye(len(shares), dtype=bool)[..., None]
    weight = np.where(diagonal, shares[..., None], np.sqrt(shares[..., None]))
    return 1 - weight * (1 - np.where(diagonal, right, wrong))


def _ink(share: float) -> str:
    return "white" if share > 0.5 else INK
