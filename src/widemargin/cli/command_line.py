"""Arguments in, exit code out; what goes wrong is said in one sentence."""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Sequence
from typing import NoReturn, TextIO

from widemargin import __version__
from widemargin.cli import bench, demo, machine, predict, reproduce, select, train
from widemargin.cli.exit_code import USER_ERROR

COMMANDS = {
    "demo": demo,
    "train": train,
    "select": select,
    "predict": predict,
    "reproduce": reproduce,
    "bench": bench,
}


def run(argv: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code."""
    try:
        arguments = _parse(machine.spell_out(sys.argv[1:] if argv is None else argv))
    except SystemExit as end:  # argparse has said all there is to say
        return int(end.code or 0)
    with warnings.catch_warnings():
        warnings.simplefilter("default")
        warnings.showwarning = _show_warning
        try:
            return int(COMMANDS[arguments.command].run(arguments))
        except BrokenPipeError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            return 1
        except (OSError, ValueError) as error:
            print(f"widemargin {arguments.command}: {_sentence(error)}", file=sys.stderr)
            return USER_ERROR


class OneSentenceParser(argparse.ArgumentParser):
    """Says what is wrong without a page of usage before it."""

    def error(self, message: str) -> NoReturn:
        """Say it and end."""
        self.exit(USER_ERROR, f"{self.prog}: {message} (see {self.prog} --help)\n")


def _parse(argv: list[str]) -> argparse.Namespace:
    """The arguments; those of no meaning are refused by the command, whose help has the list."""
    parser, commands = _parsers()
    arguments, unknown = parser.parse_known_args(argv)
    if unknown:
        commands[arguments.command].error(f"unrecognized arguments: {' '.join(unknown)}")
    return arguments


def _parsers() -> tuple[OneSentenceParser, dict[str, OneSentenceParser]]:
    """The parser of all and those of the commands."""
    parser = OneSentenceParser(
        prog="widemargin", description="Kernel machines that train exactly, fast, and with a certificate."
    )
    parser.add_argument("--version", action="version", version=f"widemargin {__version__}")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND")
    for name, module in COMMANDS.items():
        description = str(module.__doc__)
        summary = description.splitlines()[0].rstrip(".")
        command = commands.add_parser(name, help=summary[0].lower() + summary[1:], description=description)
        module.add_arguments(command)
    return parser, commands.choices


def _sentence(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None:
        return f"{error.filename}: {(error.strerror or 'cannot be opened').lower()}"
    return " ".join(str(error).split())


def _show_warning(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    print(f"widemargin: warning: {' '.join(str(message).split())}", file=sys.stderr)
