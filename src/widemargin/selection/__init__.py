"""Choosing C, gamma and all other parameters of a machine: on a grid, by gradients, or unasked."""

from . import objectives, optimizers
from .auto import AutoSVC, AutoSVR
from .code_comparison import CodeComparison, compare_codes
from .model_search import ModelSearch
from .parameters import Parameters
from .path import cross_validate_path
from .plateau import SearchWarning
from .result import PathInterrupted, PathResult
from .width_heuristic import width_heuristic

__all__ = [
    "AutoSVC",
    "AutoSVR",
    "CodeComparison",
    "ModelSearch",
    "Parameters",
    "PathInterrupted",
    "PathResult",
    "SearchWarning",
    "compare_codes",
    "cross_validate_path",
    "objectives",
    "optimizers",
    "width_heuristic",
]
