"""Who is told how far a run is, and who may end it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field

from widemargin.solvers.smo import Observer
from widemargin.solvers.solution import Status, Stop

INTERVAL = 0.05
"""Seconds between two questions to the observer."""


class Stopped(Exception):
    """A limit was reached, or somebody wants the run to end."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.sentence)
        self.status = status


@dataclass
class Progress:
    """What an observer is told."""

    iteration: int = 0
    violation: float = float("inf")
    objective: float = 0.0
    active_size: int = 0
    kernel_evaluations: int = 0
    seconds: float = 0.0


@dataclass
class Watch:
    """The clock of a run. `look` is called between any two pieces of work that take milliseconds."""

    stop: Stop
    observer: Observer | None
    progress: Progress = field(default_factory=Progress)
    _begin: float = field(default_factory=time.monotonic)
    _next: float = field(default_factory=lambda: INTERVAL)

    @property
    def seconds(self) -> float:
        return time.monotonic() - self._begin

    def look(self) -> bool:
        """Raise `Stopped` if the run has to end now; never True, so that it fits where somebody asks."""
        now = self.seconds
        if self.observer is not None and now >= self._next:
            self._next = now + INTERVAL
            if self.tell():
                raise Stopped(Status.INTERRUPTED)
        if self.stop.max_time is not None and now >= self.stop.max_time:
            raise Stopped(Status.MAX_TIME)
        return False

    def tell(self) -> bool:
        """Report now; whether the observer wants to stop."""
        self.progress.seconds = self.seconds
        return self.observer is not None and bool(self.observer(self.progress))  # type: ignore[arg-type]

    def count_step(self) -> None:
        """One more iteration, if there may be one."""
        if 0 <= self.stop.max_iter <= self.progress.iteration:
            raise Stopped(Status.MAX_ITERATIONS)
        self.progress.iteration += 1
