"""The perceptron, in the Hilbert space of a kernel."""

from __future__ import annotations

import warnings
from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils import check_random_state

from widemargin import _core, kernels
from widemargin.baselines.kernel_baseline import KernelBaseline
from widemargin.baselines.perceptron_course import PerceptronCourse
from widemargin.estimators import parameters
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.class_functions import ClassFunctions
from widemargin.estimators.classes import read_classified
from widemargin.kernels.points import count
from widemargin.memory import cache_bytes


class KernelPerceptron(KernelBaseline, ClassFunctions):
    """Rosenblatt's perceptron with a kernel, for any number of classes.

    There is a function f_c per class, zero at first. Examples are presented one after the other; only where
    one of class y is not strictly larger at x than the largest of the others, c, something changes:

        f_y <- f_y + k(x, .),    f_c <- f_c - k(x, .).

    An epoch without such a mistake ends the training. For two classes f_1 - f_0 is (twice) the perceptron as
    it is known. If functions with sum_c |f_c|^2 = 1 separate the classes with margin rho, that is f_y(x) -
    f_c(x) >= rho for all examples and all c != y, and k(x, x) <= R^2, then at most

        2 (R / rho)^2

    mistakes are made in all epochs together (for two classes, with the usual margin of f_1 - f_0 of norm 1,
    (R / rho)^2, Novikoff), so that training ends; if there are none it never does by itself. Where it ends,
    any separating functions will do: the margin is not a wide one.

    Parameters
    ----------
    kernel : str, Kernel or function, default="rbf"
        As for `SVC`, like `degree`, `gamma` and `coef0`.
    degree : int, default=3
    gamma : {"scale", "auto"} or float, default="scale"
    coef0 : float, default=0.0
    bias : {"none", "penalised"}, default="penalised"
        Whether the functions have constants, by the kernel k + 1 (and R^2 + 1 in the bound).
    max_epochs : int, default=100
        How often all examples are presented at most.
    average : bool, default=False
        Whether to keep the mean of the functions after each presentation instead of the last ones, which
        generalises better where the classes overlap (Freund and Schapire).
    shuffle : bool, default=True
        Whether examples come in random order, a new one in each epoch, or as they are.
    random_state : int, RandomState instance or None, default=None
        Draws the orders; None always draws the same ones.
    cache_size : float or "auto", default="auto"
        Megabytes for kernel values of examples that were mistaken, as for `SVC`.
    n_jobs : int, optional
        Threads of predictions; None is all that this process may use.

    Attributes
    ----------
    classes_ : array of shape (n_classes,)
    mistakes_ : array of shape (n_epochs,)
        The number of mistakes in each epoch.
    converged_ : bool
        Whether the last epoch was without a mistake.
    support_ : array of shape (n_support,)
        Indices of the examples that were mistaken, class by class.
    support_vectors_ : array or sparse matrix of shape (n_support, n_features), or list
        Empty for a precomputed kernel.
    dual_coef_ : array of shape (n_classes, n_support)
        How often they were, with signs: integers unless `average`; sparse if X was.
    intercept_ : array of shape (n_classes,)
    coef_ : array of shape (n_classes, n_features)
        For the linear kernel only.
    kernel_ : Kernel
        The kernel, its parameters settled.
    n_features_in_ : int

    References
    ----------
    Novikoff, On convergence proofs on perceptrons, Symposium on the Mathematical Theory of Automata, 1962.
    Freund and Schapire, Large margin classification using the perceptron algorithm, Machine Learning 37,
    1999.

    Examples
    --------
    >>> import widemargin as wm
    >>> X, y = [[0.0], [0.2], [1.0], [1.2], [2.0], [2.2]], [0, 0, 1, 1, 2, 2]
    >>> machine = wm.KernelPerceptron(gamma=2.0).fit(X, y)
    >>> machine.predict([[0.1], [1.1], [2.1]])
    array([0, 1, 2])
    >>> machine.converged_, int(machine.mistakes_[-1])
    (True, 0)
    """

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelBaseline._rules | {
        "bias": parameters.one_of("none", "penalised"),
        "max_epochs": parameters.at_least(1),
        "average": parameters.boolean,
        "shuffle": parameters.boolean,
        "cache_size": KernelMachine._rules["cache_size"],
    }

    def __init__(
        self,
        kernel: Any = "rbf",
        *,
        degree: int = 3,
        gamma: str | float = "scale",
        coef0: float = 0.0,
        bias: str = "penalised",
        max_epochs: int = 100,
        average: bool = False,
        shuffle: bool = True,
        random_state: Any = None,
        cache_size: float | str = "auto",
        n_jobs: int | None = None,
    ) -> None:
        self.kernel = kernel
        self.degree = degree
        self.gamma = gamma
        self.coef0 = coef0
        self.bias = bias
        self.max_epochs = max_epochs
        self.average = average
        self.shuffle = shuffle
        self.random_state = random_state
        self.cache_size = cache_size
        self.n_jobs = n_jobs

    def fit(self, X: Any, y: ArrayLike) -> Any:
        """Train on points X and their classes y.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            The points; for a precomputed kernel their symmetric kernel matrix.
        y : array-like of shape (n_samples,)
            Their classes, numbers or strings.

        Returns
        -------
        self : object
        """
        with all_or_nothing(self):
            self._check_parameters()
            X, classes, weight = read_classified(self, X, y)
            names, labels = classes.names, classes.labels
            random = check_random_state(0 if self.random_state is None else self.random_state)
            kernel, gram = self._bind(X, weight)
            if self.bias == "penalised":
                gram = _core.sum(gram, kernels.Constant(1.0).bind(X))
            course = PerceptronCourse(gram, labels, len(names), cache_bytes(self.cache_size, count(X)))
            self.mistakes_ = np.array(list(self._epochs(course, random)))
            self.converged_ = bool(self.mistakes_[-1] == 0)
            coefficients = course.mean if self.average else course.coefficients
            self.classes_ = names
            self._keep_functions(X, kernel, labels, coefficients)
            self.intercept_ = coefficients.sum(axis=0) * (self.bias == "penalised")
        if not (self.converged_ or self.average):
            warnings.warn(
                f"KernelPerceptron made {self.mistakes_[-1]} mistakes in its last epoch, number "
                f"{self.max_epochs}: raise max_epochs, take another kernel, or set average=True if the "
                "classes overlap.",
                ConvergenceWarning,
                stacklevel=2,
            )
        return self

    def _epochs(self, course: PerceptronCourse, random: np.random.RandomState) -> Iterator[int]:
        """The mistakes in one epoch after the other, up to one without any."""
        n = len(course.coefficients)
        for _ in range(self.max_epochs):
            mistakes = course.epoch(random.permutation(n) if self.shuffle else np.arange(n))
            yield mistakes
            if mistakes == 0:
                return
