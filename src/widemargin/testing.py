"""Executable contracts, for those who write parts of their own."""

from typing import Any

import numpy as np
from sklearn.base import clone

from .kernels import Kernel, is_psd
from .kernels.points import count, take


def check_kernel(kernel: Kernel, X: Any, seed: int = 0) -> None:
    """Raise an AssertionError that names the first promise `kernel` breaks on the points `X`.

    The promises: its Gram matrix is symmetric, has the diagonal it claims, is positive semi-definite if
    `is_psd` says so, and is the same however it is asked for, by blocks, in single or in double precision; a
    clone and a kernel rebuilt from `theta` are the same kernel; `contract` and `contract_diagonal` are the
    derivatives of weighted sums of entries in `theta`, and `derivative` those of its rows; every entry of
    `theta` has a name.

    Parameters
    ----------
    kernel : Kernel
    X : data that `kernel` takes
        A few dozen points suffice. Two of them should differ.
    seed : int, default=0
        For the random weights and blocks.

    Examples
    --------
    >>> import numpy as np
    >>> import widemargin.kernels as kernels
    >>> from widemargin.testing import check_kernel
    >>> check_kernel(kernels.Gaussian(0.5) + 0.1 * kernels.Linear(), np.arange(12.0).reshape(6, 2))
    """
    random = np.random.default_rng(seed)
    K = kernel.gram(X)
    _check_matrix(kernel, X, K)
    _check_blocks(kernel, X, K, random)
    _check_copies(kernel, X, K)
    _check_contract(kernel, X, random)
    _check_contract_diagonal(kernel, X, random)
    _check_derivative(kernel, X, random)


def _check_matrix(kernel: Kernel, X: Any, K: np.ndarray) -> None:
    n = count(X)
    assert K.shape == (n, n), f"gram(X) has the shape {K.shape} for {n} points."
    assert K.dtype == np.float64, f"gram(X) is of type {K.dtype}, not float64."
    assert np.all(np.isfinite(K)), "gram(X) has an entry that is not finite."
    _assert_close(K, K.T, 1e-13, "gram(X) is not symmetric")
    _assert_close(kernel.diagonal(X), np.diag(K), 1e-13, "diagonal(X) differs from the diagonal of gram(X)")
    if kernel.is_psd:
        assert is_psd(K), "gram(X) has a negative eigenvalue, but is_psd is true."


def _check_blocks(kernel: Kernel, X: Any, K: np.ndarray, random: np.random.Generator) -> None:
    n = count(X)
    gram = kernel.bind(X)
    which = random.integers(0, n, size=min(n, 7), dtype=np.int32)
    columns = random.permutation(n).astype(np.int32)[: max(1, n // 2)]
    expected = K[np.ix_(which, columns)]
    _assert_close(gram.diagonal(), np.diag(K), 1e-13, "bind(X).diagonal() differs from gram(X)")
    _assert_close(gram.block(which, columns), expected, 1e-13, "bind(X).block differs from gram(X)")
    _assert_close(gram.block32(which, columns), expected, 1e-5, "bind(X).block32 differs from gram(X)")
    some, others = take(X, which), take(X, columns)
    _assert_close(kernel.gram(some, others), expected, 1e-12, "gram(A, B) differs from gram(X) on parts")


def _check_copies(kernel: Kernel, X: Any, K: np.ndarray) -> None:
    _assert_close(clone(kernel).gram(X), K, 1e-13, "a clone has another gram(X)")
    theta = kernel.theta
    assert theta.ndim == 1 and theta.dtype == np.float64, "theta is not a vector of float64."
    rebuilt = kernel.with_theta(theta)
    assert type(rebuilt) is type(kernel), "with_theta returns another kind of kernel."
    _assert_close(rebuilt.theta, theta, 1e-10, "with_theta(theta) has another theta")
    _assert_close(rebuilt.gram(X), K, 1e-9, "with_theta(theta) has another gram(X)")


def _check_contract(kernel: Kernel, X: Any, random: np.random.Generator) -> None:
    n = count(X)
    Y = take(X, np.arange(0, n, 2))
    for other, name in ((None, "contract(X, None, W)"), (Y, "contract(X, Y, W)")):
        W = random.normal(size=(n, n if other is None else count(other)))

        def weighted_sum(candidate: Kernel, other: Any = other, W: np.ndarray = W) -> float:
            return float(np.sum(W * candidate.gram(X, other)))

        K = kernel.gram(X, other)
        scale, gradient = np.sum(np.abs(W * K)), kernel.contract(X, other, W)
        _check_gradient(kernel, weighted_sum, gradient, scale, name)
        known = kernel.contract(X, other, W, K)
        _assert_close(known, gradient, 1e-9 * max(1.0, scale), f"{name} is another with the matrix at hand")


def _check_contract_diagonal(kernel: Kernel, X: Any, random: np.random.Generator) -> None:
    w = random.normal(size=count(X))
    scale = np.sum(np.abs(w * kernel.diagonal(X)))

    def weighted_sum(candidate: Kernel) -> float:
        return float(np.sum(w * candidate.diagonal(X)))

    _check_gradient(kernel, weighted_sum, kernel.contract_diagonal(X, w), scale, "contract_diagonal(X, w)")


def _check_derivative(kernel: Kernel, X: Any, random: np.random.Generator) -> None:
    assert len(kernel.theta_names) == kernel.theta.size, "theta_names has not one name for each entry."
    Y = take(X, np.arange(0, count(X), 2))
    q, c = random.normal(size=count(X)), random.normal(size=count(Y))
    rows = kernel.derivative(X, Y, c)
    assert rows.shape == (count(X), kernel.theta.size), f"derivative(X, Y, c) has the shape {rows.shape}."
    size = float(np.sum(np.abs(np.outer(q, c) * kernel.gram(X, Y))))
    gap = np.abs(q @ rows - kernel.contract(X, Y, np.outer(q, c))).max(initial=0)
    assert gap <= 1e-9 * max(1.0, size), f"derivative(X, Y, c) differs from contract (by {gap:.3g})."


def _check_gradient(kernel: Kernel, function: Any, gradient: np.ndarray, scale: float, name: str) -> None:
    """Compare with central differences; `scale` is the size of the terms that `function` sums."""
    theta, step = kernel.theta, 1e-5
    assert np.shape(gradient) == theta.shape, f"{name} has the shape {np.shape(gradient)}, not that of theta."
    for p, move in enumerate(step * np.eye(theta.size)):
        above, below = (function(kernel.with_theta(theta + sign * move)) for sign in (1, -1))
        slope = (above - below) / (2 * step)
        assert abs(slope - gradient[p]) <= 1e-6 * (scale + abs(slope)), (
            f"{name}[{p}] is {gradient[p]:.10g}, but central differences give {slope:.10g}."
        )


def _assert_close(actual: np.ndarray, expected: np.ndarray, tolerance: float, complaint: str) -> None:
    gap = float(np.max(np.abs(actual - expected), initial=0))
    size = max(1.0, float(np.max(np.abs(expected), initial=0)))
    assert gap <= tolerance * size, f"{complaint} (by {gap:.3g})."
