"""Choosing parameters: C and gamma by cross-validation on shared matrices, machines that tune themselves."""

from .auto import AutoSVC, AutoSVR
from .path import cross_validate_path
from .result import PathInterrupted, PathResult

__all__ = ["AutoSVC", "AutoSVR", "PathInterrupted", "PathResult", "cross_validate_path"]
