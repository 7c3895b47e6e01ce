"""Five strategies of model selection, compared in chapter 12 of the thesis they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widemargin.estimators import SVC
from widemargin.selection import objectives
from widemargin.selection.optimizers import CMAES, IRpropPlus, NoisyRprop

PRESETS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "5-fold-cv": lambda: (objectives.CrossValidation(), CMAES()),
    "kta": lambda: (objectives.Alignment(), IRpropPlus()),
    "span-bound": lambda: (objectives.SpanBound(), IRpropPlus()),
    "likelihood": lambda: (objectives.BootstrapLikelihood(), NoisyRprop(min_step=1e-3)),
    "posterior": lambda: (objectives.LogPosterior(), NoisyRprop(min_step=1e-3)),
}


def make_preset(name: str, estimator: Any = None) -> tuple[Any, Any, Any]:
    """Estimator, objective and optimiser of a strategy."""
    if name not in PRESETS:
        known = ", ".join(repr(each) for each in PRESETS)
        raise ValueError(f"there is no strategy {name!r}; the names are {known}.")
    return (SVC() if estimator is None else estimator), *PRESETS[name]()
