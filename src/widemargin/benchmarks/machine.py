"""The computer and the versions that a measurement belongs to."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("widemargin", "numpy", "scipy", "scikit-learn", "libsvm-official", "scikit-learn-intelex")


def machine() -> dict[str, Any]:
    """Processor, cores, system and versions."""
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count()
    versions = {"python": platform.python_version()} | {name: _version(name) for name in PACKAGES}
    return {"processor": _processor(), "cores": cores, "system": platform.platform(), "versions": versions}


def sentence(found: dict[str, Any]) -> str:
    """The same in a line."""
    versions = ", ".join(f"{name} {number}" for name, number in found["versions"].items() if number)
    return f"{found['processor']}, {found['cores']} cores; {versions}"


def _processor() -> str:
    try:
        lines = Path("/proc/cpuinfo").read_text().splitlines()
    except OSError:
        return platform.processor() or platform.machine()
    names = [line.partition(":")[2].strip() for line in lines if line.startswith("model name")]
    return names[0] if names else platform.machine()


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        if package == "widemargin":
            from widemargin import __version__

            return __version__
        return None
