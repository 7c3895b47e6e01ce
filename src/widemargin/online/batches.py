"""Reading the batches of a stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length

from widemargin.estimators import sample
from widemargin.kernels.points import count
from widemargin.problems import Vector


def read_batch(machine: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Vector]:
    """Points, classes and weights, which must go with the batches before if there were any."""
    if hasattr(machine, "classes_") and y is not None:
        X = sample.read_prediction(machine, X)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        _check_format(X, machine._sparse)
    else:
        X, y = sample.read_training(machine, X, y)
    names, labels = sample.read_classes(y)
    return X, names[labels], sample.read_weight(sample_weight, count(X))


def _check_format(X: Any, sparse: bool) -> None:
    if sp.issparse(X) != sparse:
        here, there = ("sparse", "dense") if sp.issparse(X) else ("dense", "sparse")
        raise ValueError(f"this batch is {here}, but the stream began {there}: make all batches alike.")


def read_names(y: NDArray[Any], classes: Any, known: NDArray[Any] | None) -> NDArray[Any]:
    """All classes: those that are known, None before the first batch, and those that are declared."""
    declared = None if classes is None else _read_declared(classes)
    if known is None:
        names = np.unique(y) if declared is None else declared
        if declared is not None and len(names) < 2:
            raise ValueError(f"classes must name two classes or more, not {declared.tolist()}.")
        if len(names) < 2:
            raise ValueError(
                f"the first batch has examples of the class {names.tolist()[0]!r} only: name all classes "
                "of the stream in classes=."
            )
    else:
        names = known if declared is None else _joined(known, declared)
    strange = ~np.isin(y, names)
    if strange.any():
        row = int(np.argmax(strange))
        raise ValueError(
            f"y has the class {y.tolist()[row]!r} in row {row}, which is none of {names.tolist()}: name "
            "it in classes= of this batch, or drop the row."
        )
    return names


def _read_declared(classes: Any) -> NDArray[Any]:
    try:
        return sample.read_classes(np.ravel(classes))[0]
    except ValueError as error:
        raise ValueError(f"classes cannot be read as classes: {error}") from error


def _joined(known: NDArray[Any], declared: NDArray[Any]) -> NDArray[Any]:
    """All classes; words do not join numbers, which would have to become words themselves."""
    if declared.size and (known.dtype.kind in "USOT") != (declared.dtype.kind in "USOT"):
        raise ValueError(
            f"classes has {declared.tolist()}, but the classes of the stream are {known.tolist()}: name all "
            "of them by numbers, or all by strings."
        )
    return np.union1d(known, declared)
