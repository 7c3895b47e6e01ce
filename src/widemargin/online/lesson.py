"""What the learners of a classifier are to learn side by side."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from math import sqrt
from threading import Event, Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.online.examples import Examples
from widemargin.online.pair_learner import PairLearner, Settings
from widemargin.threads import for_each

MOST, LEAST, WORK = 8192, 64, 3_000_000
"""Rows that are learnt at a time. One learner takes the most; several take so many that they compute about
WORK kernel values with their candidates, in a tenth of a second or two: Ctrl-C waits until all of them have
come as far as the first."""


class Lesson:
    """Rows of some data for several learners: a part at a time, so that they keep together.

    Parameters
    ----------
    data : Examples
    orders : iterable of arrays
        The rows, in each of these orders.
    gram : Gram
        Of the data.
    settings : Settings
    threads : int
    tell : function, optional
        Called with `learnt` after each part.

    Attributes
    ----------
    learnt : int
        How many rows so far. If the lesson ends early these are the first rows, for all learners the same;
        after an error, or a second Ctrl-C, some learners may be short of the last of them.
    """

    def __init__(
        self,
        data: Examples,
        orders: Iterable[NDArray[np.integer]],
        gram: Any,
        settings: Settings,
        threads: int,
        tell: Callable[[int], None] | None = None,
    ) -> None:
        self.data = data
        self.gram = gram
        self.settings = settings
        self.learnt = 0
        self._orders = orders
        self._threads = threads
        self._tell = tell

    def teach(self, learners: Sequence[PairLearner], kept: int) -> None:
        """Have all learners learn all rows; one that is new begins with those that are kept, the first."""
        for rows in self._parts(learners):
            shares = [Share(self, learner, rows, kept if learner.is_new else 0) for learner in learners]
            try:
                self._take(shares, rows.size)
            except KeyboardInterrupt:
                with suppress(KeyboardInterrupt):
                    self._take(shares, max(share.reached for share in shares))
                raise
            finally:
                self.learnt += max(share.reached for share in shares)
            if self._tell is not None:
                self._tell(self.learnt)

    def _parts(self, learners: Sequence[PairLearner]) -> Iterator[NDArray[np.integer]]:
        for rows in self._orders:
            while rows.size:
                size = MOST if len(learners) == 1 else _part_size(learners)
                yield rows[:size]
                rows = rows[size:]

    def _take(self, shares: Sequence[Share], end: int) -> None:
        """Have all learners go on to the same row of the part; however it ends, none is at work any more."""
        over = Event()

        def work(share: Share, abandoned: Event) -> None:
            share.take(end, lambda: over.is_set() or abandoned.is_set())

        try:
            for_each(work, shares, min(len(shares), self._threads))
        finally:
            _persist(over.set)
            for share in shares:
                _persist(share.wait)


def _part_size(learners: Sequence[PairLearner]) -> int:
    """A row is learnt by the pairs of its class, two of k in each."""
    classes = (1 + sqrt(1 + 8 * len(learners))) / 2
    values = 2 * sum(learner.size for learner in learners) / classes
    return int(np.clip(WORK / (1 + values), LEAST, MOST))


def _persist(action: Callable[[], None]) -> None:
    """Do what must be done, whoever presses Ctrl-C meanwhile."""
    while True:
        try:
            return action()
        except KeyboardInterrupt:
            continue


class Share:
    """What one learner has to learn of a part of a lesson."""

    def __init__(self, lesson: Lesson, learner: PairLearner, rows: NDArray[np.integer], kept: int) -> None:
        rows = np.concatenate([np.arange(kept), rows])
        mine = learner.concerns(lesson.data.labels[rows])
        self._rows = rows[mine].astype(np.int32)
        self._ends = np.flatnonzero(mine) + 1 - kept
        self._lesson = lesson
        self._learner = learner
        self._before = learner.seen
        self._at_work = Lock()

    @property
    def _done(self) -> int:
        return self._learner.seen - self._before

    @property
    def reached(self) -> int:
        """How many rows of the part end with the last one that was learnt."""
        return max(0, int(self._ends[self._done - 1])) if self._done else 0

    def take(self, end: int, told_to_stop: Callable[[], bool]) -> None:
        """Learn on up to this row of the part; Ctrl-C may come between."""
        with self._at_work:
            rows = self._rows[self._done : np.searchsorted(self._ends, end, side="right")]
            if rows.size == 0 or told_to_stop():
                return
            lesson, problem = self._lesson, self._learner.problem(self._lesson.data, rows)
            if not self._learner.learn(lesson.gram, problem, lesson.settings, lambda _: told_to_stop()):
                raise KeyboardInterrupt

    def wait(self) -> None:
        """Return when nobody is at work."""
        with self._at_work:
            return
