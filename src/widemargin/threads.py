"""How many threads to use, running them, and keeping BLAS from adding its own."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, nullcontext
from functools import cache
from typing import Any, TypeVar

from joblib import cpu_count
from joblib.parallel import get_active_backend
from threadpoolctl import ThreadpoolController

from widemargin import _core

__all__ = ["allowed_threads", "blas_for", "for_each", "in_joblib_worker", "single_threaded_blas"]

SMALL_MATRIX = 1024
"""Up to so many rows the threads of BLAS wait for each other longer than they work."""

Item = TypeVar("Item")


def allowed_threads(n_jobs: int | None = None) -> int:
    """The number of threads that `n_jobs` stands for, here and now.

    Parameters
    ----------
    n_jobs : int or None
        None is every thread this process may use: the processors of its affinity and quota, at most what
        OMP_NUM_THREADS or threadpoolctl's `threadpool_limits` say, and 1 inside a worker of joblib, where
        others work beside us. A positive number is that many; a negative one counts back from all processors,
        -1 being all of them and -2 all but one, as in joblib.

    Examples
    --------
    >>> from threadpoolctl import threadpool_limits
    >>> with threadpool_limits(1):
    ...     allowed_threads(), allowed_threads(3)
    (1, 3)
    """
    if n_jobs is None:
        return 1 if in_joblib_worker() else min(_openmp_threads(), cpu_count())
    if n_jobs == 0:
        raise ValueError("n_jobs must be None or a non-zero integer, not 0.")
    return n_jobs if n_jobs > 0 else max(1, cpu_count() + 1 + n_jobs)


def in_joblib_worker() -> bool:
    """Whether this code was called by a worker of joblib, a process or a thread."""
    backend, _ = get_active_backend()
    return (backend.nesting_level or 0) > 0


def _openmp_threads() -> int:
    """What OpenMP allows; without its runtime, what its environment variable says."""
    limit = _core.openmp_threads() or os.environ.get("OMP_NUM_THREADS", "").split(",")[0]
    try:
        return max(1, int(limit))
    except ValueError:
        return cpu_count()


def for_each(
    work: Callable[[Item, threading.Event], Any],
    items: Iterable[Item],
    workers: int,
    told_to_stop: Callable[[], bool] = lambda: False,
) -> bool:
    """Call ``work(item, abandoned)`` for every item, in so many threads; False if told to stop between two.

    After an error or Ctrl-C, too, no further item is begun, and `abandoned` is set: long work looks at it.
    """
    abandoned = threading.Event()
    if workers == 1:
        for item in items:
            if told_to_stop():
                return False
            work(item, abandoned)
        return True
    pool = ThreadPoolExecutor(workers)
    try:
        for future in [pool.submit(work, item, abandoned) for item in items]:
            if told_to_stop():
                return False
            future.result()
        return True
    finally:
        abandoned.set()
        pool.shutdown(cancel_futures=True)


@contextmanager
def single_threaded_blas() -> Iterator[None]:
    """Within it BLAS uses one thread, so that threads of our own do not each start several.

    The limit is one of the process: the first to enter sets it, the last to leave restores what was before.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with single_threaded_blas():
    ...     [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas" ][:1]
    [1]
    """
    _blas_limit.enter()
    try:
        yield
    finally:
        _blas_limit.leave()


def blas_for(n: int, n_jobs: int | None = None) -> AbstractContextManager[None]:
    """What to work in with matrices of n rows: one thread if they are small or `n_jobs` says so, else all.

    Examples
    --------
    >>> from threadpoolctl import threadpool_info
    >>> with blas_for(100):
    ...     [pool["num_threads"] for pool in threadpool_info() if pool["user_api"] == "blas"][:1]
    [1]
    """
    return single_threaded_blas() if n <= SMALL_MATRIX or allowed_threads(n_jobs) == 1 else nullcontext()


class _BlasLimit:
    """One thread for each BLAS library, for as long as somebody is inside."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._inside = 0
        self._before: list[int] = []

    def enter(self) -> None:
        with self._lock:
            if self._inside == 0:
                self._before = [library.num_threads for library in _blas_libraries()]
                _set_blas_threads([1] * len(self._before))
            self._inside += 1

    def leave(self) -> None:
        with self._lock:
            self._inside -= 1
            if self._inside == 0:
                _set_blas_threads(self._before)

    def forget(self) -> None:
        """In a forked process nobody is inside: the threads that were did not come along."""
        self._lock = threading.Lock()
        if self._inside:
            self._inside = 0
            _set_blas_threads(self._before)


_blas_limit = _BlasLimit()
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_blas_limit.forget)


def _set_blas_threads(counts: list[int]) -> None:
    for library, threads in zip(_blas_libraries(), counts, strict=True):
        library.set_num_threads(threads)
        # Only the thread that has once set a number may do so again, until it says that it is done.
        getattr(library, "clear_controlling_thread", lambda: None)()


@cache
def _blas_libraries() -> list[Any]:
    """Controllers of the BLAS libraries of this process; looking for them takes milliseconds."""
    import numpy.linalg  # noqa: F401
    import scipy.linalg  # noqa: F401

    return ThreadpoolController().select(user_api="blas").lib_controllers
