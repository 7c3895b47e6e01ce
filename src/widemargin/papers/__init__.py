"""Published tables, rebuilt: each experiment prints our numbers beside the printed ones.

Examples
--------
>>> from widemargin.papers import experiments
>>> experiments["counter-example"].source
'Glasmachers and Igel 2006, theorem 7; Glasmachers 2008, thesis, section 6.1.4'
"""

from widemargin.papers.benchmark_sets import BenchmarkSets
from widemargin.papers.cache_sizes import CacheSizes
from widemargin.papers.counter_example import CounterExample
from widemargin.papers.experiment import Experiment
from widemargin.papers.lasvm_cache import LasvmCache
from widemargin.papers.lasvm_epoch import LasvmEpoch
from widemargin.papers.lasvm_epochs import LasvmEpochs
from widemargin.papers.leave_one_out import LeaveOneOutErrors
from widemargin.papers.leave_one_out_bounds import LeaveOneOutBounds
from widemargin.papers.low_rank import LowRank
from widemargin.papers.multiclass import Multiclass
from widemargin.papers.multiclass_overlap import MulticlassOverlap
from widemargin.papers.multiple_planning import MultiplePlanning
from widemargin.papers.normals_in_the_plane import NormalsInThePlane
from widemargin.papers.planning_ahead import PlanningAhead
from widemargin.papers.planning_parts import PlanningParts
from widemargin.papers.rls_vs_svm import RLSVersusSVM
from widemargin.papers.rows_considered import RowsConsidered
from widemargin.papers.step_sizes import StepSizes
from widemargin.papers.table import Table
from widemargin.papers.text import Text
from widemargin.papers.three_variables import ThreeVariables
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
    "lasvm": LasvmEpoch(),
    "lasvm-epochs": LasvmEpochs(),
    "lasvm-cache": LasvmCache(),
}

__all__ = ["Experiment", "Table", "experiments"]
