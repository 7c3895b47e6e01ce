"""Reading what users give to `fit` and `predict`: points, targets and weights, checked before any work."""

from __future__ import annotations

import warnings
from numbers import Number, Real
from typing import Any

import numpy as np
import scipy.linalg
import scipy.sparse as sp
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import assert_all_finite, check_array, column_or_1d
from sklearn.utils.multiclass import check_classification_targets
from sklearn.utils.validation import check_consistent_length, validate_data

from widemargin import kernels
from widemargin.kernels.points import count
from widemargin.kernels.row_blocks import row_blocks

DTYPES = [np.float64, np.float32, np.uint8, np.int8]
"""Numbers that kernels read as they are; all others become the first."""

LARGEST_TARGET = 1e150
"""Sums of squares of larger numbers overflow."""

PSD_CHECK_SIZE = 500
"""A kernel matrix is tested for positive semi-definiteness on so many of its points."""


def is_precomputed(kernel: Any) -> bool:
    """Whether X is to be a kernel matrix."""
    if isinstance(kernel, kernels.Kernel):
        return isinstance(kernel, kernels.Precomputed) or any(
            is_precomputed(getattr(kernel, part)) for part in kernel._parts
        )
    return isinstance(kernel, str) and kernel == "precomputed"


def is_linear(kernel: Any) -> bool:
    """Whether the machine has a weight per feature."""
    return isinstance(kernel, kernels.Linear) or (isinstance(kernel, str) and kernel == "linear")


def choose_kernel(
    kernel: Any, X: Any, weight: NDArray[np.float64], *, degree: int, gamma: str | float, coef0: float
) -> kernels.Kernel:
    """The kernel object for a name, a function f(A, B) -> block, or a kernel object."""
    needs_gamma = isinstance(kernel, str) and kernel not in ("linear", "precomputed")
    gamma = choose_gamma(gamma, X, weight) if needs_gamma else 1.0
    return kernels.resolve_kernel(kernel, gamma=gamma, coef0=coef0, degree=degree)


def choose_gamma(gamma: str | float, X: Any, weight: NDArray[np.float64]) -> float:
    """ "scale": 1 / (d Var X), "auto": 1 / d, or the number itself.

    A point of weight w counts w times in the variance, as if it were repeated.
    """
    if isinstance(gamma, Real):
        return float(gamma)
    d = X.shape[1]
    if gamma == "auto":
        return 1.0 / d
    with np.errstate(over="ignore", invalid="ignore"):
        return gamma_of_spread(variance(X, weight), d)


def gamma_of_spread(spread: float, d: int) -> float:
    """1 / (d times the variance), or 1 where all points are the same."""
    if not np.isfinite(spread):
        raise ValueError(
            "X is too large: its variance, needed for gamma='scale', overflows; scale X "
            "(StandardScaler or MinMaxScaler)."
        )
    return 1.0 / (d * spread) if spread > 0 else 1.0


def variance(X: Any, weight: NDArray[np.float64]) -> float:
    """The variance of all entries of X, row i counted weight_i times; by blocks, X is never copied."""
    total = weight.sum() * X.shape[1]
    if sp.issparse(X):
        rows = np.repeat(weight, np.diff(X.indptr))
        mean = np.dot(rows, X.data) / total
        return float(np.dot(rows, X.data.astype(np.float64) ** 2) / total - mean**2)
    blocks = row_blocks(*X.shape)
    mean = sum(weight[rows] @ X[rows].sum(axis=1, dtype=np.float64) for rows in blocks) / total
    return float(sum(weight[rows] @ ((X[rows] - mean) ** 2).sum(axis=1) for rows in blocks) / total)


def unframed(X: Any) -> Any:
    """The objects of a pandas Series, or of a data frame of one column, that does not hold numbers."""
    if not hasattr(X, "iloc") or len(X) == 0:
        return X
    column = X.iloc[:, 0] if getattr(X, "ndim", 0) == 2 and X.shape[1] == 1 else X
    if column.ndim != 1 or isinstance(column.iloc[0], Number):
        return X
    return column.to_numpy(dtype=object)


def are_objects(X: Any, kernel: Any) -> bool:
    """Whether X holds objects (strings, graphs, ...) that only a kernel function can read."""
    if not (callable(kernel) or isinstance(kernel, kernels.Kernel)):
        return False
    if sp.issparse(X) or hasattr(X, "columns"):
        return False
    if isinstance(X, np.ndarray):
        return X.ndim == 1 or X.dtype.kind in "OUS"
    if not isinstance(X, list | tuple) or len(X) == 0:
        return False
    return not (isinstance(X[0], list | tuple | np.ndarray) and np.asarray(X[0]).dtype.kind in "biuf")


CHECKS: dict[str, Any] = {
    "accept_sparse": "csr",
    "dtype": DTYPES,
    "order": "C",
    "ensure_all_finite": False,  # `finite` names the row
}


def read_points(estimator: Any, X: Any) -> Any:
    """Valid training points; sets `n_features_in_` on the estimator."""
    if are_objects(unframed(X), estimator.kernel):
        return unframed(X)
    _refuse_sparse_matrix(estimator, X)
    return finite(validate_data(estimator, X, **CHECKS))


def read_training(estimator: Any, X: Any, y: Any, **y_checks: Any) -> tuple[Any, Any]:
    """Valid training points and targets; sets `n_features_in_` on the estimator."""
    if y is None:
        raise ValueError(
            f"This {type(estimator).__name__} estimator requires y to be passed, but the target y is None: "
            "call fit(X, y)."
        )
    refuse_gaps(y)
    if y_checks.get("y_numeric"):
        _refuse_words(y)
    if are_objects(unframed(X), estimator.kernel):
        y = column_or_1d(y, warn=True)
        assert_all_finite(y, input_name="y")
        check_consistent_length(X, y)
        return unframed(X), y
    _refuse_sparse_matrix(estimator, X)
    X, y = validate_data(estimator, X, y, **CHECKS, **y_checks)
    return finite(X), y


def refuse_gaps(y: Any) -> None:
    """Raise a ValueError that names the first row of targets with NaN or infinity."""
    try:
        targets = np.asarray(y)
    except (TypeError, ValueError):  # rows of different lengths: others say so better
        return
    if targets.dtype.kind == "f" and targets.ndim > 0 and not np.isfinite(targets).all():
        bad = np.argwhere(~np.isfinite(targets))[0]
        what = "NaN" if np.isnan(targets[tuple(bad)]) else "infinity"
        raise ValueError(f"Input y contains {what} in row {bad[0]}: drop the row or give it a value.")


def _refuse_words(y: Any) -> None:
    """Raise a ValueError that names the first target that is no number."""
    targets = np.asarray(y)
    if targets.dtype.kind not in "OUST":
        return
    for row, target in enumerate(targets.reshape(len(targets), -1)):
        try:
            target.astype(np.float64)
        except (TypeError, ValueError):
            raise ValueError(
                f"Input y must be numbers, but in row {row} it is {', '.join(map(str, target))}: classes are "
                "for a classifier."
            ) from None


def read_classes(y: Any) -> tuple[NDArray, NDArray[np.int32]]:
    """The classes in order, and the index of each label among them."""
    refuse_gaps(y)
    labels = np.asarray(y)
    if labels.dtype == object:
        kinds = {
            "str" if isinstance(label, str) else type(label).__name__: row
            for row, label in reversed(list(enumerate(labels)))
        }
        if "NoneType" in kinds:
            raise ValueError(
                f"Input y contains None in row {kinds['NoneType']}: drop the row or give it a class."
            )
        if "str" in kinds and len(kinds) > 1:
            raise ValueError(
                f"y mixes labels of the types {', '.join(sorted(kinds))}: make all of them strings."
            )
    check_classification_targets(y)
    classes, index = np.unique(y, return_inverse=True)
    return classes, index.astype(np.int32)


def finite(X: Any, name: str = "X") -> Any:
    """X itself; a ValueError names its first row with NaN or infinity."""
    entries = X.data if sp.issparse(X) else X
    with np.errstate(over="ignore", invalid="ignore"):
        settled = entries.dtype.kind != "f" or np.isfinite(entries.sum(dtype=np.float64))
    if not settled:
        bad = np.flatnonzero(~np.isfinite(entries))
        if bad.size:
            what = "NaN" if np.isnan(entries.ravel()[bad[0]]) else "infinity"
            row = np.searchsorted(X.indptr, bad[0], "right") - 1 if sp.issparse(X) else bad[0] // X.shape[1]
            remedy = "fill the gap" if what == "NaN" else "give it a finite value"
            raise ValueError(f"Input {name} contains {what} in row {row}: drop the row or {remedy}.")
    return X


def _refuse_sparse_matrix(estimator: Any, X: Any) -> None:
    if is_precomputed(estimator.kernel) and sp.issparse(X):
        raise TypeError("Sparse precomputed kernels are not supported: give X as a dense array.")


def read_prediction(estimator: Any, X: Any) -> Any:
    """Valid points for a fitted estimator."""
    if are_objects(unframed(X), estimator.kernel):
        return unframed(X)
    if is_precomputed(estimator.kernel):
        n, n_support = estimator.shape_fit_[0], len(estimator.support_)
        if getattr(X, "ndim", 0) == 2 and X.shape[1] == n_support != n:
            return finite(check_array(X, dtype=DTYPES, order="C", ensure_all_finite=False))
    points = finite(check_array(X, estimator=estimator, input_name="X", **CHECKS))
    validate_data(estimator, X, reset=False, skip_check_array=True)
    return points


def read_weight(sample_weight: ArrayLike | None, n: int, *, may_be_zero: bool = False) -> NDArray[np.float64]:
    """Finite, non-negative weights, not all zero unless they are those of a part of the samples."""
    if sample_weight is None:
        return np.broadcast_to(1.0, n)
    try:
        weight = np.asarray(sample_weight, dtype=np.float64)
    except (TypeError, ValueError):
        raise ValueError("sample_weight must be numbers, one for each sample.") from None
    if weight.shape != (n,):
        raise ValueError(
            f"sample_weight has shape {weight.shape}, but there are {n} samples: give one weight each."
        )
    bad = ~np.isfinite(weight) | (weight < 0)
    if bad.any():
        i = int(np.argmax(bad))
        raise ValueError(
            f"sample_weight must be finite and not negative, but sample_weight[{i}] is {weight[i]:g}."
        )
    if not (may_be_zero or weight.any()):
        raise ValueError("sample_weight is zero for every sample: give at least one a positive weight.")
    return weight


def check_matrix(K: NDArray) -> None:
    """Refuse a precomputed matrix that is not square and symmetric; warn of one that is no kernel matrix."""
    kernels.Precomputed.check_training_matrix(K)
    if not _looks_psd(K):
        warnings.warn(
            "the precomputed matrix is not positive semi-definite: the solution found is a stationary point, "
            "but need not be the best one.",
            UserWarning,
            stacklevel=5,
        )


def check_kernel(kernel: kernels.Kernel, X: Any) -> None:
    """Warn of a kernel that is not positive semi-definite on these points; a matrix has its own check."""
    if kernel.is_psd or is_precomputed(kernel):
        return
    n = count(X)
    some = np.linspace(0, n - 1, min(n, PSD_CHECK_SIZE)).astype(np.int32)
    if not _looks_psd(np.asarray(kernel.bind(X).block(some, some))):
        warnings.warn(
            f"{kernel!r} is not positive semi-definite on these points: the solution found is a stationary "
            "point, but need not be the best one.",
            UserWarning,
            stacklevel=5,
        )


def refuse_overflow(Y: NDArray[np.float64]) -> None:
    """Raise a ValueError that names the first row of targets too large to be squared."""
    large = np.abs(Y.reshape(len(Y), -1)).max(axis=1) > LARGEST_TARGET
    if large.any():
        raise ValueError(
            f"y is too large in row {int(np.argmax(large))}: squares of such values overflow; scale y."
        )


def _looks_psd(K: NDArray) -> bool:
    """A cheap test: Cholesky of a principal sub-matrix, its diagonal raised by round-off."""
    which = np.linspace(0, len(K) - 1, min(len(K), PSD_CHECK_SIZE)).astype(int)
    part = K[np.ix_(which, which)].astype(np.float64)
    diagonal = np.diag(part)
    if diagonal.min() < 0:
        return False
    round_off = (1e-5 if K.dtype == np.float32 else 1e-10) * max(float(diagonal.max()), 1e-300)
    try:
        scipy.linalg.cholesky(part + round_off * np.eye(len(part)), check_finite=False)
    except np.linalg.LinAlgError:
        return False
    return True


def is_constant(X: Any) -> bool:
    """Whether all points are the same vector."""
    if sp.issparse(X):
        return bool((X.max(axis=0) != X.min(axis=0)).nnz == 0)
    return isinstance(X, np.ndarray) and X.dtype.kind != "O" and X.ndim == 2 and bool((X[0] == X).all())
