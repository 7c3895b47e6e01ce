"""Rebuild published tables and print them beside the printed numbers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from widemargin.cli.exit_code import SUCCESS
from widemargin.cli.table import table


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin reproduce`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to run, or 'all' (see --list)")
    parser.add_argument("--list", action="store_true", help="say what can be reproduced and what it needs")
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory with the data sets as NAME.npz")
    parser.add_argument(
        "--full", action="store_true", help="all data sets and repetitions instead of a quick subset"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the named experiments, or list them all."""
    from widemargin.papers import experiments

    if arguments.list or not arguments.names:
        print(_listing(experiments))
        return SUCCESS
    if arguments.data is not None and not arguments.data.is_dir():
        raise NotADirectoryError(20, "not a directory", str(arguments.data))
    for name in _chosen(arguments.names, experiments):
        experiment = experiments[name]
        print(f"{experiment.title} ({experiment.source})")
        experiment.run(data_dir=arguments.data, full=arguments.full, out=sys.stdout)
    return SUCCESS


def _listing(experiments: Mapping[str, Any]) -> str:
    rows = [
        [name, experiment.title, experiment.source, experiment.needs]
        for name, experiment in experiments.items()
    ]
    return f"{table(['name', 'title', 'source', 'needs'], rows)}\n\nrun one: widemargin reproduce NAME"


def _chosen(names: list[str], experiments: Mapping[str, Any]) -> list[str]:
    if names == ["all"]:
        return list(experiments)
    for name in names:
        if name not in experiments:
            raise ValueError(f"no experiment is called {name!r}: choose from {', '.join(experiments)}")
    return names
