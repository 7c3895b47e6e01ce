"""The model file of `train` and `predict`."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from sklearn.pipeline import Pipeline
from sklearn.preprocessing import MaxAbsScaler, MinMaxScaler, StandardScaler

from widemargin import io

for scaling in (Pipeline, MaxAbsScaler, MinMaxScaler, StandardScaler):
    io.storable(scaling)


def machine_of(estimator: Any) -> Any:
    """The machine itself, without the scaling before it."""
    return estimator[-1] if isinstance(estimator, Pipeline) else estimator


def check_place(path: Path, model_format: str, scale: str | None) -> None:
    """Find out before the fit, not after it, that the model cannot be stored."""
    if not path.parent.is_dir():
        raise ValueError(f"MODEL {path} cannot be written: there is no directory {path.parent}")
    if path.is_dir():
        raise ValueError(f"MODEL {path} cannot be written: it is a directory")
    if model_format == "libsvm" and scale:
        raise ValueError("--scale has no place in a LIBSVM model: leave it out, or store a widemargin model")


def save(estimator: Any, path: Path, model_format: str) -> None:
    """Store a machine and its scaling; what watched the fit stays behind."""
    machine_of(estimator).set_params(callback=None)
    if model_format == "libsvm":
        io.save_libsvm_model(estimator, path)
    else:
        io.save_model(estimator, path)


def is_libsvm(path: Path) -> bool:
    """Whether a file looks like a model of LIBSVM."""
    with path.open("rb") as file:
        return file.read(9) == b"svm_type "
