"""Ctrl-C as a polite request."""

from __future__ import annotations

import os
import signal
import sys
from types import FrameType
from typing import Any

NOTICE = b"stopping ... (Ctrl-C again gives up)\n"


class Interruption:
    """While entered, notes that Ctrl-C was pressed.

    Politely, the first one does no more than that and say so, so that a solver can stop with what it has, and
    only the second one interrupts. Otherwise each one interrupts as usual.
    """

    def __init__(self, *, politely: bool = True) -> None:
        self.requested = False
        self.politely = politely

    def __enter__(self) -> Interruption:
        self._previous = signal.signal(signal.SIGINT, self._note)
        return self

    def __exit__(self, *_: Any) -> None:
        signal.signal(signal.SIGINT, self._previous)

    def _note(self, number: int, frame: FrameType | None) -> None:
        first, self.requested = not self.requested, True
        if not (first and self.politely):
            raise KeyboardInterrupt
        # Past the buffer of sys.stderr, which the interrupted code may just be writing to.
        os.write(2, b"\n" + NOTICE if sys.stderr.isatty() else NOTICE)
