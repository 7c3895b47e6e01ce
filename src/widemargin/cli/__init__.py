"""The command line: `widemargin demo | train | predict | reproduce`, one file for each."""

from widemargin.cli.command_line import main

__all__ = ["main"]
