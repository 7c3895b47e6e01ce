"""How much memory is free, and what share of it a fit may take for kernel values."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from joblib import cpu_count

from widemargin.threads import in_joblib_worker

__all__ = ["available_bytes", "cache_bytes"]

FRACTION = 0.5
"""The share of the free memory that an automatic budget takes."""

MEGABYTE = 2**20

ALWAYS = 32 * MEGABYTE
"""An automatic budget of up to this is granted without a look at what is free."""

A_MOMENT = 0.25
"""Seconds for which memory is taken to be as free as it was."""

UNKNOWN = 400 * MEGABYTE
"""What is taken to be free where nobody says."""

MEMINFO = Path("/proc/meminfo")
CGROUPS, OWN_CGROUP = Path("/sys/fs/cgroup"), Path("/proc/self/cgroup")

LIMITS = [("memory.max", "memory.current"), ("memory.limit_in_bytes", "memory.usage_in_bytes")]
"""The files of a control group that hold its limit and its use, in versions 2 and 1."""


def cache_bytes(cache_size: float | str, n: int) -> int:
    """The bytes for kernel values that `cache_size` stands for in a fit of n points.

    Parameters
    ----------
    cache_size : float or "auto"
        Megabytes. "auto" is half of the memory that is free now (inside a worker of joblib that half divided
        by the number of processors), at least 32 MB, and never more than one and a half times what the
        whole kernel matrix takes in double precision.
    n : int

    Examples
    --------
    >>> cache_bytes(200, n=1000), cache_bytes("auto", n=1000)
    (209715200, 12000000)
    """
    if cache_size != "auto":
        return int(float(cache_size) * MEGABYTE)
    whole = 12 * n * n  # all entries in double, and as many rows in single precision
    if whole <= ALWAYS:
        return whole
    neighbours = cpu_count() if in_joblib_worker() else 1
    free = _available_at(int(time.monotonic() / A_MOMENT), MEMINFO, CGROUPS, OWN_CGROUP)
    return min(whole, max(ALWAYS, int(FRACTION * free / neighbours)))


@lru_cache(maxsize=1)
def _available_at(moment: int, *sources: Path) -> int:
    """What is free at this moment; a look at it takes as long as a small fit, of which there may be many."""
    return available_bytes()


def available_bytes() -> int:
    """Memory that can be had without swapping: the machine's, or what the process's control groups leave."""
    return max(0, min([_free_on_this_machine(), *_left_by_control_groups()]))


def _free_on_this_machine() -> int:
    try:
        for line in MEMINFO.read_text().splitlines():
            if line.startswith("MemAvailable:"):
                return 1024 * int(line.split()[1])
    except OSError:
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_AVPHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return UNKNOWN


def _left_by_control_groups() -> Iterator[int]:
    """Limit minus use of the process's control group and of every group around it that has a limit.

    Pages of files count as used, but those that nobody has touched for a while are free to be taken.
    """
    for group in _control_groups():
        for limit, usage in LIMITS:
            try:
                bound, used = (int((group / name).read_text()) for name in (limit, usage))
            except (OSError, ValueError):  # no such file, or "max"
                continue
            yield bound - used + _inactive_files(group)


def _inactive_files(group: Path) -> int:
    try:
        counts = dict(line.split() for line in (group / "memory.stat").read_text().splitlines())
    except (OSError, ValueError):
        return 0
    return int(counts.get("total_inactive_file", counts.get("inactive_file", 0)))


def _control_groups() -> Iterator[Path]:
    try:
        lines = OWN_CGROUP.read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, path = line.split(":", 2)
        if controllers not in ("", "memory"):
            continue
        root = CGROUPS / controllers
        group = root / path.lstrip("/")
        # Inside a container the path is that of the host, and the container's group is the root.
        yield from dict.fromkeys([group, *(p for p in group.parents if p.is_relative_to(root)), root])
