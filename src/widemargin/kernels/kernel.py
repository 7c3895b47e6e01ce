"""What every kernel can do."""

from collections.abc import Callable
from numbers import Real
from typing import Any, Self

import numpy as np
from sklearn.base import BaseEstimator

from .. import _core
from .points import as_points, count, take
from .row_blocks import row_blocks


class Kernel(BaseEstimator):
    """A function k(x, z), usually an inner product <Phi(x), Phi(z)> in some feature space.

    Kernels are records: they hold parameters and nothing else, so that `clone`, `get_params` and grid search
    over nested names such as ``kernel__left__gamma`` work. They combine: ``k1 + k2``, ``k1 * k2``, ``0.5 *
    k``, ``k.exp()``, ``k.normalized()`` and ``k.pull_back(transform)`` are kernels again.

    A kernel of one's own defines `bind`, names its positive parameters in `_log_parameters` and, if it has
    any, defines `_contract_rows`; `widemargin.testing.check_kernel` verifies the result.
    """

    _log_parameters: tuple[str, ...] = ()
    """Names of the positive parameters whose logarithms make up `theta`."""

    _parts: tuple[str, ...] = ()
    """Names of the parameters that are kernels themselves; their `theta` follow."""

    is_psd = True
    """Whether every Gram matrix of this kernel is known to be positive semi-definite."""

    is_universal = False
    """Whether its functions come close to every continuous function on a compact set of vectors."""

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        """Return the matrix k(X, Y), or k(X, X), to be computed by blocks as needed; it borrows the data."""
        raise NotImplementedError(f"{type(self).__name__} must define bind.")

    def gram(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return the whole matrix k(X, Y), or k(X, X), in double precision."""
        return whole(self.bind(X, Y))

    def diagonal(self, X: Any) -> np.ndarray:
        """Return k(x, x) for each point of `X`."""
        return self.bind(X).diagonal()

    def distance(self, X: Any, Y: Any = None) -> np.ndarray:
        """Return |Phi(x) - Phi(z)| = sqrt(k(x, x) - 2 k(x, z) + k(z, z)), distances in the feature space."""
        x = self.diagonal(X)
        y = x if Y is None else self.diagonal(Y)
        return np.sqrt(np.maximum(x[:, None] + y[None, :] - 2 * self.gram(X, Y), 0))

    @property
    def theta(self) -> np.ndarray:
        """The logarithms of the positive parameters, the kernel's own first, then those of its parts."""
        own = [np.log(np.ravel(self._checked(name))) for name in self._log_parameters]
        parts = [getattr(self, name).theta for name in self._parts]
        return np.concatenate([np.empty(0), *own, *parts])

    @property
    def theta_names(self) -> list[str]:
        """What the entries of `theta` are, such as "log gamma", "log gamma[2]" or "log left__gamma"."""
        names = []
        for name in self._log_parameters:
            value = getattr(self, name)
            single = np.ndim(value) == 0
            names += [f"log {name}"] if single else [f"log {name}[{i}]" for i in range(np.size(value))]
        for part in self._parts:
            names += [_inner_name(part, name) for name in getattr(self, part).theta_names]
        return names

    def with_theta(self, theta: np.ndarray) -> Self:
        """Return this kernel with other parameters, `theta` their logarithms."""
        theta = np.asarray(theta, dtype=np.float64)
        if theta.shape != self.theta.shape:
            raise ValueError(
                f"theta must have {self.theta.size} entries, got an array of shape {theta.shape}."
            )
        changed = {}
        for name in self._log_parameters:
            value = getattr(self, name)
            here, theta = theta[: np.size(value)], theta[np.size(value) :]
            changed[name] = float(np.exp(here[0])) if np.ndim(value) == 0 else np.exp(here)
        for name in self._parts:
            part = getattr(self, name)
            size = part.theta.size
            changed[name], theta = part.with_theta(theta[:size]), theta[size:]
        return type(self)(**{**self.get_params(deep=False), **changed})

    def contract(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray | None = None) -> np.ndarray:
        """Return the gradient of ``(W * self.gram(X, Y)).sum()`` in `theta`; `Y` may be None for `X` itself.

        Parameters
        ----------
        X, Y : data as for `gram`
        W : array of shape (n, m)
        K : array of shape (n, m), optional
            The kernel matrix, if it is known; some kernels save the time of computing it.

        Notes
        -----
        Rows are visited a block at a time; never is there an array of n x m x p entries, nor a dense copy of
        sparse data.
        """
        gradient = np.zeros(self.theta.size)
        if not gradient.size:
            return gradient
        Y = X if Y is None else Y
        W = np.asarray(W, dtype=np.float64)
        if W.shape != (count(X), count(Y)):
            raise ValueError(
                f"W must have the shape {(count(X), count(Y))} of the kernel matrix, got {W.shape}."
            )
        for rows in row_blocks(len(W), max(W.shape[1], count_features(Y))):
            some = take(X, np.arange(rows.start, rows.stop))
            if K is None:
                gradient += self._contract_rows(some, Y, W[rows])
            else:
                gradient += self._contract_known_rows(some, Y, W[rows], K[rows])
        return gradient

    def derivative(self, X: Any, Y: Any, c: np.ndarray) -> np.ndarray:
        """Return the derivative of ``self.gram(X, Y) @ c`` in `theta`, one row for each point of X.

        This is how the values of a function with fixed coefficients c move with the kernel.
        """
        c = np.asarray(c, dtype=np.float64)[None, :]
        rows = [self.contract(take(X, np.array([i])), Y, c) for i in range(count(X))]
        return np.reshape(rows, (count(X), self.theta.size))

    def has_derivative(self) -> bool:
        """Whether `contract` works: there is nothing to differentiate in, or it has been defined."""
        own = type(self)
        defined = own._contract_rows is not Kernel._contract_rows or own.contract is not Kernel.contract
        return (defined or not self.theta.size) and all(
            getattr(self, part).has_derivative() for part in self._parts
        )

    def contract_diagonal(self, X: Any, w: np.ndarray) -> np.ndarray:
        """Return the gradient of ``(w * self.diagonal(X)).sum()`` in `theta`."""
        gradient = np.zeros(self.theta.size)
        if gradient.size:
            for i, weight in enumerate(w):
                point = take(X, np.array([i]))
                gradient += self._contract_rows(point, point, np.array([[weight]]))
        return gradient

    def _contract_rows(self, X: Any, Y: Any, W: np.ndarray) -> np.ndarray:
        """Return what `contract` does, for few enough rows to hold several matrices of the shape of `W`."""
        raise NotImplementedError(
            f"{type(self).__name__} has parameters in theta and must define _contract_rows."
        )

    def _contract_known_rows(self, X: Any, Y: Any, W: np.ndarray, K: np.ndarray) -> np.ndarray:
        """Return what `_contract_rows` does where the kernel matrix is known; defined by those it helps."""
        return self._contract_rows(X, Y, W)

    def _checked(self, name: str) -> Any:
        """Return the valid value of a parameter in `_log_parameters`, or raise a ValueError that names it."""
        from .validate import positive

        return positive(name, getattr(self, name))

    def __add__(self, other: "Kernel | float") -> "Kernel":
        from .sum import Sum

        right = _as_kernel(other)
        return NotImplemented if right is None else Sum(self, right)

    def __radd__(self, other: float) -> "Kernel":
        from .sum import Sum

        left = _as_kernel(other)
        return NotImplemented if left is None else Sum(left, self)

    def __mul__(self, other: "Kernel | float") -> "Kernel":
        from .product import Product
        from .scaled import Scaled

        if isinstance(other, Kernel):
            return Product(self, other)
        return Scaled(float(other), self) if isinstance(other, Real) else NotImplemented

    __rmul__ = __mul__

    def exp(self) -> "Kernel":
        """Return the kernel exp(k(x, z))."""
        from .exponential import Exponential

        return Exponential(self)

    def normalized(self) -> "Kernel":
        """Return the kernel k(x, z) / sqrt(k(x, x) k(z, z)), whose points all have length one."""
        from .normalized import Normalized

        return Normalized(self)

    def pull_back(self, transform: Callable[[Any], Any]) -> "Kernel":
        """Return the kernel k(transform(x), transform(z)); `transform` maps a whole data matrix."""
        from .pull_back import PullBack

        return PullBack(self, transform)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        mine, theirs = self.get_params(deep=False), other.get_params(deep=False)
        return all(_equal(mine[name], theirs[name]) for name in mine)

    __hash__ = None  # type: ignore[assignment]

    __array_ufunc__ = None  # so that a numpy number times a kernel asks the kernel


class VectorKernel(Kernel):
    """A kernel on vectors: its data are matrices, dense or CSR, with one row per point."""

    def bind(self, X: Any, Y: Any = None) -> _core.Gram:
        x = as_points(X)
        y = x if Y is None else as_points(Y)
        if x.shape[1] != y.shape[1]:
            raise ValueError(f"X has {x.shape[1]} features, but Y has {y.shape[1]}.")
        return self._bind_points(x, y)

    def _bind_points(self, x: _core.Points, y: _core.Points) -> _core.Gram:
        """Return the Gram of points the core can read."""
        raise NotImplementedError(f"{type(self).__name__} must define _bind_points.")


def whole(gram: _core.Gram) -> np.ndarray:
    """Return all entries of a Gram in double precision."""
    rows, columns = gram.shape
    return gram.block(np.arange(rows, dtype=np.int32), np.arange(columns, dtype=np.int32))


def count_features(X: Any) -> int:
    """Return the number of features of `X`, 1 where points are no vectors."""
    return X.shape[1] if len(getattr(X, "shape", ())) == 2 else 1


def _inner_name(part: str, name: str) -> str:
    """The name of a parameter, seen from the kernel that has its kernel as a part."""
    return f"log {part}__{name.removeprefix('log ')}" if name.startswith("log ") else f"{part}__{name}"


def _as_kernel(value: Any) -> Kernel | None:
    from .constant import Constant

    if isinstance(value, Kernel):
        return value
    return Constant(float(value)) if isinstance(value, Real) else None


def _equal(a: Any, b: Any) -> bool:
    if isinstance(a, np.ndarray) or isinstance(b, np.ndarray):
        return np.array_equal(a, b)
    return bool(a == b)
