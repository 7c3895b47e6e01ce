"""Solvers of the quadratic program: SMO with every published policy, and larger working sets."""

from widemargin.solvers.decomposition import Decomposition
from widemargin.solvers.smo import SMO
from widemargin.solvers.solution import Solution, Status, Stop
from widemargin.solvers.steps import Newton, OverRelaxed, PlanningAhead
from widemargin.solvers.working_sets import (
    Greedy,
    HybridMaximumGain,
    MaximumGain,
    MostViolatingPair,
    PlanningSelection,
    SecondOrder,
)

__all__ = [
    "SMO",
    "Decomposition",
    "Greedy",
    "HybridMaximumGain",
    "MaximumGain",
    "MostViolatingPair",
    "Newton",
    "OverRelaxed",
    "PlanningAhead",
    "PlanningSelection",
    "SecondOrder",
    "Solution",
    "Status",
    "Stop",
]
