"""Colours that stay apart for every kind of colour vision, and the one place that asks for matplotlib."""

from __future__ import annotations

from typing import Any

# M. Okabe, K. Ito: Color Universal Design (2008), ordered so that neighbours differ in lightness too.
PALETTE = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#F0E442", "#999999")
INK = "#222222"
PALE = "#8a8a8a"


def pyplot() -> Any:
    """`matplotlib.pyplot`, or one sentence on how to get it."""
    try:
        import matplotlib.pyplot as plt
    except ImportError as missing:
        raise ImportError("pictures need matplotlib: pip install 'widemargin[plot]'") from missing
    return plt


def colour(index: int) -> str:
    """Colour of the class or curve of that number; colours repeat after eight."""
    return PALETTE[index % len(PALETTE)]


def quiet_axes(ax: Any, *, grid: bool = False) -> None:
    """Leave only what carries information: two thin spines and, where values are read off, a faint grid."""
    ax.spines[["top", "right"]].set_visible(False)
    ax.spines[["left", "bottom"]].set_color(PALE)
    ax.tick_params(colors=PALE, labelcolor=INK, labelsize=9, which="both")
    ax.xaxis.label.set_color(INK)
    ax.yaxis.label.set_color(INK)
    if grid:
        ax.grid(True, color="#e6e6e6", linewidth=0.7)
        ax.set_axisbelow(True)
