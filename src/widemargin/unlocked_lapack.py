"""Long computations of LAPACK, in place: other threads go on meanwhile, and Ctrl-C is heard.

SciPy's own wrappers keep the lock of the interpreter for as long as they work, which may be minutes. Here its
routines are called without the lock, in a thread, while the caller waits where Ctrl-C can reach him. What is
interrupted works on for nobody until it is done; the matrices it was given are lost.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache
from threading import Thread
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy.linalg import LinAlgError, cython_lapack

__all__ = ["eigenvectors", "factorise", "invert_factor"]

Matrix = NDArray[np.floating]

SHORT = 300
"""Up to so many rows it takes a few milliseconds, and no thread."""


def factorise(A: Matrix) -> int:
    """R with R'R = A in place of the upper triangle of A, in Fortran order; not 0 if there is none."""
    return _call("potrf", A, b"U")


def invert_factor(R: Matrix) -> None:
    """R^-1 in place of a regular upper triangle R in Fortran order."""
    _call("trtri", R, b"U", b"N")


def eigenvectors(A: Matrix) -> NDArray[Any]:
    """Eigenvalues of A, ascending; the vectors are written to its columns. Only its upper triangle is read.

    Examples
    --------
    >>> import numpy as np
    >>> A = np.array([[2.0, 1.0], [1.0, 2.0]], order="F")
    >>> eigenvectors(A), np.abs(A).round(2)
    (array([1., 3.]), array([[0.71, 0.71],
           [0.71, 0.71]]))
    """
    n = len(A)
    values = np.empty(n, A.dtype)
    room, places = np.empty(1 + 6 * n + 2 * n * n, A.dtype), np.empty(3 + 5 * n, np.intc)
    sizes = [np.array([each.size], np.intc) for each in (room, places)]
    if _call("syevd", A, b"V", b"U", further=[values, room, sizes[0], places, sizes[1]]):
        raise LinAlgError("the eigenvectors of a matrix were not found: it may have infinite entries.")
    return values


def _call(name: str, A: Matrix, *letters: bytes, further: list[NDArray[Any]] | None = None) -> int:
    """What a routine says of A, called with letters, size, A, its leading dimension, further arguments."""
    if not A.flags.f_contiguous:
        raise ValueError("LAPACK works in place on matrices in Fortran order only.")
    if A.dtype not in (np.float32, np.float64):
        raise TypeError(f"LAPACK works on numbers of single or double precision, not on {A.dtype}.")
    size, info = np.array([len(A)], np.intc), np.zeros(1, np.intc)
    stride = np.maximum(size, 1)
    arrays = [size, A, stride, *(further or []), info]
    routine = _routine(("s" if A.dtype == np.float32 else "d") + name)
    arguments = [*letters, *(ctypes.c_void_p(each.ctypes.data) for each in arrays)]

    def work() -> None:
        routine(*arguments)
        arrays.clear()  # until then they must stay where they are, whoever else has given them up

    if len(A) <= SHORT:
        work()
    else:
        thread = Thread(target=work, daemon=True)
        thread.start()
        thread.join()
    return int(info[0])


def _is_understood(signature: bytes) -> bool:
    """Whether all arguments point to letters, plain integers or numbers: some builds have long integers."""
    arguments = signature[signature.index(b"(") + 1 : signature.rindex(b")")].split(b",")
    return all(re.fullmatch(rb"char \*|int \*|\w+_[sd] \*", each.strip()) for each in arguments)


@cache
def _routine(name: str) -> Any:
    """A function of LAPACK, all of whose arguments are pointers, to be called without the lock."""
    capsule = cython_lapack.__pyx_capi__[name]
    name_of = ctypes.PYFUNCTYPE(ctypes.c_char_p, ctypes.py_object)(("PyCapsule_GetName", ctypes.pythonapi))
    pointer_of = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.py_object, ctypes.c_char_p)(
        ("PyCapsule_GetPointer", ctypes.pythonapi)
    )
    signature = name_of(capsule)
    if not _is_understood(signature):
        raise RuntimeError(
            "this build of SciPy has a LAPACK with integers of 64 bits: install one of its wheels."
        )
    pointers = [ctypes.c_char_p if b"char" in each else ctypes.c_void_p for each in signature.split(b",")]
    return ctypes.CFUNCTYPE(None, *pointers)(pointer_of(capsule, signature))
