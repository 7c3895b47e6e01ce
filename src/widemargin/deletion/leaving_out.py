"""Exact leave-one-out of support vector machines."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import clone

from widemargin.deletion.held_out import HeldOut, Skip, Trained, hold_out, hold_out_shares, nothing
from widemargin.deletion.shares import check_feasible, shares_without
from widemargin.estimators import SVC, SVR, NuSVC, NuSVR, OneClassSVM, sample
from widemargin.estimators.least_squares_machine import LeastSquaresMachine
from widemargin.kernels.points import count
from widemargin.memory import available_bytes
from widemargin.problems import Vector
from widemargin.threads import allowed_threads, single_threaded_blas

CERTAIN = 1e-7
"""Values farther than this from a threshold are on the same side of it in exact arithmetic."""


@dataclass(frozen=True)
class LeaveOneOut:
    """What a machine says of each point when it is trained without it."""

    decision_values: NDArray[np.float64]
    """Of shape (n,); for several classes (n, machines), a column for each pair of classes or each class."""

    predictions: NDArray[Any]
    """The class, or the target value, that each point is given; of outlier detectors +1 or -1."""

    losses: Vector
    """0 or 1 for a class that is right or wrong, the squared residual for target values, 1 for outliers."""

    retrained: int
    """Pairs of a machine and a support vector of it: without any other point it stays what it is."""

    solved: int
    """Those among them for which a solver was run, because there was no path to follow to the solution."""

    @property
    def error(self) -> float:
        """The mean loss: the leave-one-out error."""
        return float(self.losses.mean())

    @property
    def errors(self) -> int:
        """How many classes are wrong."""
        return int(np.count_nonzero(self.losses))


def leave_one_out(
    machine: Any,
    X: Any,
    y: ArrayLike | None = None,
    *,
    sample_weight: ArrayLike | None = None,
    count_only: bool = False,
) -> LeaveOneOut:
    """Train a machine without each point in turn, exactly, at a fraction of the price.

    A point that is no support vector makes no difference. Every support vector is driven out of the solution
    on all points, along the path of optimal solutions (:class:`~widemargin.solvers.Deactivation`); the KKT
    conditions of the solution at its end are verified. The values are those of n independent trainings.

    C, nu, the kernel with its parameters ("scale" is that of all points) and the weights of classes and
    points are the same with and without the point.

    With the weight of a point, the sums that nu fixes shrink for all others: nu (W - w_i) in place of nu W.
    One solution with such sums is found for all points of the same weight (and class), and what is said
    above holds from there on: a point that is no support vector of that solution makes no difference to it.
    `OneClassSVM` has one such sum, and paths; `NuSVC` and `NuSVR` have two, and a solver trains them without
    each support vector, starting from the solution with it. A nu that is infeasible for the points that
    are left is refused; pairs of classes for which it is too large take their largest feasible value, as in
    `fit`.

    Parameters
    ----------
    machine : SVC, NuSVC, SVR, NuSVR or OneClassSVM
        Its parameters count, except those of the solver: machines are trained to a KKT violation of 1e-10. It
        need not be fitted, and is not changed. `n_jobs` is the number of threads.
    X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
        The points; for a precomputed kernel their symmetric kernel matrix.
    y : array-like of shape (n_samples,)
        Classes, each with at least two points, or target values; none for `OneClassSVM`.
    sample_weight : array-like of shape (n_samples,), optional
        As in `fit`; a point of weight 0 is judged by the machine of the others.
    count_only : bool, default=False
        Whether only predictions and losses have to be right, for two classes: a point whose bound says what
        becomes of it is not retrained, and its decision value is the one with the point. Such are training
        errors, and for machines without bias points that pass the test of Jaakkola and Haussler.

    Returns
    -------
    result : LeaveOneOut

    References
    ----------
    Cauwenberghs and Poggio, Incremental and decremental support vector machine learning, NIPS 13, 2000.
    Jaakkola and Haussler, Probabilistic kernel regression models, AISTATS 1999.

    Examples
    --------
    >>> import widemargin as wm
    >>> from sklearn.datasets import load_iris
    >>> X, y = load_iris(return_X_y=True)
    >>> result = wm.leave_one_out(wm.SVC(C=10, gamma=0.1), X, y)
    >>> result.errors, round(result.error, 4)
    (5, 0.0333)
    """
    machine = _checked(machine)
    X, y = _read(machine, X, y)
    n = count(X)
    weight = sample.read_weight(sample_weight, n)
    targets = machine._read_targets(y)
    if isinstance(machine, Classifier):
        _check_classes(targets, weight)
    if isinstance(machine, NuSVC):
        check_feasible(machine, targets, weight)
    elif np.count_nonzero(weight) < 2:
        raise ValueError("leave_one_out needs at least two samples of positive weight: add some.")
    machines = machine._machines(targets, weight, np.flatnonzero(weight))
    _check_memory(n, max(each.problem.size for each in machines))
    _, gram = machine._bind(X, weight)
    every, workers = np.arange(n, dtype=np.int32), allowed_threads(machine.n_jobs)
    skip = _screen(machine, gram, machines) if count_only and len(machines) == 1 else nothing
    with single_threaded_blas():
        K = gram.block(every, every)
        trained = [Trained.on(each, K) for each in machines]
        _check_bounded(machine, [each.solution for each in trained], targets)
        parts = [_hold_out(machine, each, K, workers, skip) for each in trained]
    values = np.column_stack([part.values for part in parts])
    predictions = machine._answers(targets, values)
    return LeaveOneOut(
        decision_values=values[:, 0] if len(machines) == 1 else values,
        predictions=predictions,
        losses=_losses(machine, predictions, y),
        retrained=sum(part.retrained for part in parts),
        solved=sum(part.solved for part in parts),
    )


Classifier = SVC | NuSVC
Regressor = SVR | NuSVR
Shared = NuSVC | NuSVR | OneClassSVM
"""Machines whose fixed sums are a share nu of the weight of all points."""


def _checked(machine: Any) -> Any:
    """A copy of the machine, its parameters valid."""
    if isinstance(machine, LeastSquaresMachine):
        raise TypeError(
            f"{type(machine).__name__} knows it from its fit: read loo_predictions_ and loo_error_."
        )
    if not isinstance(machine, Classifier | Regressor | OneClassSVM):
        kind = type(machine)
        raise TypeError(
            f"leave_one_out is for SVC, NuSVC, SVR, NuSVR and OneClassSVM of this library, not for "
            f"{kind.__module__.split('.')[0]}'s {kind.__name__}."
        )
    machine = clone(machine)
    machine._check_parameters()
    return machine


def _read(machine: Any, X: Any, y: Any) -> tuple[Any, Any]:
    """Valid points and targets."""
    if isinstance(machine, OneClassSVM):
        return sample.read_points(machine, X), None
    return sample.read_training(
        machine, X, y, **({"y_numeric": True} if isinstance(machine, Regressor) else {})
    )


def _hold_out(machine: Any, trained: Trained, K: NDArray[np.float64], workers: int, skip: Skip) -> HeldOut:
    if isinstance(machine, Shared):
        return hold_out_shares(trained, K, workers, shares_without(machine, trained.problem))
    return hold_out(trained, K, workers, skip)


def _losses(machine: Any, predictions: NDArray[Any], y: Any) -> Vector:
    if isinstance(machine, OneClassSVM):
        return (predictions < 0).astype(float)
    return (predictions - y) ** 2 if isinstance(machine, Regressor) else (predictions != y).astype(float)


def _check_classes(classes: Any, weight: Vector) -> None:
    classes.check(weight)
    sizes = np.bincount(classes.labels[weight > 0], minlength=classes.count)
    if sizes.min() < 2:
        name = classes.names.tolist()[int(np.argmin(sizes))]
        raise ValueError(
            f"class {name!r} has a single point, without which nothing is left of it: add points."
        )


def _check_memory(n: int, m: int) -> None:
    """There must be room for the kernel matrix, and four matrices over the m variables of a machine."""
    if (needed := 8 * (n * n + 4 * m * m)) > (free := available_bytes()):
        raise ValueError(
            f"leave_one_out holds whole matrices, {needed / 2**20:.0f} MB for the {n} points of X, and only "
            f"{free / 2**20:.0f} MB are free: use fewer points."
        )


def _check_bounded(machine: Any, solutions: list[Any], targets: Any) -> None:
    """Raise a ValueError if a machine that allows no losses cannot be trained."""
    if isinstance(machine, Regressor):
        machine._intercept(solutions[0])
    elif isinstance(machine, Classifier):
        machine._check_separable(solutions, targets.scheme.M, targets.names)


def _screen(machine: Any, gram: Any, machines: list[Any]) -> Skip:
    """Which points of two classes need no training because a bound says whether they are errors.

    The loss at point i never falls when the point is held out, so that training errors stay errors. Without
    bias y_i f(x_i) falls by at most alpha_i K_ii.
    """
    if not isinstance(machine, SVC):
        return nothing
    rows = machines[0].problem.rows
    diagonal = gram.diagonal()[rows[rows >= 0]]

    def skip(coefficients: Vector, values: Vector) -> NDArray[np.bool_]:
        y, fall = np.sign(machines[0].problem.linear[: values.size]), np.abs(coefficients) * diagonal
        errors = y * values < -CERTAIN
        return errors if machine.fit_intercept else errors | (y * values - fall > CERTAIN)

    return skip
