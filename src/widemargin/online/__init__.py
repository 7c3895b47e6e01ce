"""Machines that learn from streams, and choose what to learn from."""

from .lasvm import LASVM
from .queries import Active, Diverse, Gradient, Query, Random

__all__ = ["LASVM", "Active", "Diverse", "Gradient", "Query", "Random"]
