"""What every objective of model selection can do."""

from __future__ import annotations

from contextlib import AbstractContextManager, nullcontext
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, clone
from sklearn.utils import check_random_state

from widemargin.estimators import SVC, SVR, sample
from widemargin.estimators.training import THREADED_SIZE
from widemargin.kernels.points import count
from widemargin.problems import Vector
from widemargin.selection.parameters import Parameters
from widemargin.threads import single_threaded_blas

FEWEST = 10
"""Points below which nothing can be said about the choice of a model."""


class Objective(BaseEstimator):
    """A function of hyperparameters whose minimum is a good model; a record of settings.

    `bind` it to a machine and data; what it returns has a `value` and, if `differentiable`, a
    `value_and_gradient` at a vector of logarithms, to be minimised.

    Objectives of machines are smooth piece by piece: there are kinks where a point becomes free or bounded,
    where a loss has one, and where a point becomes an end of the interval of the bias. A gradient is that of
    the piece, right to rounding for up to a thousand points and to a tolerance of 1e-6 beyond.

    An objective of one's own defines `_bind`.
    """

    noisy: bool = False
    """Whether each evaluation draws a new split of the data."""

    differentiable: bool = True
    """Whether there is a gradient, almost everywhere."""

    tunes_C: bool = True
    """Whether the value depends on C, so that C can be chosen by it."""

    _machines: ClassVar[tuple[type, ...]] = (SVC, SVR)
    """The estimators that it is made for."""

    def bind(
        self,
        estimator: Any,
        X: Any,
        y: ArrayLike,
        sample_weight: ArrayLike | None = None,
        random_state: Any = None,
    ) -> BoundObjective:
        """The objective as a function of the hyperparameters of a machine on data.

        Parameters
        ----------
        estimator : estimator
            Its parameters hold for all machines, except those that are searched. It is not changed.
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
        y : array-like of shape (n_samples,)
        sample_weight : array-like of shape (n_samples,), optional
            As in `fit` of the machines; it plays no part in the judgement of points that were left out.
        random_state : int, RandomState instance or None, default=None
            For splits of the data.

        Returns
        -------
        bound : BoundObjective
        """
        return self._bind(Task(self, estimator, X, y, sample_weight, random_state))

    def _bind(self, task: Task) -> BoundObjective:
        raise NotImplementedError(f"{type(self).__name__} must define _bind.")

    def _searches_C(self, estimator: Any) -> bool:
        """Whether C of this machine is searched."""
        return self.tunes_C


class Task:
    """An estimator and its data, checked, and the parameters to be searched."""

    def __init__(
        self, objective: Objective, estimator: Any, X: Any, y: Any, sample_weight: Any, random_state: Any
    ) -> None:
        name = type(objective).__name__
        if not isinstance(estimator, objective._machines):
            wanted = " and ".join(machine.__name__ for machine in objective._machines)
            raise ValueError(f"{name} is for {wanted}, not for {_full_name(estimator)}.")
        self.objective = objective
        self.estimator = clone(estimator)
        self.estimator._check_parameters()
        self.is_regression = not hasattr(estimator, "class_weight")
        checks = {"y_numeric": True} if self.is_regression else {}
        if isinstance(estimator, SVC | SVR):
            self.X, self.y = sample.read_training(self.estimator, X, y, **checks)
        else:
            self.X, self.y = sample.read_training(self.estimator, X, y, multi_output=True, **checks)
        self.y = np.asarray(self.y)
        self.n = count(self.X)
        self.weight = sample.read_weight(sample_weight, self.n)
        self.random = check_random_state(random_state)
        self._check_points()
        self.kernel = self._choose_kernel()
        self.parameters = Parameters(self.estimator, self.kernel, objective._searches_C(self.estimator))
        if not len(self.parameters):
            raise ValueError(
                f"{name} has nothing to choose here: {self.kernel!r} has no parameters in theta"
                f"{'' if objective.tunes_C else ', and the objective does not depend on C'}."
            )

    @property
    def rows(self) -> NDArray[np.int32]:
        """The points with weight."""
        return np.flatnonzero(self.weight).astype(np.int32)

    def targets(self, part: NDArray[np.integer] | None = None) -> Any:
        """The targets of all points as a machine of a support vector reads them, trained on a part."""
        targets = self.estimator._read_targets(self.y, part)
        if not self.is_regression:
            targets.check(self.weight)
        return targets

    def check_two_of_each(self) -> None:
        """Raise a ValueError if a class has a single point, without which it is gone."""
        if self.is_regression:
            return
        targets = self.targets()
        sizes = np.bincount(targets.labels[self.rows], minlength=targets.count)
        if sizes.min() < 2:
            name = targets.names.tolist()[int(np.argmin(sizes))]
            raise ValueError(
                f"class {name!r} has a single point, without which nothing is left of it: add points."
            )

    def _choose_kernel(self) -> Any:
        estimator = self.estimator
        gamma = "scale" if estimator.gamma in (None, "loo") else estimator.gamma
        return sample.choose_kernel(
            estimator.kernel,
            self.X,
            self.weight,
            degree=estimator.degree,
            gamma=gamma,
            coef0=estimator.coef0,
        )

    def _check_points(self) -> None:
        used = int(np.count_nonzero(self.weight))
        if used < FEWEST:
            raise ValueError(
                f"X has {used} points with weight: to choose a model takes at least {FEWEST}; fix C and the "
                "kernel by hand."
            )
        if sample.is_precomputed(self.estimator.kernel):
            sample.check_matrix(self.X)
        elif sample.is_constant(self.X):
            raise ValueError(
                "all features of X are constant: no kernel can tell the points apart, nothing to choose from."
            )


class BoundObjective:
    """An objective as a function of the logarithms x of hyperparameters, to be minimised.

    A sub-class defines `_evaluate(x, gradient)`.
    """

    def __init__(self, task: Task) -> None:
        self.task = task
        self.objective = task.objective
        self.parameters = task.parameters

    @property
    def differentiable(self) -> bool:
        """Whether there is a gradient, almost everywhere."""
        return self.objective.differentiable

    @property
    def chance(self) -> float | None:
        """The value of machines that know nothing, None if nobody can say."""
        return None

    def value(self, x: ArrayLike) -> float:
        """The value at x; smaller is better."""
        with self._threads():
            return float(self._evaluate(self.parameters.checked(x), False)[0])

    def value_and_gradient(self, x: ArrayLike) -> tuple[float, Vector]:
        """The value and its gradient at x, of one and the same split of the data."""
        name = type(self.objective).__name__
        if not self.differentiable:
            raise ValueError(f"{self.objective!r} has no gradient: {self._remedy()}.")
        if not self.parameters.kernel.has_derivative():
            raise ValueError(
                f"{type(self.parameters.kernel).__name__} has no derivative, which the gradient of {name} "
                "needs: define its _contract_rows, or search without gradients."
            )
        with self._threads():
            value, gradient = self._evaluate(self.parameters.checked(x), True)
        assert gradient is not None
        return float(value), gradient

    def _evaluate(self, x: Vector, gradient: bool) -> tuple[float, Vector | None]:
        raise NotImplementedError

    def _threads(self) -> AbstractContextManager[None]:
        """Few points are done before threads have begun."""
        return single_threaded_blas() if self.task.n < THREADED_SIZE else nullcontext()

    def _remedy(self) -> str:
        return "search by a grid, at random or by CMA-ES"


def _full_name(estimator: Any) -> str:
    """The name of its class, with the module if it is not one of ours."""
    kind = type(estimator)
    ours = kind.__module__.split(".")[0] == __name__.split(".")[0]
    return kind.__name__ if ours else f"{kind.__module__}.{kind.__name__}"
