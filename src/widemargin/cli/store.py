"""The model file of `train` and `predict`."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from widemargin import io

WATCHING = {"callback": None, "verbose": False}
"""Parameters that watch a fit, and what they are without it."""


def machine_of(estimator: Any) -> Any:
    """The machine itself, without the scaling before it."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def check(path: Path, arguments: argparse.Namespace, y: Any) -> None:
    """Find out before the fit, not after it, that the model cannot be stored."""
    if not path.parent.is_dir():
        raise ValueError(f"MODEL {path} cannot be written: there is no directory {path.parent}")
    if path.is_dir():
        raise ValueError(f"MODEL {path} cannot be written: it is a directory")
    if arguments.model_format == "libsvm":
        for fault, holds in _faults(arguments, y).items():
            if holds:
                raise ValueError(f"a LIBSVM model has no place for {fault}: use --model-format widemargin")


def _faults(arguments: argparse.Namespace, y: Any) -> dict[str, bool]:
    """What keeps a machine out of LIBSVM's format, and whether it does."""
    classifies = arguments.type in ("svc", "nu-svc")
    return {
        "--method auto": getattr(arguments, "method", None) == "auto",
        "--per-feature": getattr(arguments, "per_feature", False),
        "--scale": arguments.scale is not None,
        f"--type {arguments.type}": arguments.type in ("ball", "rlsc", "rlsr"),
        "--kernel laplacian": arguments.kernel == "laplacian",
        "classes that are no integers": classifies and not _are_integers(y),
    }


def _are_integers(y: Any) -> bool:
    return y.dtype.kind in "biuf" and bool((y == np.round(y)).all())


def save(estimator: Any, path: Path, model_format: str) -> None:
    """Store a machine and its scaling; what watched the fit stays behind."""
    machine = machine_of(estimator)
    machine.set_params(**{name: off for name, off in WATCHING.items() if hasattr(machine, name)})
    if model_format == "libsvm":
        io.save_libsvm_model(estimator, path)
    else:
        io.save_model(estimator, path)


def is_libsvm(path: Path) -> bool:
    """Whether a file looks like a model of LIBSVM."""
    with path.open("rb") as file:
        return file.read(9) == b"svm_type "
