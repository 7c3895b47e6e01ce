"""Choosing the points that a low-rank machine is made of."""

from .captured_trace import captured_trace
from .centres import Centres
from .given_centres import GivenCentres
from .greedy_centres import GreedyCentres
from .leverage_centres import LeverageCentres
from .pivoted_centres import PivotedCentres
from .random_centres import RandomCentres

__all__ = [
    "Centres",
    "GivenCentres",
    "GreedyCentres",
    "LeverageCentres",
    "PivotedCentres",
    "RandomCentres",
    "captured_trace",
]
