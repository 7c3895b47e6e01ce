"""Solvers of the quadratic program: SMO with every published policy, larger working sets, and exact steps."""

from widemargin.solvers.deactivation import Deactivation, Held
from widemargin.solvers.decomposition import Decomposition
from widemargin.solvers.free_set import FreeSet
from widemargin.solvers.interior import LogBarrier, Mehrotra
from widemargin.solvers.joint_decomposition import JointDecomposition
from widemargin.solvers.joint_descent import JointDescent
from widemargin.solvers.linear_descent import LinearDescent
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
    "Deactivation",
    "Decomposition",
    "FreeSet",
    "Greedy",
    "Held",
    "HybridMaximumGain",
    "JointDecomposition",
    "JointDescent",
    "LinearDescent",
    "LogBarrier",
    "MaximumGain",
    "Mehrotra",
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
