"""How solvers approach the optimum, side by side."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from widemargin.display.style import colour, pyplot, quiet_axes

STROKES = ("solid", (0, (5, 1.5)), (0, (1.5, 1)), (0, (6, 1.5, 1.5, 1.5)))


def convergence(
    traces: Mapping[str, Any],
    ax: Any = None,
    *,
    optimum: float | None = None,
    tol: float | None = None,
) -> Any:
    """Draw KKT violation and distance of the dual objective to its optimum over iterations.

    Both jump from one iteration to the next (planning ahead even gives up objective to gain more later), so
    the bold curve is the least value so far and the pale one beneath is the value itself.

    Parameters
    ----------
    traces : mapping of name to trace
        A trace has the columns `iteration`, `violation` and `objective`, as in `trace_` of a machine fitted
        with `solver=wm.SMO(trace=...)`.
    ax : pair of matplotlib axes, optional
        Where to draw violation and objective; a new figure by default.
    optimum : float, optional
        The optimal dual objective; by default the greatest one in the traces.
    tol : float, optional
        The tolerance asked for, drawn as a level.

    Returns
    -------
    ax : the pair of axes

    Examples
    --------
    >>> import matplotlib; matplotlib.use("agg")
    >>> from widemargin.display import convergence
    >>> trace = {"iteration": [1, 2, 3], "violation": [2.0, 0.5, 0.001], "objective": [1.0, 1.9, 2.0]}
    >>> violation, objective = convergence({"second order": trace}, tol=1e-3)
    """
    columns = {name: _columns(name, trace) for name, trace in traces.items()}
    if not columns:
        raise ValueError(
            "traces is empty: fit with solver=wm.SMO(trace=1) and pass {'a name': machine.trace_}"
        )
    if ax is None:
        _, ax = pyplot().subplots(1, 2, figsize=(10, 4), layout="constrained")
    violations, objectives = ax
    if optimum is None:
        optimum = max(objective.max() for _, _, objective in columns.values())

    for k, (name, (iteration, violation, objective)) in enumerate(columns.items()):
        stroke = {"color": colour((0, 5, 2, 3)[k % 4]), "linestyle": STROKES[k % 4], "linewidth": 2.0}
        _curve(violations, iteration, violation, name, stroke)
        _curve(objectives, iteration, optimum - objective, name, stroke)

    _finish(violations, "KKT violation (line: smallest so far)")
    _finish(objectives, "dual objective: distance to the optimum")
    if tol is not None:
        violations.axhline(tol, color="#555555", linewidth=0.9, linestyle="dotted")
        right = {"xycoords": ("axes fraction", "data"), "textcoords": "offset points", "ha": "right"}
        violations.annotate(f"tol = {tol:g}", (1.0, tol), (-4, -11), fontsize=8, color="#555555", **right)
    violations.legend(frameon=False, fontsize=9)
    return ax


def _curve(ax: Any, iteration: np.ndarray, values: np.ndarray, name: str, stroke: dict[str, Any]) -> None:
    """The positive values, palely, and the least so far with a dot where it ends."""
    iteration, values = iteration[values > 0], values[values > 0]
    least = np.minimum.accumulate(values)
    ax.plot(iteration, values, color=stroke["color"], linewidth=0.5, alpha=0.25)
    ax.plot(iteration, least, label=name, **stroke)
    ax.plot(iteration[-1:], least[-1:], "o", markersize=5, color=stroke["color"])


def _columns(name: str, trace: Any) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    try:
        columns = [np.asarray(trace[key], dtype=float) for key in ("iteration", "violation", "objective")]
    except (KeyError, TypeError) as missing:
        raise ValueError(
            f"the trace of {name!r} needs the columns iteration, violation and objective: "
            "fit with solver=wm.SMO(trace=1)"
        ) from missing
    return columns[0], columns[1], columns[2]


def _finish(ax: Any, title: str) -> None:
    ax.set_yscale("log")
    ax.set_xlabel("iterations")
    ax.set_title(title, loc="left", fontsize=11)
    ax.set_xlim(left=0)
    ax.xaxis.set_major_formatter("{x:,.0f}")
    quiet_axes(ax, grid=True)
