"""Reading the batches of a stream."""

from __future__ import annotations

from typing import Any

import numpy as np
import scipy.sparse as sp
from numpy.typing import NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_consistent_length

from widemargin.estimators import sample
from widemargin.kernels import Callable, Kernel
from widemargin.kernels.points import count
from widemargin.problems import Vector


def read_batch(machine: Any, X: Any, y: Any, sample_weight: Any) -> tuple[Any, NDArray[Any], Vector]:
    """Points, classes and weights, which must go with the batches before if there were any.

    The weights of a first batch cannot all be zero: it decides what the kernel is.
    """
    begun = hasattr(machine, "classes_")
    if begun and y is not None:
        X = sample.read_prediction(machine, X)
        y = column_or_1d(y, warn=True)
        check_consistent_length(X, y)
        _check_format(X, machine._sparse)
    else:
        X, y = sample.read_training(machine, X, y)
    names, labels = sample.read_classes(y)
    return X, names[labels], sample.read_weight(sample_weight, count(X), may_be_zero=begun)


def _check_format(X: Any, sparse: bool) -> None:
    if sp.issparse(X) != sparse:
        here, there = ("sparse", "dense") if sp.issparse(X) else ("dense", "sparse")
        raise ValueError(f"this batch is {here}, but the stream began {there}: make all batches alike.")


def refuse_overflow(kernel: Kernel, X: Any) -> None:
    """Raise a ValueError that names the first row whose kernel values are too large to be kept.

    They are in single precision, and none exceeds the largest k(x, x). What a function returns is looked at
    when it does.
    """
    if isinstance(kernel, Callable):
        return
    large = ~(kernel.diagonal(X) <= np.finfo(np.float32).max)
    if large.any():
        raise ValueError(
            f"X is too large in row {int(np.argmax(large))}: its kernel values overflow; scale X "
            "(StandardScaler or MinMaxScaler)."
        )


def read_labels(y: Any, X: Any, names: NDArray[Any]) -> NDArray[Any]:
    """The classes of the rows of a pool, all of which are known."""
    labels = column_or_1d(y)
    check_consistent_length(X, labels)
    _check_types(labels, names, "the classes so far are")
    if (strange := _first_strange(labels, names)) is not None:
        raise ValueError(f"{strange}: leave such rows out of the pool.")
    return labels


def is_empty(X: Any, y: Any) -> bool:
    """Whether a batch has neither rows nor labels."""
    return _length(X) == _length(y) == 0


def _length(values: Any) -> int | None:
    shape = getattr(values, "shape", ())
    return shape[0] if shape else len(values) if hasattr(values, "__len__") else None


def read_names(y: NDArray[Any], classes: Any, known: NDArray[Any] | None) -> NDArray[Any]:
    """All classes: those that are known, None before the first batch, and those that are declared."""
    declared = None if classes is None else _declared(y, classes)
    if known is None:
        names = np.unique(y) if declared is None else declared
        _refuse_one_class(names, declared)
    else:
        _check_types(y, known, "the classes so far are")
        names = known if declared is None else np.union1d(known, declared)
    if (strange := _first_strange(y, names)) is not None:
        raise UnknownClass(strange, "classes= of this batch")
    return names


def _first_strange(y: NDArray[Any], names: NDArray[Any]) -> str | None:
    """The first row whose class is none of these, in words."""
    strange = ~np.isin(y, names)
    if not strange.any():
        return None
    row = int(np.argmax(strange))
    return f"y has the class {y.tolist()[row]!r} in row {row}, which is none of {names.tolist()}"


class UnknownClass(ValueError):
    """A class that nobody has named: what is wrong, and where it could have been named."""

    def __str__(self) -> str:
        what, where = self.args
        return f"{what}: name it in {where}, or drop the row."


def _declared(y: NDArray[Any], classes: Any) -> NDArray[Any]:
    try:
        names, number = sample.read_classes(np.ravel(classes))
    except ValueError as error:
        raise ValueError(f"classes cannot be read as classes: {error}") from error
    if names.size == 0:
        raise ValueError("classes is empty: name all classes of the stream.")
    _check_types(y, names, "classes holds")
    again = np.flatnonzero(np.bincount(number) > 1)
    if again.size:
        raise ValueError(f"classes names {names.tolist()[again[0]]!r} twice: name each class once.")
    return names


def _check_types(y: NDArray[Any], names: NDArray[Any], others: str) -> None:
    here, there = _type_of(y), _type_of(names)
    if here != there:
        raise ValueError(f"y holds {here}, but {others} {there}: make them of one type.")


def _type_of(labels: NDArray[Any]) -> str:
    is_text = labels.dtype.kind in "US" or (labels.dtype == object and isinstance(labels.flat[0], str))
    return "strings" if is_text else "numbers"


def _refuse_one_class(names: NDArray[Any], declared: NDArray[Any] | None) -> None:
    if len(names) > 1:
        return
    name = names.tolist()[0]
    if declared is not None:
        raise ValueError(f"classes names {name!r} only: one class is not enough, name all of the stream.")
    raise ValueError(
        f"the first batch has examples of the class {name!r} only: name all classes of the stream in "
        "classes=."
    )
