"""Whether a symmetric matrix is a Gram matrix."""

import numpy as np


def min_eigenvalue(K: np.ndarray) -> float:
    """Return the smallest eigenvalue of a symmetric matrix.

    Examples
    --------
    >>> from widemargin.kernels import min_eigenvalue
    >>> round(min_eigenvalue([[2.0, 1.0], [1.0, 2.0]]), 12)
    1.0
    """
    return float(np.linalg.eigvalsh(np.asarray(K, dtype=np.float64))[0])


def is_psd(K: np.ndarray, tol: float = 1e-10) -> bool:
    """Return whether no eigenvalue of a symmetric matrix is below -`tol` times its trace.

    Examples
    --------
    >>> from widemargin.kernels import is_psd
    >>> is_psd([[1.0, 2.0], [2.0, 1.0]])
    False
    """
    K = np.asarray(K, dtype=np.float64)
    return bool(min_eigenvalue(K) >= -tol * abs(np.trace(K)))
