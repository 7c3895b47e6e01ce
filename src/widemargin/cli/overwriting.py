"""Outputs that would destroy an input."""

from __future__ import annotations

from pathlib import Path


def refuse_overwriting(output: tuple[str, Path], *inputs: tuple[str, Path]) -> None:
    """Raise a ValueError if the output, by name and path, is the same file as one of the inputs."""
    name, path = output
    for other, source in inputs:
        if path.exists() and source.exists() and path.samefile(source):
            raise ValueError(
                f"{name} {path} is the same file as {other}, which would be lost: give it another name"
            )
