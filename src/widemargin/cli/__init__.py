"""The command line: `widemargin demo | train | select | predict | reproduce | bench`, one file for each."""

import sys
from collections.abc import Sequence

from widemargin.cli.exit_code import INTERRUPTED

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command.

    Parameters
    ----------
    argv : sequence of str, optional
        The arguments after the program's name; those of the process by default.

    Returns
    -------
    code : int
        0 for success, 2 for input or arguments that cannot work, 130 after Ctrl-C.
    """
    try:
        from widemargin.cli.command_line import run  # takes a second, in which Ctrl-C may come too

        return run(argv)
    except KeyboardInterrupt:
        print("widemargin: interrupted", file=sys.stderr)
        return INTERRUPTED
