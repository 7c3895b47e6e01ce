"""Whether the machines of a code could have repaired the errors of one-vs-all."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin.codes import Code

from .labels import numbers_of, read_classes, read_labels


@dataclass(frozen=True, eq=False)
class CorrelatedErrors:
    """For each point that a classifier gets wrong, how many machines of a code err with it.

    Parameters
    ----------
    points : array of shape (n_errors,)
        The rows of the points that are wrong and whose two classes some column separates.
    shares : array of shape (n_errors,)
        Of the machines that separate the class of the point from the one it is given, the share that errs.
    unseparated : int
        Wrong points left out, because no column separates their two classes.
    """

    points: NDArray[np.intp]
    shares: NDArray[np.float64]
    unseparated: int

    def at_least(self, share: float) -> float:
        """The share of the wrong points with which at least this share of machines errs; nan without any."""
        return float(np.mean(self.shares >= share)) if self.shares.size else np.nan

    def profile(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The reverse cumulative distribution: all shares that occur, rising, and `at_least` of each."""
        levels = np.unique(self.shares)
        return levels, np.array([self.at_least(level) for level in levels])


def correlated_errors(
    y: ArrayLike,
    predictions: ArrayLike,
    code: Code | ArrayLike,
    values: ArrayLike,
    *,
    classes: ArrayLike | None = None,
) -> CorrelatedErrors:
    """The profile of correlated errors: do the machines of a code err where another classifier does?

    A point of class i is given class j by, say, one-vs-all. The columns r with M_ir M_jr = -1 tell i from j;
    what is recorded is the share of them whose machines are on the side of j. Where most of them are, no
    decoding of the code can repair the error.

    Parameters
    ----------
    y : array-like of shape (n,)
        The classes.
    predictions : array-like of shape (n,)
        What the classifier says whose errors are looked at.
    code : Code or array-like of shape (n_classes, n_columns)
        The other code, rows in the order of the classes; `code_` of a machine.
    values : array-like of shape (n, n_columns)
        The values of its machines at the points, positive for classes with +1: `decision_function` of an
        `SVC` with ``decision_function_shape="ovo"``. A value of 0 errs.
    classes : array-like of shape (n_classes,), optional
        Names and order, as in `classes_`; all that occur, sorted, if not given.

    Returns
    -------
    profile : CorrelatedErrors

    References
    ----------
    Rifkin, Everything Old Is New Again, PhD thesis, MIT 2002, section 4.3.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> from widemargin.comparison import correlated_errors
    >>> X, y = load_iris(return_X_y=True)
    >>> one = wm.SVC(multiclass="one-vs-all").fit(X[::2], y[::2])
    >>> all_splits = wm.SVC(multiclass="complete", decision_function_shape="ovo").fit(X[::2], y[::2])
    >>> values = all_splits.decision_function(X[1::2])
    >>> errors = correlated_errors(y[1::2], one.predict(X[1::2]), all_splits.code_, values)
    >>> errors.points.size, errors.at_least(0.5)
    (4, 1.0)
    """
    truth, answers = read_labels(y=y, predictions=predictions)
    names = read_classes(classes, y=truth, predictions=answers)
    M = (code if isinstance(code, Code) else Code(np.asarray(code))).matrix
    if len(M) != names.size:
        raise ValueError(
            f"code has {len(M)} rows, but there are {names.size} classes: give it a row for each, and "
            "classes if not all of them occur."
        )
    f = np.asarray(values, dtype=np.float64)
    if f.shape != (truth.size, M.shape[1]):
        raise ValueError(
            f"values has shape {f.shape}, not {(truth.size, M.shape[1])}: give a row for each point and a "
            "column for each of the code; an SVC has them with decision_function_shape='ovo'."
        )
    wrong = np.flatnonzero(truth != answers)
    own, given = M[numbers_of(truth[wrong], names)], M[numbers_of(answers[wrong], names)]
    separating = own * given == -1
    erring = separating & (own * f[wrong] <= 0)
    machines = separating.sum(axis=1)
    known = machines > 0
    shares = erring.sum(axis=1)[known] / machines[known]
    return CorrelatedErrors(wrong[known], shares, int(np.count_nonzero(~known)))
