"""Machines that need no parameters: they scale, choose kernel and C, calibrate, and say what they did."""

from .auto_svc import AutoSVC
from .auto_svr import AutoSVR

__all__ = ["AutoSVC", "AutoSVR"]
