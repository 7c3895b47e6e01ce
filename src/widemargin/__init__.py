"""Kernel machines that train exactly, fast, and with a certificate."""

__version__ = "0.1.0"

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin import (
        baselines,
        bounds,
        calibration,
        codes,
        comparison,
        io,
        joint,
        joint_problems,
        kernels,
        least_squares,
        losses,
        online,
        problems,
        reduction,
        regularization,
        selection,
        solvers,
    )
    from widemargin.baselines import (
        KernelNeighbors,
        KernelPerceptron,
        MajorityClassifier,
        MeanClassifier,
    )
    from widemargin.calibration import Calibrated
    from widemargin.codes import Code
    from widemargin.deletion import LeaveOneOut, leave_one_out
    from widemargin.estimators import (
        SVC,
        SVR,
        EnclosingBall,
        LinearSVC,
        LinearSVR,
        NuSVC,
        NuSVR,
        OneClassSVM,
        OutputCode,
        RLSClassifier,
        RLSRegressor,
        TikhonovEstimator,
    )
    from widemargin.expansion import Expansion
    from widemargin.joint import (
        BredensteinerBennett,
        ContinuousCode,
        CrammerSinger,
        LeeLinWahba,
        WestonWatkins,
    )
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
    from widemargin.least_squares import (
        GreedyCentres,
        LeverageCentres,
        PivotedCentres,
        RandomCentres,
    )
    from widemargin.online import LASVM
    from widemargin.reduction import ChunkBagging, IvanovEstimator, Pruned, RestrictedSVC, compress
    from widemargin.regularization import Regularization
    from widemargin.selection import (
        AutoSVC,
        AutoSVR,
        ModelSearch,
        PathInterrupted,
        PathResult,
        compare_codes,
        cross_validate_path,
    )
    from widemargin.solvers import (
        SMO,
        Deactivation,
        Decomposition,
        FreeSet,
        Greedy,
        HybridMaximumGain,
        JointDecomposition,
        JointDescent,
        LinearDescent,
        LogBarrier,
        MaximumGain,
        Mehrotra,
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
    "LASVM",
    "SMO",
    "SVC",
    "SVR",
    "ARDGaussian",
    "AutoSVC",
    "AutoSVR",
    "BredensteinerBennett",
    "Calibrated",
    "ChunkBagging",
    "Code",
    "ContinuousCode",
    "CrammerSinger",
    "Deactivation",
    "Decomposition",
    "EnclosingBall",
    "Expansion",
    "FreeSet",
    "Gaussian",
    "GeneralGaussian",
    "Greedy",
    "GreedyCentres",
    "HybridMaximumGain",
    "IvanovEstimator",
    "JointDecomposition",
    "JointDescent",
    "Kernel",
    "KernelNeighbors",
    "KernelPerceptron",
    "Laplacian",
    "LeaveOneOut",
    "LeeLinWahba",
    "LeverageCentres",
    "Linear",
    "LinearDescent",
    "LinearSVC",
    "LinearSVR",
    "LogBarrier",
    "MajorityClassifier",
    "MaximumGain",
    "MeanClassifier",
    "Mehrotra",
    "ModelSearch",
    "MostViolatingPair",
    "Newton",
    "NuSVC",
    "NuSVR",
    "OneClassSVM",
    "OutputCode",
    "OverRelaxed",
    "PathInterrupted",
    "PathResult",
    "PivotedCentres",
    "PlanningAhead",
    "PlanningSelection",
    "Polynomial",
    "Precomputed",
    "Pruned",
    "RLSClassifier",
    "RLSRegressor",
    "RandomCentres",
    "Regularization",
    "RestrictedSVC",
    "SecondOrder",
    "Sigmoid",
    "Solution",
    "Status",
    "Stop",
    "TikhonovEstimator",
    "WestonWatkins",
    "baselines",
    "bounds",
    "calibration",
    "codes",
    "compare_codes",
    "comparison",
    "compress",
    "cross_validate_path",
    "io",
    "joint",
    "joint_problems",
    "kernels",
    "least_squares",
    "leave_one_out",
    "losses",
    "online",
    "problems",
    "reduction",
    "regularization",
    "selection",
    "solvers",
]

_PARTS = (
    "baselines",
    "bounds",
    "calibration",
    "codes",
    "comparison",
    "deletion",
    "estimators",
    "expansion",
    "io",
    "joint",
    "joint_problems",
    "kernels",
    "least_squares",
    "losses",
    "online",
    "problems",
    "reduction",
    "regularization",
    "selection",
    "solvers",
)
_EXTRAS = ("datasets", "display", "papers", "testing")

if not TYPE_CHECKING:  # which would take any name for an attribute

    def __getattr__(name: str) -> Any:
        """Load a part when it is first asked for, so that the command line can hear Ctrl-C before that."""
        if name in _PARTS or name in _EXTRAS:
            return import_module(f"{__name__}.{name}")
        if name in __all__:
            home = next(part for part in map(__getattr__, _PARTS) if hasattr(part, name))
            return globals().setdefault(name, getattr(home, name))
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, *_EXTRAS})
