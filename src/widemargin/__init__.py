"""Kernel machines that train exactly, fast, and with a certificate."""

__version__ = "0.1.0"

from widemargin import calibration, io, kernels, problems, solvers
from widemargin.calibration import Calibrated
from widemargin.estimators import SVC, SVR, EnclosingBall, NuSVC, NuSVR, OneClassSVM
from widemargin.expansion import Expansion
from widemargin.kernels import (
    ARDGaussian,
    Gaussian,
    GeneralGaussian,
    Kernel,
    Laplacian,
    Linear,
    Polynomial,
    Precomputed,
    Sigmoid,
)
from widemargin.solvers import (
    SMO,
    Decomposition,
    Greedy,
    HybridMaximumGain,
    MaximumGain,
    MostViolatingPair,
    Newton,
    OverRelaxed,
    PlanningAhead,
    PlanningSelection,
    SecondOrder,
    Solution,
    Status,
    Stop,
)

__all__ = [
    "SMO",
    "SVC",
    "SVR",
    "ARDGaussian",
    "Calibrated",
    "Decomposition",
    "EnclosingBall",
    "Expansion",
    "Gaussian",
    "GeneralGaussian",
    "Greedy",
    "HybridMaximumGain",
    "Kernel",
    "Laplacian",
    "Linear",
    "MaximumGain",
    "MostViolatingPair",
    "Newton",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OverRelaxed",
    "PlanningAhead",
    "PlanningSelection",
    "Polynomial",
    "Precomputed",
    "SecondOrder",
    "Sigmoid",
    "Solution",
    "Status",
    "Stop",
    "calibration",
    "io",
    "kernels",
    "problems",
    "solvers",
]
