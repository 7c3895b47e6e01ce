"""Five strategies of model selection, compared in chapter 12 of the thesis they come from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from widemargin.estimators import SVC
from widemargin.selection import objectives
from widemargin.selection.optimizers import CMAES, BestStart, IRpropPlus, Optimizer

DRAWS = 20
"""Subsets whose likelihoods are averaged: each point is left out four times."""

CLOSE = 0.02
"""Steps of log C and log gamma below which machines hardly differ."""


def _descent() -> Optimizer:
    return BestStart(IRpropPlus(tolerance=CLOSE))


PRESETS: dict[str, Callable[[], tuple[Any, Any]]] = {
    "5-fold-cv": lambda: (objectives.CrossValidation(), CMAES()),
    "kta": lambda: (objectives.Alignment(), IRpropPlus()),
    "span-bound": lambda: (objectives.SpanBound(), IRpropPlus()),
    "likelihood": lambda: (objectives.BootstrapLikelihood(draws=DRAWS, fresh=False), _descent()),
    "posterior": lambda: (objectives.LogPosterior(draws=DRAWS, fresh=False), _descent()),
}


def make_preset(name: str, estimator: Any = None) -> tuple[Any, Any, Any]:
    """Estimator, objective and optimiser of a strategy."""
    if name not in PRESETS:
        known = ", ".join(repr(each) for each in PRESETS)
        raise ValueError(f"there is no strategy {name!r}; the names are {known}.")
    return (SVC() if estimator is None else estimator), *PRESETS[name]()
