"""The picture file of `select`."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import Any

FORMATS = (".png", ".svg", ".pdf")


def check(path: Path, model: Path | None) -> None:
    """Find out before the search, not after it, that the picture cannot be written."""
    if path.suffix.lower() not in FORMATS:
        raise ValueError(f"--picture {path} must end with {', '.join(FORMATS[:-1])} or {FORMATS[-1]}")
    if not path.parent.is_dir():
        raise ValueError(f"--picture {path} cannot be written: there is no directory {path.parent}")
    if path.is_dir():
        raise ValueError(f"--picture {path} cannot be written: it is a directory")
    if model is not None and path.resolve() == model.resolve():
        raise ValueError(f"--picture and --model are the same file, {path}: give them different names")
    check_matplotlib("--picture")


def check_matplotlib(option: str) -> None:
    """Raise a ValueError if nothing can be drawn here; draw to files, not to a screen."""
    if find_spec("matplotlib") is None:
        raise ValueError(f"{option} needs matplotlib: pip install 'widemargin[plot]'")
    import matplotlib

    matplotlib.use("agg")


def save(display: Any, path: Path) -> None:
    """Write what a display has drawn, and say so."""
    import matplotlib.pyplot as plt

    display.figure_.savefig(path, dpi=150)
    plt.close(display.figure_)
    print(f"drawn in {path}")
