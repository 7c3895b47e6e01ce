"""Random parts of the data to train on."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.problems import Vector
from widemargin.selection.folds import Fold, make_folds
from widemargin.selection.objectives.objective import Task

TRIES = 1000
"""Subsets drawn in search of one with all classes."""


class Subsets:
    """Subsets of n points, drawn without replacement for each evaluation or once; the rest is judged.

    Parameters
    ----------
    task : Task
    share : float
        Of the points, to be trained on.
    draws : int
        Subsets per evaluation.
    stratified : bool
        Whether each class keeps its share.
    subsets : list of index arrays, or None
        A fixed collection in the place of random ones.
    fresh : bool
        Whether each evaluation draws; else all have the same subsets, which leave out all points equally
        often, as far as their number allows.
    """

    def __init__(
        self, task: Task, share: float, draws: int, stratified: bool, subsets: Any, fresh: bool
    ) -> None:
        if not (isinstance(draws, int | np.integer) and draws >= 1):
            raise ValueError(f"draws must be a whole number >= 1, not {draws!r}.")
        if not (isinstance(share, float | np.floating) and 0 < share < 1):
            raise ValueError(f"share must lie strictly between 0 and 1, not {share!r}.")
        self.task = task
        self.draws = draws
        self._targets = task.targets()
        self._balanced = getattr(task.estimator, "class_weight", None) == "balanced"
        self.groups = self._make_groups(stratified and not task.is_regression)
        self.sizes = _parts(share, np.array([group.size for group in self.groups]))
        self.fixed = None if subsets is None else self._given(subsets)
        if subsets is None:
            drawn = self._drawn(np.zeros(task.n))  # a sentence now, if there cannot be one
            self.fixed = None if fresh else self._balanced_after(drawn)

    def draw(self) -> list[Fold]:
        """The splits of one evaluation."""
        return self.fixed or [self._drawn(np.zeros(self.task.n)) for _ in range(self.draws)]

    def _balanced_after(self, first: Fold) -> list[Fold]:
        """As many subsets as wanted, each of which leaves out the points that were left out least often."""
        folds, times = [first], np.zeros(self.task.n)
        while len(folds) < self.draws:
            times[folds[-1].test] += 1
            folds.append(self._drawn(times))
        return folds

    def _make_groups(self, by_class: bool) -> list[NDArray[np.int32]]:
        rows = self.task.rows
        if not by_class:
            return [rows]
        y = self.task.y[rows]
        return [rows[y == name] for name in np.unique(y)]

    def _drawn(self, times: Vector) -> Fold:
        """A part to train on, some of every class, and the rest, points that were outside least often."""
        task = self.task
        for _ in range(TRIES):
            outside = np.ones(task.n, dtype=bool)
            for group, size in zip(self.groups, self.sizes, strict=True):
                shuffled = task.random.permutation(group)
                outside[shuffled[np.argsort(-times[shuffled], kind="stable")][:size]] = False
            train = np.flatnonzero(~outside).astype(np.int32)
            if task.is_regression or self._has_all(train):
                targets = task.targets(train) if self._balanced else self._targets
                return Fold(train, np.flatnonzero(outside).astype(np.int32), targets)
        raise ValueError("no part of the data that was drawn has all classes: raise share, or add points.")

    def _has_all(self, train: NDArray[np.int32]) -> bool:
        """Whether every class has a point."""
        return bool(np.bincount(self._targets.labels[train], minlength=self._targets.count).all())

    def _given(self, subsets: Any) -> list[Fold]:
        every = np.arange(self.task.n)
        splits = [(np.asarray(train), np.setdiff1d(every, train)) for train in subsets]
        return make_folds(self.task.estimator, self.task.y, self.task.weight, splits)


def _parts(share: float, sizes: NDArray[np.integer]) -> NDArray[np.integer]:
    """floor(share n) points in all: whole numbers near share times each size, one at least of each."""
    wanted = share * sizes
    parts = np.maximum(1, np.floor(wanted)).astype(int)
    missing = int(np.floor(share * sizes.sum() + 1e-9)) - int(parts.sum())
    for group in np.argsort(parts - wanted)[: max(0, missing)]:
        parts[group] += 1
    return parts
