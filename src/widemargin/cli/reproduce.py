"""Rebuild published tables and print them beside the printed numbers."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from widemargin.cli.exit_code import INTERRUPTED, SUCCESS
from widemargin.cli.interruption import Interruption


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare the arguments of `widemargin reproduce`."""
    parser.add_argument("names", nargs="*", metavar="NAME", help="experiments to run, or 'all' (see --list)")
    parser.add_argument("--list", action="store_true", help="say what can be reproduced and what it needs")
    parser.add_argument("--data", type=Path, metavar="DIR", help="directory with the data sets as NAME.npz")
    parser.add_argument(
        "--full", action="store_true", help="all data sets and repetitions instead of a quick subset"
    )
    parser.add_argument(
        "--trials", type=int, metavar="N", help="repetitions, of the experiments named model-selection-*"
    )


def run(arguments: argparse.Namespace) -> int:
    """Run the named experiments, or list them all."""
    from widemargin.papers import experiments

    if arguments.list or not arguments.names:
        print(_listing(experiments))
        return SUCCESS
    if arguments.data is not None and not arguments.data.is_dir():
        raise NotADirectoryError(20, "not a directory", str(arguments.data))
    chosen = _chosen(arguments.names, experiments)
    _check_trials(arguments.trials, chosen, experiments)
    with Interruption(politely=False) as interruption:
        for name in chosen:
            print(f"{name}: {experiments[name].title} ({experiments[name].source})\n", flush=True)
            experiments[name].run(
                data_dir=arguments.data, full=arguments.full, trials=arguments.trials, out=sys.stdout
            )
            print()
            if interruption.requested:  # the experiment has printed what it had
                return INTERRUPTED
    return SUCCESS


def _listing(experiments: Mapping[str, Any]) -> str:
    entries = [
        f"{name}\n    {experiment.title}\n    {experiment.source}\n    Needs: {experiment.needs}"
        for name, experiment in experiments.items()
    ]
    return "\n".join([*entries, "", "Run one by its name, or all: widemargin reproduce NAME | all"])


def _chosen(names: list[str], experiments: Mapping[str, Any]) -> list[str]:
    if names == ["all"]:
        return list(experiments)
    for name in names:
        if name not in experiments:
            raise ValueError(f"no experiment is called {name!r}: choose from {', '.join(experiments)}")
    return names


def _check_trials(trials: int | None, names: list[str], experiments: Mapping[str, Any]) -> None:
    if trials is None:
        return
    if trials < 1:
        raise ValueError(f"--trials must be at least 1, not {trials}")
    for name in names:
        if experiments[name].trials is None:
            raise ValueError(f"--trials has no meaning for {name}: leave it out")
