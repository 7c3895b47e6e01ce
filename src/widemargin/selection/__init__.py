"""Choosing C, gamma and all other parameters of a machine: by a grid, and by objectives with gradients."""

from . import objectives
from .parameters import Parameters
from .path import cross_validate_path
from .result import PathInterrupted, PathResult
from .width_heuristic import width_heuristic

__all__ = [
    "Parameters",
    "PathInterrupted",
    "PathResult",
    "cross_validate_path",
    "objectives",
    "width_heuristic",
]
