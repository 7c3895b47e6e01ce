"""Bytes of files: reading plain or gzipped ones, replacing one as a whole or not at all."""

from __future__ import annotations

import gzip
import os
import uuid
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

PathLike = str | os.PathLike[str]


def read_bytes(path: PathLike) -> bytes:
    """The content of a file, unpacked if its name ends in ``.gz``."""
    with open_bytes(path) as file:
        return file.read()


@contextmanager
def open_bytes(path: PathLike) -> Iterator[BinaryIO]:
    """A file to be read, unpacked if its name ends in ``.gz``."""
    if Path(path).suffix != ".gz":
        with open(path, "rb") as file:
            yield file
        return
    with open(path, "rb") as packed:
        try:
            yield gzip.GzipFile(fileobj=packed)  # type: ignore[misc]
        except (OSError, EOFError, zlib.error) as error:
            raise ValueError(f"{path} is not a whole gzip file; it may be truncated: {error}.") from error


@contextmanager
def replacing(path: PathLike) -> Iterator[BinaryIO]:
    """Write a file that appears, complete, when the block ends; an error leaves what was there before.

    The bytes go to a temporary file beside `path`, which is renamed at the end. They are packed if the name
    ends in ``.gz``.
    """
    path = Path(path)
    if not path.parent.is_dir():
        raise FileNotFoundError(f"There is no folder {path.parent} to write {path.name} to: make it first.")
    temporary = path.with_name(f".{path.name}.{uuid.uuid4().hex}.tmp")
    try:
        with open(temporary, "xb") as file:
            if path.suffix == ".gz":
                with gzip.GzipFile(filename="", fileobj=file, mode="wb", mtime=0) as packed:
                    yield packed  # type: ignore[misc]
            else:
                yield file
            file.flush()
            os.fsync(file.fileno())
        os.replace(temporary, path)
    finally:
        temporary.unlink(missing_ok=True)


def malformed(path: PathLike, line: int, what: str) -> ValueError:
    """The error that names a file, a line (from 1) and what is wrong there."""
    return ValueError(f"{path}, line {line}: {what}.")


def shown(token: str) -> str:
    """A token as it may appear in a message."""
    return repr(token if len(token) <= 40 else token[:37] + "...")
