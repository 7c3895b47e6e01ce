"""Choosing C and gamma by cross-validation, with one kernel matrix for all folds, classes and prices."""

from .path import cross_validate_path
from .result import PathInterrupted, PathResult

__all__ = ["PathInterrupted", "PathResult", "cross_validate_path"]
