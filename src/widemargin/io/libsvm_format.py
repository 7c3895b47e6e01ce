"""Data in LIBSVM's text format: one line ``label index:value index:value ...`` per row.

Indices ascend and count from one; entries that are left out are zero; ``#`` starts a comment. With
precomputed kernels a line is ``label 0:serial 1:K(x,x_1) 2:K(x,x_2) ...``, with serial the number of the
row from one. Names that end in ``.gz`` are packed and unpacked on the way.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from io import BytesIO
from itertools import islice
from math import isfinite
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, DTypeLike, NDArray
from scipy.sparse import csr_array, csr_matrix, issparse
from sklearn.datasets import load_svmlight_file

from .files import PathLike, malformed, open_bytes, read_bytes, replacing
from .sparse_line import format_number, format_pairs, parse_number, parse_pairs


def read_libsvm(
    path: PathLike,
    *,
    n_features: int | None = None,
    zero_based: bool = False,
    dtype: DTypeLike = np.float64,
) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Read a data file.

    Parameters
    ----------
    path : path of the file, plain or ``.gz``
    n_features : int or None
        Number of columns; None takes the largest index in the file. Test data need the number of the
        training data.
    zero_based : bool, default=False
        Whether indices count from zero.
    dtype : type of the values, default=float64

    Returns
    -------
    X : CSR matrix of shape (n, n_features)
    y : float64 array of labels

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.io import read_libsvm
    >>> with TemporaryDirectory() as folder:
    ...     _ = Path(folder, "data.svm").write_text("+1 1:0.5 3:2\\n-1 2:1  # a comment\\n")
    ...     X, y = read_libsvm(Path(folder, "data.svm"))
    >>> X.toarray()
    array([[0.5, 0. , 2. ],
           [0. , 1. , 0. ]])
    >>> y
    array([ 1., -1.])
    """
    content = read_bytes(path)
    X, y = _parse(path, content, n_features, 0 if zero_based else 1, np.dtype(dtype))
    if y.size == 0:
        raise ValueError(f"{path} holds no rows.")
    if b"qid:" in content:
        warnings.warn(f"{path}: query ids (qid:) are ignored.", stacklevel=2)
    return X, y


def libsvm_chunks(
    path: PathLike, *, n_features: int | None = None, rows: int = 65536
) -> Callable[[], Iterator[tuple[csr_matrix, NDArray[np.float64]]]]:
    """Chunks for `fit_chunks` and `fit_stream` from a data file, of which only one is in memory at a time.

    Parameters
    ----------
    path : path of the file, plain or ``.gz``
    n_features : int or None
        Number of columns; None takes the largest index in the file, which is read once more for that.
    rows : int, default=65536
        Lines of a chunk.

    Returns
    -------
    chunks : function
        Returns a fresh iterator over pairs (X, y), X a CSR matrix.

    Examples
    --------
    >>> import widemargin as wm
    >>> from widemargin.io import libsvm_chunks
    >>> def train():
    ...     return wm.RLSClassifier(centres=1000).fit_chunks(libsvm_chunks("huge.libsvm.gz"))
    """
    if rows < 1:
        raise ValueError(f"rows must be a positive integer, not {rows!r}.")

    def parts(width: int | None) -> Iterator[tuple[csr_matrix, NDArray[np.float64]]]:
        with open_bytes(path) as file:
            before = 0
            while lines := list(islice(file, rows)):
                X, y = _parse(path, b"".join(lines), width, 1, np.dtype(np.float64), before)
                before += len(lines)
                if y.size:
                    yield X, y

    if n_features is None:
        n_features = max((X.shape[1] for X, _ in parts(None)), default=0)
        if n_features == 0:
            raise ValueError(f"{path} holds no rows.")
    return lambda: parts(n_features)


def _parse(
    path: PathLike,
    content: bytes,
    n_features: int | None,
    first_index: int,
    dtype: np.dtype[Any],
    before: int = 0,
) -> tuple[csr_matrix, NDArray[np.float64]]:
    """Points and labels of some lines of a file, `before` of which come before them."""
    try:
        # The parser says neither where nor, always, what is wrong: the slow one below is asked then.
        X, y = load_svmlight_file(
            BytesIO(content),
            n_features=n_features,
            zero_based=first_index == 0,
            dtype=np.float32 if dtype == np.float32 else np.float64,
        )
    except (ValueError, OverflowError) as error:
        _complain(path, content, first_index, n_features, before)
        raise ValueError(f"{path} is not a LIBSVM data file: {error}") from error
    if not (np.isfinite(X.data).all() and np.isfinite(y).all()):
        _complain(path, content, first_index, n_features, before)
    return X.astype(dtype, copy=False), y


def _complain(
    path: PathLike, content: bytes, first_index: int, n_features: int | None, before: int = 0
) -> None:
    """Raise for the first line that is wrong."""
    for number, tokens in _lines(content, before):
        if tokens[1:2] and tokens[1].startswith("qid:"):
            del tokens[1]
        try:
            _check_label(tokens[0])
            indices, values = parse_pairs(tokens[1:], first_index)
            _check_finite(float(tokens[0]), "the label")
            for index, value in zip(indices, values, strict=True):
                _check_finite(value, f"the value of index {index + first_index}")
        except ValueError as error:
            raise malformed(path, number, str(error)) from None
        if n_features is not None and indices and indices[-1] >= n_features:
            raise malformed(
                path, number, f"index {indices[-1] + first_index} is too large for {n_features} features"
            )


def _lines(content: bytes, before: int = 0) -> Iterator[tuple[int, list[str]]]:
    """Number (from one) and tokens of the lines that hold data."""
    for number, line in enumerate(content.split(b"\n"), start=before + 1):
        if tokens := line.partition(b"#")[0].decode("utf-8", "replace").split():
            yield number, tokens


def _check_label(token: str) -> None:
    if ":" in token:
        raise ValueError(f"the line starts with {token!r}; its label is missing")
    parse_number(token, "label")


def _check_finite(value: float, what: str) -> None:
    if not isfinite(value):
        raise ValueError(f"{what}, {value}, is not a finite number; drop the row or fill the gap")


def write_libsvm(path: PathLike, X: Any, y: ArrayLike, *, zero_based: bool = False) -> None:
    """Write a data file; zeros of `X` (dense or sparse) are left out, other values read back exactly.

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.io import write_libsvm
    >>> with TemporaryDirectory() as folder:
    ...     write_libsvm(Path(folder, "data.svm"), [[0.5, 0.0], [0.0, 3.0]], [1, -1])
    ...     Path(folder, "data.svm").read_text()
    '1 1:0.5\\n-1 2:3\\n'
    """
    X = csr_array(X, copy=True) if issparse(X) else csr_array(np.asarray(X, dtype=np.float64))
    X.sum_duplicates()
    X.eliminate_zeros()
    labels = _check_labels(y, X.shape[0])
    indices, values, ends = X.indices.tolist(), X.data.tolist(), X.indptr.tolist()
    first_index = 0 if zero_based else 1
    with replacing(path) as file:
        for label, start, end in zip(labels, ends, ends[1:], strict=False):
            pairs = format_pairs(indices[start:end], values[start:end], first_index)
            file.write(f"{format_number(label)} {pairs}".rstrip().encode() + b"\n")


def _check_labels(y: ArrayLike, n: int) -> list[float]:
    y = np.asarray(y)
    if y.dtype.kind not in "biuf":
        raise ValueError("y must hold numbers: LIBSVM files have no other labels.")
    if y.shape != (n,):
        raise ValueError(f"y must have one label for each of the {n} rows; its shape is {y.shape}.")
    return y.astype(np.float64).tolist()


def read_libsvm_kernel(
    path: PathLike,
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int64]]:
    """Read a precomputed kernel matrix.

    Returns
    -------
    K : float64 array of shape (n, n_train)
    y : float64 array of labels
    serial : int64 array
        The serial numbers, from one, by which LIBSVM refers to training rows.
    """
    X, y = read_libsvm(path, zero_based=True)
    K = X.toarray()
    serial = K[:, 0].astype(np.int64)
    wrong = np.flatnonzero((serial < 1) | (serial != K[:, 0]))
    if wrong.size:
        row = int(wrong[0])
        number = [number for number, _ in _lines(read_bytes(path))][row]
        what = (
            f"a precomputed kernel needs 0:serial with serial = 1, 2, ... after the label, not {K[row, 0]:g}"
        )
        raise malformed(path, number, what)
    return K[:, 1:], y, serial


def write_libsvm_kernel(path: PathLike, K: ArrayLike, y: ArrayLike, serial: ArrayLike | None = None) -> None:
    """Write a precomputed kernel matrix; `serial` is 1, 2, ..., n if it is left out."""
    K = np.asarray(K, dtype=np.float64)
    labels = _check_labels(y, len(K))
    serials = np.arange(1, len(K) + 1) if serial is None else np.asarray(serial)
    with replacing(path) as file:
        for label, number, row in zip(labels, serials.tolist(), K.tolist(), strict=True):
            pairs = format_pairs(range(len(row)), row)
            file.write(f"{format_number(label)} 0:{number} {pairs}\n".encode())
