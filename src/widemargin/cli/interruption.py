"""Ctrl-C as a polite request."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any


class Interruption:
    """While entered, the first Ctrl-C is only noted, so that a solver can stop with what it has.

    The second one interrupts as usual.
    """

    def __init__(self) -> None:
        self.requested = False

    def __enter__(self) -> Interruption:
        self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        if self.requested:
            raise KeyboardInterrupt
        self.requested = True
