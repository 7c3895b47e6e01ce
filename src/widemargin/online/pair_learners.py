"""The two-class machines of a classifier that learns from a stream."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from widemargin.estimators.base import start_from
from widemargin.estimators.training import Job, Solve, Solved, Training
from widemargin.online.examples import Examples
from widemargin.online.lesson import Lesson
from widemargin.online.pair_learner import PairLearner
from widemargin.problems import Problem
from widemargin.solvers import Solution
from widemargin.threads import single_threaded_blas


class PairLearners:
    """A learner for each pair of classes, in order, and the examples that some of them still need.

    In between calls candidates are rows of what is kept; in a call rows of the data that it is given.

    Parameters
    ----------
    names : array of shape (n_classes,)
        The classes.
    kept : Examples
        None yet, but of the form of those that will come.
    """

    def __init__(self, names: NDArray[Any], kept: Examples) -> None:
        self.kept = kept
        self._learners: list[PairLearner] = []
        self.set_classes(names)

    def __iter__(self) -> Iterator[PairLearner]:
        return iter(self._learners)

    def __len__(self) -> int:
        return len(self._learners)

    @property
    def end(self) -> int:
        """The position in the stream after the last example that is kept, also if it was learnt by half."""
        return int(self.kept.serial.max(initial=-1)) + 1

    def set_classes(self, names: NDArray[Any]) -> None:
        """The classes of before and others; their learners have yet to see what is kept."""
        known = {(each.positive, each.negative): each for each in self}
        pairs = combinations(names.tolist(), 2)
        self._learners = [known.get(pair) or PairLearner(*pair) for pair in pairs]

    def learn(self, lesson: Lesson) -> KeyboardInterrupt | None:
        """Learn a lesson, the first of whose data are those that are kept.

        Ctrl-C is returned: what was learnt before it stays.
        """
        try:
            with single_threaded_blas():
                lesson.teach(self._learners, self.kept.size)
        except KeyboardInterrupt as error:
            return error
        finally:
            self._keep_candidates(lesson.data)
        return None

    def solve(self, data: Examples, gram: Any, training: Training) -> Solved:
        """Solve the problems of all pairs that are there in the data, and go on from their solutions.

        The data have all that is kept, and maybe more.
        """
        self._renumber(data.positions_of(self.kept))
        rows, classes = np.flatnonzero(data.prices), set(data.labels.tolist())
        found: dict[PairLearner, tuple[Problem, Solution]] = {}

        def work(learner: PairLearner, solve: Solve) -> Solution:
            problem = learner.problem(data, learner.own(data, rows))
            solution = solve(problem, start_from(problem, learner.coefficients(data.size)))
            found[learner] = problem, solution
            return solution.summary()

        pairs = [each for each in self if {each.positive, each.negative} <= classes]
        jobs = [Job(each.own(data, rows).size, partial(work, each)) for each in pairs]
        try:
            solved = training.run(jobs, gram)
            for learner, (problem, solution) in found.items():
                learner.restart(problem, solution, gram.diagonal())
        finally:
            self._keep_candidates(data)
        return solved

    def _keep_candidates(self, data: Examples) -> None:
        """Keep of the data what some learner needs."""
        needed = np.unique(np.concatenate([each.points for each in self]))
        place = np.full(data.size, -1, dtype=np.int32)
        place[needed] = np.arange(needed.size)
        self._renumber(place)
        self.kept = data.take(needed)

    def _renumber(self, place: NDArray[np.int32]) -> None:
        for learner in self:
            learner.renumber(place)
