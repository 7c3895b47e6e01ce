"""Published tables, rebuilt: each experiment prints our numbers beside the printed ones.

Examples
--------
>>> from widemargin.papers import experiments
>>> experiments["counter-example"].source
'Glasmachers and Igel 2006, theorem 7; Glasmachers 2008, thesis, section 6.1.4'
"""

from widemargin.papers.barrier_accuracy import BarrierAccuracy
from widemargin.papers.barrier_convergence import BarrierConvergence
from widemargin.papers.barrier_prices import BarrierPrices
from widemargin.papers.barrier_ratings import BarrierRatings
from widemargin.papers.barrier_speed import BarrierSpeed
from widemargin.papers.benchmark_sets import BenchmarkSets
from widemargin.papers.boundary_optima import BoundaryOptima
from widemargin.papers.cache_sizes import CacheSizes
from widemargin.papers.counter_example import CounterExample
from widemargin.papers.experiment import Experiment
from widemargin.papers.kernel_limits import KernelLimits
from widemargin.papers.lasvm_cache import LasvmCache
from widemargin.papers.lasvm_epoch import LasvmEpoch
from widemargin.papers.lasvm_epochs import LasvmEpochs
from widemargin.papers.leave_one_out import LeaveOneOutErrors
from widemargin.papers.leave_one_out_bounds import LeaveOneOutBounds
from widemargin.papers.low_rank import LowRank
from widemargin.papers.many_optima import ManyOptima
from widemargin.papers.model_selection import DiagonalSelection, RadialSelection, ToySelection
from widemargin.papers.multiclass import Multiclass
from widemargin.papers.multiclass_overlap import MulticlassOverlap
from widemargin.papers.multiple_planning import MultiplePlanning
from widemargin.papers.noisy_functions import NoisyFunctions
from widemargin.papers.normals_in_the_plane import NormalsInThePlane
from widemargin.papers.objective_surfaces import ObjectiveSurfaces
from widemargin.papers.planning_ahead import PlanningAhead
from widemargin.papers.planning_parts import PlanningParts
from widemargin.papers.rls_vs_svm import RLSVersusSVM
from widemargin.papers.rotated_chess_board import RotatedChessBoard
from widemargin.papers.rows_considered import RowsConsidered
from widemargin.papers.step_sizes import StepSizes
from widemargin.papers.table import Table
from widemargin.papers.text import Text
from widemargin.papers.three_variables import ThreeVariables
from widemargin.papers.walk_statistics import WalkStatistics
from widemargin.papers.working_sets import WorkingSets

experiments: dict[str, Experiment] = {
    "counter-example": CounterExample(),
    "working-sets": WorkingSets(),
    "cache-sizes": CacheSizes(),
    "rows-considered": RowsConsidered(),
    "benchmark-sets": BenchmarkSets(),
    "planning-ahead": PlanningAhead(),
    "planning-parts": PlanningParts(),
    "step-sizes": StepSizes(),
    "multiple-planning": MultiplePlanning(),
    "three-variables": ThreeVariables(),
    "normals-in-the-plane": NormalsInThePlane(),
    "text": Text(),
    "low-rank": LowRank(),
    "leave-one-out": LeaveOneOutErrors(),
    "leave-one-out-bounds": LeaveOneOutBounds(),
    "rls-vs-svm": RLSVersusSVM(),
    "multiclass": Multiclass(),
    "multiclass-overlap": MulticlassOverlap(),
    "kernel-limits": KernelLimits(),
    "boundary-optima": BoundaryOptima(),
    "many-optima": ManyOptima(),
    "objective-surfaces": ObjectiveSurfaces(),
    "rotated-chess-board": RotatedChessBoard(),
    "noisy-functions": NoisyFunctions(),
    "walk-statistics": WalkStatistics(),
    "model-selection-toys": ToySelection(),
    "model-selection-radial": RadialSelection(),
    "model-selection-diagonal": DiagonalSelection(),
    "barrier-prices": BarrierPrices(),
    "barrier-accuracy": BarrierAccuracy(),
    "barrier-convergence": BarrierConvergence(),
    "barrier-speed": BarrierSpeed(),
    "barrier-ratings": BarrierRatings(),
    "lasvm": LasvmEpoch(),
    "lasvm-epochs": LasvmEpochs(),
    "lasvm-cache": LasvmCache(),
}

__all__ = ["Experiment", "Table", "experiments"]
