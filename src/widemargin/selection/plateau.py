"""Searches that have lost their way: where the objective no longer changes, or at the end of the world; and
those that have not found one."""

from __future__ import annotations

from itertools import product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.selection.optimizers import Box, Optimizer, Run

Vector = NDArray[np.float64]

LAST = 20
"""Evaluations at the end of a run that are looked at."""

FLAT = 1e-9
"""A gradient smaller than this part of the largest one seen is none."""

OFFSETS, DRAWS = (-2.0, 0.0, 2.0), 3
"""Starts around the heuristic, in logarithms; evaluations of each if the objective is random."""

FEW = 2
"""Up to this many parameters, starts differ in each of them; more of them are moved together."""


NEAR_CHANCE = 0.05
"""A value that is better than that of guessing by less than this part of it is worth a word."""


class SearchWarning(UserWarning):
    """A search of parameters that found less than was asked for."""


def is_stuck(run: Run, box: Box, noisy: bool) -> str:
    """Why a run is not to be trusted, empty if it is.

    A run of very few parameters at the end of its box runs away to where all machines are alike; of many
    (a width per feature), some do for good reason, but not all.
    """
    last = run.history.gradient_norm[-LAST:]
    largest = np.nanmax(run.history.gradient_norm, initial=0.0)
    flat = np.mean(last <= FLAT * largest) if len(last) and not np.isnan(last).any() else 0.0
    if largest == 0 and len(last) and not np.isnan(last).any():
        return "the gradient is zero from the beginning"
    if noisy and flat > 0.5:
        return "the gradient is zero in most of the last evaluations"
    inside = _inside(run.answer, box)
    if not (inside.all() if run.answer.size <= FEW else inside.any()):
        return "a parameter is 3,000 times larger or smaller than at the start"
    values = run.history.value
    if len(values) > 1 and not noisy and np.ptp(values) == 0 and values[0] != 0:  # no error at all is fine
        return "the objective is the same everywhere"
    return ""


def value_reached(run: Run, noisy: bool) -> float:
    """The lowest value; of a random objective, where it is a lucky draw, the mean of the last ones."""
    if noisy and len(run.history):
        return float(run.history.value[-max(1, len(run.history) // 10) :].mean())
    return np.inf if run.best is None else float(run.best.value)


def is_at_chance(value: float, chance: float | None) -> bool:
    """Whether a value, if there is one, is hardly better than that of guessing, if that is known."""
    return chance is not None and np.isfinite(value) and value > chance - NEAR_CHANCE * abs(chance)


def starts_around(start: Vector, box: Box, noisy: bool) -> tuple[list[Vector], int]:
    """Other starts around the heuristic, and how often to evaluate each."""
    few = start.size <= FEW
    moves = product(OFFSETS, repeat=start.size) if few else ([offset] * start.size for offset in OFFSETS)
    return [box.clip(start + np.array(move)) for move in moves], DRAWS if noisy else 1


def shorter_steps(optimizer: Optimizer) -> Optimizer:
    """The optimiser with a first step half as long, if it has one."""
    settings: dict[str, Any] = optimizer.get_params(deep=False)
    if "first_step" not in settings:
        return optimizer
    shorter = settings["first_step"] / 2
    if shorter <= settings.get("tolerance", 0.0):
        return optimizer
    return type(optimizer)(**{**settings, "first_step": shorter})


def _inside(x: Vector, box: Box) -> NDArray[np.bool_]:
    margin = 1e-6 * (box.upper - box.lower)
    return (x > box.lower + margin) & (x < box.upper - margin)
