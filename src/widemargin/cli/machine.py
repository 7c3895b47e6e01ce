"""From command line options to an unfitted machine."""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

import widemargin as wm
from widemargin.least_squares import BIASES

MACHINES = {
    "svc": (wm.SVC, {"C", "class_weight", "probability"}),
    "nu-svc": (wm.NuSVC, {"nu", "class_weight", "probability"}),
    "one-class": (wm.OneClassSVM, {"nu"}),
    "svr": (wm.SVR, {"C", "epsilon"}),
    "nu-svr": (wm.NuSVR, {"C", "nu"}),
    "ball": (wm.EnclosingBall, {"C", "nu"}),
    "rlsc": (wm.RLSClassifier, {"lam", "bias", "centres", "class_weight"}),
    "rlsr": (wm.RLSRegressor, {"lam", "bias", "centres"}),
}
LEAST_SQUARES = ("rlsc", "rlsr")
KERNELS = {
    "linear": set(),
    "poly": {"gamma", "degree", "coef0"},
    "rbf": {"gamma"},
    "sigmoid": {"gamma", "coef0"},
    "laplacian": {"gamma"},
}
OF_KERNELS = set().union(*KERNELS.values())
WORKING_SETS = ("most-violating-pair", "second-order", "greedy", "maximum-gain", "hybrid-maximum-gain")
STEPS = ("newton", "over-relaxed", "planning-ahead")
COMMON = {"tol", "cache_size", "max_iter"}
ITERATIVE = {"max_time", "working_set", "step"}
"""Options of the solver: of all machines, and of all but those of least squares."""


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """Declare what shapes the machine: its type, kernel, parameters, solver and scaling."""
    kind = parser.add_argument_group("machine")
    kind.add_argument(
        "-s",
        "--type",
        type=_by_number(MACHINES, 5),
        default="svc",
        choices=MACHINES,
        help="what to train (LIBSVM's numbers 0-4 work too; default: svc); rlsc and rlsr are least squares, "
        "for classes and for numbers",
    )
    kind.add_argument("-c", "-C", dest="C", type=float, help="price of a margin violation")
    kind.add_argument("-n", "--nu", type=float, help="bound on the share of margin violations or outliers")
    kind.add_argument("-p", "--epsilon", type=float, help="half width of the tube of svr")
    kind.add_argument(
        "--lam",
        type=_number_or("loo"),
        help="regularisation of rlsc and rlsr: a number, or 'loo', by exact leave-one-out (the default)",
    )
    kind.add_argument("--bias", choices=BIASES, help="constant in rlsc and rlsr (default: none)")
    kind.add_argument(
        "--centres",
        type=_positive_integer,
        metavar="M",
        help="coefficients of rlsc and rlsr at M points only, drawn at random; LIBSVM and Parquet files are "
        "then read in parts, unless --scale, --cv, --class-weight or --gamma loo need the whole",
    )
    kind.add_argument(
        "--class-weight",
        action="append",
        metavar="LABEL=WEIGHT,...",
        help="factors of C, or of a point's weight, by class, or 'balanced'",
    )
    kind.add_argument("--probability", action="store_true", default=None, help="fit probabilities as well")
    kind.add_argument("-b", dest="probability", type=_switch, metavar="0|1", help="LIBSVM's --probability")
    kind.add_argument(
        "--scale",
        choices=("standard", "minmax"),
        help="bring features to mean 0 and variance 1, or to [0, 1]; kept in the model",
    )

    kernel = parser.add_argument_group("kernel")
    kernel.add_argument(
        "-t",
        "--kernel",
        type=_by_number(KERNELS, 4),
        default="rbf",
        choices=KERNELS,
        help="default: rbf (LIBSVM's numbers 0-3 work too)",
    )
    kernel.add_argument(
        "-g",
        "--gamma",
        type=_number_or("scale", "auto", "loo"),
        help="a number, 'scale' (the default), 'auto', or for rlsc and rlsr 'loo', by exact leave-one-out "
        "(their default, unless they read the data in parts)",
    )
    kernel.add_argument("-d", "--degree", type=int, help="degree of poly (default: 3)")
    kernel.add_argument("-r", "--coef0", type=float, help="constant in poly and sigmoid (default: 0)")

    solver = parser.add_argument_group("solver")
    solver.add_argument(
        "-e",
        "--tol",
        type=float,
        help="KKT violation to stop at (default: 0.001), or residual of rlsc and rlsr (default: 1e-8)",
    )
    solver.add_argument(
        "-m",
        "--cache-size",
        type=float,
        metavar="MB",
        help="memory for kernel values (default: half of what is free)",
    )
    solver.add_argument("--max-iter", type=int, help="stop after so many iterations (default: no limit)")
    solver.add_argument(
        "--max-time", type=float, metavar="SECONDS", help="stop after so many seconds (default: no limit)"
    )
    solver.add_argument("--working-set", choices=WORKING_SETS, help="how the pair of variables is selected")
    solver.add_argument("--step", choices=STEPS, help="how far a step goes")
    solver.add_argument("--seed", type=int, default=0, help="seed of everything random (default: 0)")


LISTS = ("--class-weight", "--Cs", "--gammas")
"""Options whose value is a list, which may begin with a minus."""


def spell_out(argv: Sequence[str]) -> list[str]:
    """What argparse cannot read as it is: LIBSVM's -w1 5, whose name holds a value, and lists like -1,2.

    Examples
    --------
    >>> spell_out(["train", "-w1", "5", "-w-1", "0.5", "data"])
    ['train', '--class-weight=1=5', '--class-weight=-1=0.5', 'data']
    >>> spell_out(["select", "--gammas", "-1,2", "data"])
    ['select', '--gammas=-1,2', 'data']
    """
    words = iter(argv)
    spelled = []
    for word in words:
        if re.fullmatch(r"-w-?\d+", word):
            spelled.append(f"--class-weight={word[2:]}={next(words, '')}")
        elif re.match(r"-[\d.]", word) and spelled and spelled[-1] in LISTS:
            spelled[-1] += f"={word}"
        else:
            spelled.append(word)
    return spelled


def machine(arguments: argparse.Namespace, X: Any, y: Any, callback: Any) -> Any:
    """The unfitted machine, behind a scaler if one is asked for."""
    build, own = MACHINES[arguments.type]
    parameters = _given(arguments, own)
    if "class_weight" in parameters:
        parameters["class_weight"] = class_weight(arguments, y)
    if "centres" in parameters:
        parameters["centres"] = wm.RandomCentres(arguments.centres, seed=arguments.seed)
    parts = {name: parameters.pop(name) for name in ("working_set", "step") if name in parameters}
    if parts:
        parameters["solver"] = wm.SMO(**parts, seed=arguments.seed)
    if "probability" in own:
        parameters["random_state"] = arguments.seed
    if arguments.type in LEAST_SQUARES:
        parameters["verbose"] = sys.stderr.isatty() and not arguments.quiet
    else:
        parameters["callback"] = callback
    estimator = build(kernel=arguments.kernel, **parameters)
    return make_pipeline(_scaler(arguments.scale, X), estimator) if arguments.scale else estimator


def given_parameters(arguments: argparse.Namespace) -> dict[str, Any]:
    """Parameters of any machine that were given, by name."""
    every = (COMMON | ITERATIVE | OF_KERNELS).union(*(parameters for _, parameters in MACHINES.values()))
    return {name: value for name in sorted(every) if (value := getattr(arguments, name)) is not None}


def option_of(name: str) -> str:
    """The option that gives a parameter.

    Examples
    --------
    >>> option_of("class_weight")
    '--class-weight'
    """
    return "-C" if name == "C" else "--" + name.replace("_", "-")


def _given(arguments: argparse.Namespace, own: set[str]) -> dict[str, Any]:
    """The parameters that were given, each of which must have a meaning for the machine."""
    known = own | KERNELS[arguments.kernel] | COMMON
    if arguments.type not in LEAST_SQUARES:
        known |= ITERATIVE
    given = given_parameters(arguments)
    for name in given:
        if name not in known:
            owner = f"--kernel {arguments.kernel}" if name in OF_KERNELS else f"--type {arguments.type}"
            raise ValueError(f"{option_of(name)} has no meaning for {owner}: leave it out")
    if given.get("gamma") == "loo" and arguments.type not in LEAST_SQUARES:
        raise ValueError(
            f"--gamma loo has no meaning for --type {arguments.type}: give a number, or see select"
        )
    return given


def _scaler(name: str, X: Any) -> Any:
    """A scaler that keeps zeros where they are for sparse data."""
    sparse = hasattr(X, "tocsr")
    if name == "standard":
        return StandardScaler(with_mean=not sparse)
    return MaxAbsScaler() if sparse else MinMaxScaler()


def class_weight(arguments: argparse.Namespace, y: Any) -> str | dict[Any, float]:
    """The factors of --class-weight by class."""
    text = ",".join(arguments.class_weight)
    if text == "balanced":
        return text
    classes = {_name(label): label for label in np.unique(y)}
    weights = {}
    for item in text.split(","):
        name, _, weight = item.partition("=")
        if name not in classes:
            raise ValueError(f"--class-weight names {name!r}, but the classes are {', '.join(classes)}")
        weights[classes[name]] = _number("--class-weight", weight)
    return weights


def _name(label: Any) -> str:
    return label if isinstance(label, str) else f"{label:g}"


def _number(option: str, text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise ValueError(f"{option} has {text!r} where a number is needed") from None


def _by_number(names: dict[str, Any], known: int) -> Any:
    """Accept LIBSVM's number of a choice for its name; LIBSVM has the first `known` of them."""
    numbers = {str(number): name for number, name in enumerate(list(names)[:known])}
    return lambda text: numbers.get(text, text)


def _number_or(*words: str) -> Any:
    """Accept these words and numbers."""

    def read(text: str) -> str | float:
        try:
            return text if text in words else float(text)
        except ValueError:
            names = ["a number", *(repr(word) for word in words)]
            known = f"{', '.join(names[:-1])} nor {names[-1]}"
            raise argparse.ArgumentTypeError(f"{text!r} is neither {known}") from None

    return read


def _positive_integer(text: str) -> int:
    if not (text.isdecimal() and int(text) > 0):
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number from 1 on")
    return int(text)


def _switch(text: str) -> bool:
    if text not in ("0", "1"):
        raise argparse.ArgumentTypeError(f"{text!r} is neither 0 nor 1")
    return text == "1"
