"""Ways to walk through parameters: records of settings whose `init` and `step` are pure functions.

`state = optimizer.init(x0)`, then, as long as there are `state.points`, `state = optimizer.step(state,
evaluations)` with an `Evaluation` of each. All of them minimise. Parameters are logarithms, so that a step
is a factor. `minimize` is the loop around it, with limits, a history and the best point so far.
"""

from .best_so_far import BestSoFar
from .best_start import BestStart
from .bfgs import BFGS
from .box import Box
from .cma_es import CMAES
from .coordinate_search import CoordinateSearch
from .evaluation import Evaluation
from .grid import Grid
from .irprop import IRpropMinus, IRpropPlus
from .minimize import History, Run, minimize
from .nested_grid import NestedGrid
from .noisy_rprop import NoisyRprop
from .optimizer import Optimizer
from .random import Random
from .rprop import Rprop

__all__ = [
    "BFGS",
    "CMAES",
    "BestSoFar",
    "BestStart",
    "Box",
    "CoordinateSearch",
    "Evaluation",
    "Grid",
    "History",
    "IRpropMinus",
    "IRpropPlus",
    "NestedGrid",
    "NoisyRprop",
    "Optimizer",
    "Random",
    "Rprop",
    "Run",
    "minimize",
]
