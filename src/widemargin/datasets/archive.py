"""Data sets in NumPy archives, `NAME.npz` in a folder.

An archive has `X, y`, or `X_train, y_train, X_test, y_test`. Sparse features are kept as CSR arrays,
`train_data, train_indices, train_indptr, train_shape` and the same with `test_`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from scipy import sparse

from .sample import Array, Sample


def parts(name: str, data_dir: str | Path | None) -> list[Sample]:
    """All points, or training and test points, as they are; FileNotFoundError says what is missing."""
    path = Path(data_dir or ".") / f"{name}.npz"
    if data_dir is None or not path.is_file():
        where = (
            "give data_dir (--data on the command line), a folder that holds it"
            if data_dir is None
            else f"put it into {data_dir}"
        )
        raise FileNotFoundError(f"{name}.npz is not available: {where}")
    with np.load(path, allow_pickle=False) as archive:
        names = [part for part in ("", "_train", "_test") if f"y{part}" in archive.files]
        return [Sample(_features(archive, part), archive[f"y{part}"]) for part in names]


def merged(samples: Sequence[Sample]) -> Sample:
    """Training and test points as one sample.

    Examples
    --------
    >>> merged([Sample(np.eye(2), np.ones(2)), Sample(np.zeros((1, 2)), np.zeros(1))]).y
    array([1., 1., 0.])
    """
    X = [sample.X for sample in samples]
    stacked = sparse.vstack(X, format="csr") if sparse.issparse(X[0]) else np.concatenate(X)
    return Sample(stacked, np.concatenate([sample.y for sample in samples]))


def is_here(name: str, data_dir: str | Path | None) -> bool:
    """Whether the folder has the archive."""
    return data_dir is not None and (Path(data_dir) / f"{name}.npz").is_file()


def _features(archive: np.lib.npyio.NpzFile, part: str) -> Array:
    if f"X{part}" in archive.files:
        return archive[f"X{part}"]
    data, indices, indptr, shape = (
        archive[f"{part[1:]}_{key}"] for key in ("data", "indices", "indptr", "shape")
    )
    return sparse.csr_matrix((data, indices, indptr), shape=shape)
