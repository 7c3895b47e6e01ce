"""Labels and predictions, checked."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

Labels = NDArray[Any]


def read_labels(**named: ArrayLike) -> list[Labels]:
    """Arrays of labels, one-dimensional, of the same length and not empty, by the names of the parameters."""
    arrays = {name: np.asarray(labels) for name, labels in named.items()}
    for name, labels in arrays.items():
        if labels.ndim != 1:
            raise ValueError(f"{name} has shape {labels.shape}: give one label for each point.")
    (first, expected), *others = arrays.items()
    if expected.size == 0:
        raise ValueError(f"{first} is empty: give the labels of at least one point.")
    for name, labels in others:
        if labels.size != expected.size:
            raise ValueError(
                f"{name} has {labels.size} labels, but {first} has {expected.size}: give those of the same "
                "points."
            )
        if is_text(labels) != is_text(expected):
            raise ValueError(
                f"{name} has {_kind(labels)}, but {first} has {_kind(expected)}: name the classes alike."
            )
    return list(arrays.values())


def read_classes(classes: ArrayLike | None, **named: Labels) -> Labels:
    """The classes, by default all that occur; each label must be one of them."""
    if classes is None:
        return np.unique(np.concatenate(list(named.values())))
    names = np.asarray(classes)
    if names.ndim != 1 or np.unique(names).size != names.size:
        raise ValueError("classes must be a list of different names, each once.")
    for name, labels in named.items():
        unseen = ~np.isin(labels, names)
        if unseen.any():
            row = int(np.argmax(unseen))
            raise ValueError(
                f"{name} has the class {labels.tolist()[row]!r} in row {row}, which is not in classes: add "
                "it there, or leave such rows out."
            )
    return names


def numbers_of(labels: Labels, classes: Labels) -> NDArray[np.intp]:
    """The place of each label among the classes, in whatever order those are."""
    order = np.argsort(classes)
    return order[np.searchsorted(classes, labels, sorter=order)]


def is_text(labels: Labels) -> bool:
    """Whether labels are words, which no number is equal to."""
    return labels.dtype.kind in "USO" and isinstance(labels.tolist()[0], str)


def _kind(labels: Labels) -> str:
    return "words" if is_text(labels) else "numbers"
