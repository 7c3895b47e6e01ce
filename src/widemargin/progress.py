"""One line that says how far a fit is and how long it has taken."""

from __future__ import annotations

import math
import shutil
import sys
import time
from collections.abc import Callable
from typing import Any, Protocol, TextIO


class Progress(Protocol):
    """What a solver tells its observer."""

    iteration: int
    violation: float
    objective: float
    active_size: int
    kernel_evaluations: int
    seconds: float


class ProgressLine:
    """Observer that shows a solver's progress on a stream, and nothing at all for short fits.

    On a terminal one line is redrawn several times a second; elsewhere (a log file, a pipe) a plain line is
    added now and then.

    Parameters
    ----------
    tol : float
        The violation at which the solver is done: the bar fills as the log of the least violation so far
        falls to log(tol).
    stream : text stream
        `sys.stderr` by default.
    delay : float
        Seconds of silence at the beginning.
    period : float, optional
        Seconds between two displays: 0.2 on a terminal, 10 elsewhere.

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.progress import ProgressLine
    >>> with ProgressLine(tol=1e-3) as line:
    ...     machine = wm.SVC(callback=line).fit([[0.0], [1.0]], [0, 1])
    """

    def __init__(
        self,
        tol: float,
        stream: TextIO | None = None,
        *,
        delay: float = 0.5,
        period: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.stream = sys.stderr if stream is None else stream
        self.redraws = self.stream.isatty()
        self.tol = tol
        self.period = (0.2 if self.redraws else 10.0) if period is None else period
        self._clock = clock
        self._start = clock()
        self._next = delay if self.redraws else max(delay, self.period)
        self._last_iteration = math.inf
        self._start_violation = self._least_violation = math.inf
        self._shown = False

    def __call__(self, progress: Progress) -> None:
        """Show the state if it is time to; never stops the solver."""
        if progress.iteration < self._last_iteration:  # the first or the next of several problems
            self._start_violation = self._least_violation = progress.violation
        self._last_iteration = progress.iteration
        self._least_violation = min(self._least_violation, progress.violation)
        elapsed = self._clock() - self._start
        if elapsed >= self._next:
            self._next = elapsed + self.period
            self._write(self.sentence(progress, elapsed))

    def __sklearn_clone__(self) -> ProgressLine:
        """A clone of a machine reports to the same line."""
        return self

    def sentence(self, progress: Progress, elapsed: float) -> str:
        """The state in words and numbers."""
        return (
            f"{duration(elapsed):>8} {self._bar(self._least_violation)} "
            f"violation {progress.violation:.1e} -> {self.tol:.0e}, iteration {progress.iteration:,}, "
            f"active {progress.active_size:,}, kernel evaluations {progress.kernel_evaluations:.1e}"
        )

    def close(self) -> None:
        """End the line on a terminal, so that what follows starts on a fresh one."""
        if self.redraws and self._shown:
            self.stream.write("\n")
            self.stream.flush()
            self._shown = False

    def __enter__(self) -> ProgressLine:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def _bar(self, violation: float, width: int = 10) -> str:
        filled = round(width * self._done(violation))
        return f"[{'#' * filled}{'.' * (width - filled)}]"

    def _done(self, violation: float) -> float:
        """Share of the way from the first violation to the tolerance, on a log scale."""
        if violation <= self.tol:
            return 1.0
        if not violation < self._start_violation < math.inf or self.tol <= 0:
            return 0.0
        return math.log(self._start_violation / violation) / math.log(self._start_violation / self.tol)

    def _write(self, sentence: str) -> None:
        if self.redraws:
            columns = shutil.get_terminal_size().columns - 1
            self.stream.write("\r\x1b[K" + shortened(sentence, columns))
        else:
            self.stream.write(sentence + "\n")
        self.stream.flush()
        self._shown = True


def shortened(sentence: str, columns: int) -> str:
    """The sentence without the last of its parts, as many as do not fit.

    Examples
    --------
    >>> shortened("violation 1.0e-01, iteration 12,345, active 40", 40)
    'violation 1.0e-01, iteration 12,345'
    """
    while len(sentence) > columns and ", " in sentence:
        sentence = sentence.rpartition(", ")[0]
    return sentence[: max(columns, 0)]


def duration(seconds: float) -> str:
    """Seconds as a person says them.

    Examples
    --------
    >>> duration(7.25), duration(75), duration(7265)
    ('7.2 s', '1 m 15 s', '2 h 01 m')
    """
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return f"{minutes} m {rest:02d} s"
    return f"{minutes // 60} h {minutes % 60:02d} m"
