"""The time that a search has."""

from __future__ import annotations

import time

from widemargin.progress import duration


class Clock:
    """The time that has passed, by stages, and whether it is over."""

    def __init__(self, limit: float | None) -> None:
        self.limit = limit
        self.begin = self.last = time.monotonic()
        self.laps: dict[str, float] = {}

    @property
    def seconds(self) -> float:
        """Since the beginning."""
        return time.monotonic() - self.begin

    @property
    def left(self) -> float | None:
        """Seconds until the limit, None if there is none."""
        return None if self.limit is None else max(0.0, self.limit - self.seconds)

    def is_over(self) -> bool:
        """Whether the limit is reached."""
        return self.limit is not None and self.seconds >= self.limit

    def lap(self, name: str) -> None:
        """The end of a stage."""
        now = time.monotonic()
        self.laps[name], self.last = now - self.last, now

    def __str__(self) -> str:
        return ", ".join(f"{name} {duration(seconds)}" for name, seconds in self.laps.items())
