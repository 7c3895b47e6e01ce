"""What the machines that learn all classes at once share."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from textwrap import indent
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from widemargin import _core, kernels
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.by_weights import ByWeights
from widemargin.estimators.class_functions import ClassFunctions
from widemargin.estimators.classes import Classes, read_classified
from widemargin.estimators.documentation import SECTIONS, documented
from widemargin.estimators.training import Solved
from widemargin.joint_problems import JointProblem
from widemargin.kernels.points import count, entries_per_row
from widemargin.problems import Vector
from widemargin.solvers import JointDecomposition, JointDescent, Solution
from widemargin.solvers.joint_decomposition import LARGEST

COMMON = {
    "joint parameters": """\
C : float, default=1.0
    Price of a unit of slack, positive and finite; times the weights of the sample and of its class.
<kernel parameters>
bias : {"none", "penalised", "free"}, default="none"
    Whether the functions have constants: such whose squares are part of the norms (the kernel K + 1), or
    such that no norm pays for. `CrammerSinger` has no free ones.
tol : float, default=1e-3
    KKT violation to stop at.
class_weight : dict or "balanced", optional
    Factors of the price of each class; "balanced" makes them inverse to the class sizes.
shrinking : bool, default=True
    Whether to set examples aside whose multipliers seem to stay at their bounds.
cache_size : float or "auto", default="auto"
    Megabytes for kernel values, as for `SVC`.
verbose : bool or int, default=False
    Whether to say how far the fit is, by `logging` (logger "widemargin").
max_iter : int, default=-1
    Steps on single examples allowed; -1 for no limit.
max_time : float, optional
    Seconds allowed for the fit.
callback : function, optional
    Called about every 50 ms with the state of the solver, as for `SVC`; returning True ends the fit.
n_jobs : int, optional
    Threads of `fit` and of predictions; None is all that this process may use.
warm_start : bool, default=False
    Whether `fit` goes on from the last solution, made feasible again, if the number of samples is the same.
solver : JointDecomposition or JointDescent, optional
    For other working sets, another precision or a trace. None is a descent by weights for the linear kernel
    and more than 1024 examples, if an example has fewer coordinates than a working set has examples, and a
    decomposition otherwise.""",
    "joint attributes": """\
classes_ : array of shape (n_classes,)
class_weight_ : array of shape (n_classes,)
support_ : array of shape (n_support,)
    Indices of the examples with a coefficient for some class, class by class.
support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
    Empty for a precomputed kernel.
n_support_ : array of shape (n_classes,)
dual_coef_ : array of shape (n_classes, n_support)
    Coefficients of the function of each class, also of two classes; sparse if X was. Columns add up to zero.
intercept_ : array of shape (n_classes,)
coef_ : array of shape (n_classes, n_features)
    For the linear kernel only.
n_iter_ : int
    Steps on single examples.
n_features_in_ : int
feature_names_in_ : array of shape (n_features_in_,)
    If X had string column names.
shape_fit_ : tuple
    Shape of X.
kernel_ : Kernel
    The kernel, its parameters settled.
<certificate attributes>""",
}


FEW_EXAMPLES = 1024
"""A kernel matrix of so many is made at once, and steps on the worst example of all are fewer."""


def jointly_documented(machine: type[Any]) -> type[Any]:
    """Put the sections that all joint machines have in common in place of their names <...>."""
    for name, section in COMMON.items():
        whole = section
        for part, words in SECTIONS.items():
            whole = whole.replace(f"<{part}>", words)
        machine.__doc__ = (machine.__doc__ or "").replace(f"    <{name}>", indent(whole, "    "))
    return documented(machine)


class JointMachine(ClassFunctions):
    """A classifier with one function per class, all of one problem; a sub-class says which (`_problem`)."""

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelMachine._rules | {
        "C": parameters.positive_and_finite,
        "bias": parameters.one_of("none", "penalised", "free"),
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "solver": parameters.none
        | parameters.Rule(
            "a JointDecomposition or JointDescent",
            lambda value: isinstance(value, JointDecomposition | JointDescent),
        ),
    }

    def __init__(
        self,
        *,
        C: float = 1.0,
        kernel: Any = "rbf",
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "none",
        tol: float = 1e-3,
        class_weight: dict[Any, float] | str | None = None,
        shrinking: bool = True,
        cache_size: float | str = "auto",
        verbose: bool | int = False,
        max_iter: int = -1,
        max_time: float | None = None,
        callback: Callable[[Any], Any] | None = None,
        n_jobs: int | None = None,
        warm_start: bool = False,
        solver: JointDecomposition | JointDescent | None = None,
    ) -> None:
        self.C = C
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.tol = tol
        self.class_weight = class_weight
        self.shrinking = shrinking
        self.cache_size = cache_size
        self.verbose = verbose
        self.max_iter = max_iter
        self.max_time = max_time
        self.callback = callback
        self.n_jobs = n_jobs
        self.warm_start = warm_start
        self.solver = solver

    def _problem(self, labels: NDArray[np.integer], C: Vector, classes: int) -> JointProblem:
        """The problem of examples with these labels and prices."""
        raise NotImplementedError

    def fit(self, X: Any, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Any:
        """Train on points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.
        sample_weight : array-like of shape (n_samples,), optional
            Factors of the price of each point: one of weight 0 plays no part, one of weight 2 counts twice.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y, sample_weight, self.class_weight)
            solved = self._fit_jointly(X, classes, weight)
        self._conclude(solved)
        return self

    def _fit_jointly(self, X: Any, classes: Classes, weight: Vector) -> Solved:
        n, N = count(X), classes.count
        rows = np.flatnonzero(weight).astype(np.int32)
        labels = classes.labels[rows]
        problem = self._problem(labels, self.C * weight[rows] * classes.weights[labels], N).on(rows)
        kernel, gram = self._bind(X, weight)
        if self.bias == "penalised":
            gram = _core.sum(gram, kernels.Constant(1.0).bind(X))
        last = self._last_coefficients(n, N)
        if self.bias == "free":
            problem = problem.with_bias(None if last is None else vars(self)["intercept_"])
        start = None if last is None else problem.multipliers(last[rows])
        training: Any = replace(self._training(problem.size, n), solver=self._choose_solver(X))
        solved = training.solve(problem, gram, start)
        coefficients = np.zeros((n, N))
        coefficients[rows] = problem.coefficients(solved.solutions[0].alpha)
        self.classes_, self.class_weight_ = classes.names, classes.weights
        self._keep_functions(X, kernel, classes.labels, coefficients)
        self.n_support_ = np.bincount(classes.labels[self.support_], minlength=N).astype(np.int32)
        self.intercept_ = self._constants(coefficients, solved.solutions[0])
        self._keep_certificate(solved)
        self.n_iter_ = int(solved.solutions[0].iterations)
        return solved

    def _choose_solver(self, X: Any) -> Any:
        """A solver of joint problems on a Gram, or on these points in its place."""
        linear = sample.is_linear(self.kernel)
        if isinstance(self.solver, JointDescent) and not linear:
            raise ValueError("solver=JointDescent() needs kernel='linear'.")
        if self.solver is not None:
            solver: Any = self.solver
        elif linear and count(X) > FEW_EXAMPLES and entries_per_row(X) < LARGEST:
            solver = JointDescent()
        else:
            solver = JointDecomposition()
        if isinstance(solver, JointDescent):
            return ByWeights(solver, X, {"bias": self.bias == "penalised"})
        return solver

    def _constants(self, coefficients: NDArray[np.float64], solution: Solution) -> Vector:
        if self.bias == "free":
            return solution.offsets
        return coefficients.sum(axis=0) * (self.bias == "penalised")
