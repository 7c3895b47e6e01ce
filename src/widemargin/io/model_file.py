"""Fitted estimators in files, without pickle.

The file is a ZIP archive of ``model.json`` (what the estimator is, see `tree`), one ``.npy`` member per
array, and ``sha256``, the checksum of all of them. It holds data only: loading a file of a stranger runs no
code of theirs.
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from typing import Any
from zipfile import ZIP_STORED, ZipFile, ZipInfo

import numpy as np
from sklearn.exceptions import NotFittedError
from sklearn.utils.validation import check_is_fitted

from .. import __version__
from .files import PathLike, replacing
from .tree import Decoder, Encoder, NotStorable

FORMAT = "widemargin model"
VERSION = 1


def save_model(estimator: Any, path: PathLike) -> None:
    """Store a fitted estimator with its parameters, kernels, solvers and fitted attributes.

    An estimator without a fit, and what a file cannot hold (a Python function as kernel, objects of unknown
    classes, random generators), are refused before anything is written. The file is complete or not there at
    all; the same estimator gives the same bytes.

    Parameters
    ----------
    estimator : estimator of this library, or of a class registered with `storable`
    path : path of the file

    Examples
    --------
    >>> from tempfile import TemporaryDirectory
    >>> from pathlib import Path
    >>> from widemargin.calibration import PlattSigmoid
    >>> from widemargin.io import load_model, save_model
    >>> fitted = PlattSigmoid().fit([-1.0, 0.0, 1.0, 2.0], [-1, 1, -1, 1])
    >>> with TemporaryDirectory() as folder:
    ...     save_model(fitted, Path(folder, "sigmoid.model"))
    ...     restored = load_model(Path(folder, "sigmoid.model"))
    >>> restored.A_ == fitted.A_
    True
    """
    encoder = Encoder()
    name = type(estimator).__name__
    try:
        tree = encoder.encode(estimator, name)
    except NotStorable as error:
        raise ValueError(f"{name} cannot be stored: {error}.") from None
    except RecursionError:
        raise ValueError(f"{name} cannot be stored: its attributes contain each other.") from None
    _check_fitted(estimator, name)
    head = {"format": FORMAT, "version": VERSION, "widemargin": __version__, "model": tree}
    members = {"model.json": json.dumps(head, indent=1, allow_nan=False).encode()}
    members |= {member: _npy(array) for member, array in encoder.arrays.items()}
    members["sha256"] = _checksum(members)
    with replacing(path) as file, ZipFile(file, "w", ZIP_STORED) as archive:
        for member, content in members.items():
            archive.writestr(ZipInfo(member), content)


def _check_fitted(estimator: Any, name: str) -> None:
    """Refuse what has a fit method and was not fitted."""
    if hasattr(estimator, "fit"):
        try:
            check_is_fitted(estimator)
        except NotFittedError:
            raise ValueError(f"{name} cannot be stored: it is not fitted, call its fit first.") from None


def load_model(path: PathLike) -> Any:
    """Restore an estimator stored by `save_model`.

    A file that is truncated, damaged, foreign or too new is refused with a ValueError that names it.
    """
    members = _read_members(path)
    if members.get("sha256") != _checksum(members):
        raise ValueError(f"{path} is damaged: its checksum does not fit its content.")
    try:
        head = json.loads(members["model.json"])
        if head["version"] > VERSION:
            raise ValueError(f"its format is {head['version']} and this version reads up to {VERSION}")
        arrays = {name: _array(content) for name, content in members.items() if name.endswith(".npy")}
        return Decoder(arrays).decode(head["model"])
    except (LookupError, TypeError, ValueError, AttributeError, RecursionError) as error:
        raise ValueError(f"{path} does not fit this version of widemargin: {_sentence(error)}.") from error


def _read_members(path: PathLike) -> dict[str, bytes]:
    content = Path(path).read_bytes()
    if not content.startswith(b"PK"):
        raise ValueError(f"{path} is not a widemargin model file.")
    try:
        with ZipFile(BytesIO(content)) as archive:
            members = {info.filename: archive.read(info) for info in archive.infolist()}
    except Exception as error:  # zipfile lets a dozen kinds of errors through for damaged archives
        raise ValueError(f"{path} is truncated or damaged: {_sentence(error)}.") from error
    if "model.json" not in members or FORMAT.encode() not in members["model.json"]:
        raise ValueError(f"{path} is a ZIP archive but not a widemargin model file.")
    return members


def _checksum(members: dict[str, bytes]) -> bytes:
    digest = sha256()
    for part in _parts(members):
        digest.update(len(part).to_bytes(8, "little"))
        digest.update(part)
    return digest.hexdigest().encode()


def _parts(members: dict[str, bytes]) -> Iterator[bytes]:
    for name, content in members.items():
        if name != "sha256":
            yield name.encode()
            yield content


def _npy(array: np.ndarray[Any, Any]) -> bytes:
    file = BytesIO()
    np.lib.format.write_array(file, array, allow_pickle=False)
    return file.getvalue()


def _array(content: bytes) -> np.ndarray[Any, Any]:
    return np.lib.format.read_array(BytesIO(content), allow_pickle=False)


def _sentence(error: Exception) -> str:
    text = str(error.args[0]) if error.args else type(error).__name__
    return text.rstrip(".")
