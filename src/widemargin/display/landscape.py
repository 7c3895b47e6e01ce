"""What a search for C and a kernel parameter goes through."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.display.style import INK, colour, pyplot, quiet_axes

Vector = NDArray[np.float64]

LEVELS = 14
BAD_SHARE = 0.1
"""Share of the worst cells that may go beyond the colour scale: one bad corner must not hide all else."""


class LandscapeDisplay:
    """Values over (log C, log gamma) as filled contours, the way of a search, and its end.

    Bright is good, whether scores are to be large or objectives small. Both axes are decimal logarithms. The
    star is the end of the search, or without one the best cell.

    Build one by `from_path` or `from_objective`.

    Parameters
    ----------
    Cs : array of shape (n_Cs,)
    gammas : array of shape (n_gammas,)
    values : array of shape (n_Cs, n_gammas)
        Cells that are not finite stay white.
    maximum : bool, default=False
        Whether large values are good.
    value_name : str, default="objective"
    parameter_names : pair of str, default=("C", "gamma")
    visited : array of shape (n_evaluations, 2), optional
        What a search has tried, in its order.
    best : pair of float, optional
        Where it ended; by default the best cell.

    Attributes
    ----------
    ax_, figure_ : what was drawn on
    best_ : pair of float
        The parameters at the star.

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> import widemargin as wm
    >>> from widemargin.display import LandscapeDisplay
    >>> board = wm.datasets.chess_board(100, seed=0)
    >>> result = wm.cross_validate_path(wm.SVC(), board.X, board.y, Cs=[1, 10], gammas=[0.1, 1, 10], cv=3)
    >>> display = LandscapeDisplay.from_path(result)
    >>> display.best_ == (result.best_C, result.best_gamma)
    True
    """

    def __init__(
        self,
        Cs: ArrayLike,
        gammas: ArrayLike,
        values: ArrayLike,
        *,
        maximum: bool = False,
        value_name: str = "objective",
        parameter_names: Sequence[str] = ("C", "gamma"),
        visited: ArrayLike | None = None,
        best: tuple[float, float] | None = None,
    ) -> None:
        self.Cs, self.gammas = _axis("Cs", Cs), _axis("gammas", gammas)
        self.values = np.asarray(values, dtype=np.float64)
        shape = (self.Cs.size, self.gammas.size)
        if self.values.shape != shape:
            raise ValueError(f"values has shape {self.values.shape}; Cs and gammas make that {shape}.")
        if not np.isfinite(self.values).any():
            raise ValueError("values has no finite entry: there is nothing to draw.")
        self.maximum = maximum
        self.value_name = value_name
        self.parameter_names = parameter_names
        self.visited = None if visited is None else np.asarray(visited, dtype=np.float64)
        self.best = best

    @classmethod
    def from_path(cls, result: Any, *, search: Any = None, ax: Any = None) -> LandscapeDisplay:
        """Draw the mean scores of a cross-validation.

        Parameters
        ----------
        result : PathResult
            Of `cross_validate_path`, for at least two C and two gammas.
        search : fitted ModelSearch, optional
            Of C and gamma of the same machine on the same points; its way is drawn too.
        ax : matplotlib axes, optional
            Where to draw; a new figure by default.

        Returns
        -------
        display : LandscapeDisplay
        """
        means = result.mean_scores
        best = (result.best_C, result.best_gamma) if np.isfinite(means).any() else None
        way = {"best": best} if search is None else _way(search, ["C", "gamma"])
        return cls(
            result.Cs, result.gammas, means, maximum=True, value_name="mean score of the folds", **way
        ).plot(ax)

    @classmethod
    def from_objective(
        cls,
        bound: Any,
        *,
        Cs: ArrayLike,
        gammas: ArrayLike,
        draws: int = 1,
        search: Any = None,
        ax: Any = None,
    ) -> LandscapeDisplay:
        """Evaluate an objective of C (or lam) and one kernel parameter on a grid, and draw it.

        Parameters
        ----------
        bound : bound objective
            What `bind` of an objective returns, see `widemargin.selection.objectives`.
        Cs, gammas : array-like
            The grid; gammas are values of the kernel's parameter, whatever its name.
        draws : int, default=1
            Evaluations of each cell, whose mean is shown: more for objectives that are `noisy`.
        search : fitted ModelSearch, optional
            With this objective; its way is drawn too.
        ax : matplotlib axes, optional

        Returns
        -------
        display : LandscapeDisplay

        Examples
        --------
        >>> import matplotlib; matplotlib.use("agg")
        >>> import widemargin as wm
        >>> from widemargin.display import LandscapeDisplay
        >>> from widemargin.selection.objectives import HoldOut
        >>> from widemargin.selection.optimizers import NestedGrid
        >>> board = wm.datasets.chess_board(80, seed=0)
        >>> search = wm.ModelSearch(wm.SVC(), HoldOut(), NestedGrid(points=3), random_state=0)
        >>> search = search.fit(board.X, board.y)
        >>> bound = HoldOut().bind(wm.SVC(kernel=wm.Gaussian()), board.X, board.y, random_state=0)
        >>> display = LandscapeDisplay.from_objective(
        ...     bound, Cs=[1, 10, 100], gammas=[0.1, 1, 10], search=search
        ... )
        >>> display.best_ == (search.best_estimator_.C, search.best_estimator_.kernel.gamma)
        True
        """
        names = [_plain(name) for name in bound.parameters.names]
        if len(names) != 2 or bound.parameters.price is None:
            raise ValueError(
                "a landscape has two directions, C and one kernel parameter, but "
                f"{type(bound.objective).__name__} is a function of {_listed(names)}."
            )
        if draws < 1:
            raise ValueError(f"draws is {draws}; it must be at least 1.")
        way = {} if search is None else _way(search, names)
        Cs, gammas = _axis("Cs", Cs), _axis("gammas", gammas)
        # Along C for each gamma, so that the kernel matrix and the last solutions serve the next cell.
        columns = [
            [np.mean([bound.value(np.log([C, gamma])) for _ in range(draws)]) for C in Cs] for gamma in gammas
        ]
        name = type(bound.objective).__name__
        return cls(Cs, gammas, np.transpose(columns), value_name=name, parameter_names=names, **way).plot(ax)

    @property
    def best_(self) -> tuple[float, float]:
        """Where the star is."""
        if self.best is not None:
            return self.best
        badness = np.where(np.isfinite(self.values), -self.values if self.maximum else self.values, np.inf)
        row, column = np.unravel_index(np.argmin(badness), badness.shape)
        return float(self.Cs[row]), float(self.gammas[column])

    def plot(self, ax: Any = None) -> LandscapeDisplay:
        """Draw on these axes, or on new ones.

        Parameters
        ----------
        ax : matplotlib axes, optional

        Returns
        -------
        self : LandscapeDisplay
        """
        if ax is None:
            _, ax = pyplot().subplots(figsize=(6.4, 5), layout="constrained")
        self.ax_, self.figure_ = ax, ax.figure
        self._fill()
        if self.visited is not None:
            self._draw_way(np.log10(self.visited))
        style = {"color": colour(5), "markeredgecolor": "white", "markersize": 15, "zorder": 5}
        ax.plot(*np.log10(self.best_)[:, None], "*", label="best", clip_on=False, **style)
        ax.set(xlabel=_axis_label(self.parameter_names[0]), ylabel=_axis_label(self.parameter_names[1]))
        ax.legend(loc="lower right", bbox_to_anchor=(1, 1), ncols=3, frameon=False, fontsize=9)
        quiet_axes(ax)
        return self

    def _fill(self) -> None:
        rows, columns = np.argsort(self.Cs), np.argsort(self.gammas)
        shown = np.ma.masked_invalid(self.values[np.ix_(rows, columns)])
        filled = self.ax_.contourf(
            np.log10(self.Cs[rows]),
            np.log10(self.gammas[columns]),
            shown.T,
            levels=self._levels(),
            cmap="cividis" if self.maximum else "cividis_r",
            extend="min" if self.maximum else "max",
        )
        bar = self.figure_.colorbar(filled, ax=self.ax_, label=self.value_name)
        bar.outline.set_visible(False)
        bar.ax.tick_params(labelsize=9)

    def _levels(self) -> Vector:
        """Round numbers from the best value to one that only the worst tenth of the cells exceeds."""
        from matplotlib.ticker import MaxNLocator

        finite = self.values[np.isfinite(self.values)]
        if self.maximum:
            low, high = np.quantile(finite, BAD_SHARE), finite.max()
        else:
            low, high = finite.min(), np.quantile(finite, 1 - BAD_SHARE)
        if high - low <= 1e-12 * max(abs(low), abs(high), 1e-300):  # a plain
            low, high = finite.min() - 0.5, finite.max() + 0.5
        return np.asarray(MaxNLocator(LEVELS).tick_values(low, high))

    def _draw_way(self, way: Vector) -> None:
        dots = max(1.5, 5 - len(way) / 50)
        self.ax_.plot(*way.T, color="white", linewidth=2.2, alpha=0.6, zorder=3)
        self.ax_.plot(
            *way.T, "o-", color=INK, linewidth=0.9, markersize=dots, zorder=3, label="search", alpha=0.8
        )
        self.ax_.plot(
            *way[:1].T, "o", markersize=9, color="white", markeredgecolor=INK, zorder=4, label="start"
        )


def _axis(name: str, values: ArrayLike) -> Vector:
    """The values of one direction of the grid, which need logarithms."""
    axis = np.asarray(values, dtype=np.float64)
    if axis.ndim != 1 or np.unique(axis).size < 2 or np.unique(axis).size != axis.size:
        raise ValueError(f"{name} must hold at least two different values to make a landscape; got {axis}.")
    if not np.all((axis > 0) & np.isfinite(axis)):
        raise ValueError(f"{name} must be positive and finite to have logarithms; got {axis}.")
    return axis


def _way(search: Any, names: Sequence[str]) -> dict[str, Any]:
    """What a search has tried, and where it ended."""
    moved = [_plain(name) for name in search.parameter_names_]
    if moved != list(names):
        raise ValueError(f"search has moved {_listed(moved)}, but the landscape is one of {_listed(names)}.")
    machine = search.best_estimator_
    price = float(getattr(machine, names[0]))
    return {"visited": np.exp(search.history_.x), "best": (price, float(np.exp(machine.kernel.theta[0])))}


def _plain(name: str) -> str:
    """C for log C."""
    return name.removeprefix("log ")


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(names[:4])
    return f"{shown} and {len(names) - 4} more" if len(names) > 4 else shown


def _axis_label(name: str) -> str:
    symbols = {"C": "C", "gamma": r"\gamma", "lam": r"\lambda"}
    return rf"$\log_{{10}}\,{symbols[name]}$" if name in symbols else rf"$\log_{{10}}$ {name}"
