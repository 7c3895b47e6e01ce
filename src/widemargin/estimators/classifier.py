"""What SVC and NuSVC share: several classes by two-class problems, votes and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import ClassifierMixin
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state, compute_class_weight
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from widemargin import calibration
from widemargin.estimators import code, parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.training import Job, Solve, Solved
from widemargin.expansion import product
from widemargin.kernels.points import count
from widemargin.problems import Problem, Vector
from widemargin.solvers import Solution

PART_ENTRIES = 2**21
"""Values of an expansion held at a time by a prediction."""

FOLDS = 5
"""Every point is calibrated by machines trained on the other four fifths of the data."""


def _has_probability(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


@dataclass(frozen=True)
class Function:
    """What is left of a two-class machine once it is solved: coefficients of some of n points."""

    n: int
    support: NDArray[np.int32]
    coefficients: Vector
    intercept: float

    @classmethod
    def of(cls, coefficients: Vector, intercept: float) -> Function:
        """The function with these coefficients of all points."""
        support = np.flatnonzero(coefficients).astype(np.int32)
        return cls(coefficients.size, support, coefficients[support], intercept)

    def everywhere(self) -> Vector:
        """The coefficients of all points."""
        coefficients = np.zeros(self.n)
        coefficients[self.support] = self.coefficients
        return coefficients


class TwoClassMachine(Protocol):
    """A two-class problem and how to read it."""

    @property
    def problem(self) -> Problem:
        """The problem to solve."""
        ...

    def function(self, solution: Any, n: int, size: Callable[[], float]) -> tuple[Vector, float]:
        """Coefficients of the n points and the intercept; `size()` is the largest k(x, x)."""
        ...

    def start(self, coefficients: Vector) -> Vector:
        """A feasible start near the function with these coefficients."""
        ...


@dataclass(frozen=True)
class Classes:
    """The targets of a classifier: point i belongs to the class names[labels[i]]."""

    names: NDArray[Any]
    labels: NDArray[np.integer]
    weights: Vector
    """Factors of the price of a point, by class."""

    @property
    def count(self) -> int:
        """Number of classes."""
        return len(self.names)

    def check(self, weight: Vector) -> None:
        """Raise a ValueError unless there are several classes, each with some of the weight of the points."""
        if self.count < 2:
            raise ValueError(
                f"The number of classes has to be greater than one; got 1 class, {self.names.tolist()[0]!r}: "
                "add examples of another, or take OneClassSVM."
            )
        if (empty := self.without_weight(weight)) is not None:
            raise ValueError(
                f"sample_weight is zero for every sample of class {empty!r}: drop it or give it weight."
            )

    def without_weight(self, weight: Vector) -> Any:
        """The first class whose points have no weight, None if there is none."""
        weights = np.bincount(self.labels, weights=weight, minlength=self.count)
        return None if weights.all() else self.names.tolist()[int(np.argmin(weights))]


class KernelClassifier(ClassifierMixin, KernelMachine):
    """A classifier made of two-class machines on one Gram; a sub-class says of which (`_machine`)."""

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelMachine._rules | {
        "probability": parameters.boolean,
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "decision_function_shape": parameters.one_of("ovr", "ovo"),
        "multiclass": parameters.one_of("all-pairs", "one-vs-all"),
        "break_ties": parameters.boolean,
    }

    _shares_vectors = False
    """Whether every support vector has a coefficient for every pair of classes, as after `compress`."""

    def _machine(
        self, y: Vector, weight: Vector, class_weight: Vector, rows: NDArray[np.integer]
    ) -> TwoClassMachine:
        """The machine for labels y in {-1, +1} of these rows, with the weights of points and classes."""
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
            X, y = sample.read_training(self, X, y)
            classes = self._read_targets(y)
            weight = sample.read_weight(sample_weight, count(X))
            classes.check(weight)
            solved = self._fit_code(X, classes, weight)
        self._conclude(solved)
        return self

    def _read_targets(self, y: ArrayLike, part: NDArray[np.integer] | None = None) -> Classes:
        """The classes of all points, balanced (if they are to be) by how often they occur in this part."""
        names, labels = sample.read_classes(y)
        if self.class_weight is None:
            return Classes(names, labels, np.ones(len(names)))
        seen = names[labels] if part is None else names[labels[part]]
        return Classes(names, labels, class_weights(self.class_weight, names, seen))

    def _machines(self, classes: Classes, weight: Vector, rows: NDArray[np.integer]) -> list[TwoClassMachine]:
        """The machines of these rows of the Gram, one for each column of the code."""
        return [self._column_machine(column, rows, classes, weight) for column in self._code(classes.count).T]

    def _answers(self, classes: Classes, values: NDArray[np.float64]) -> NDArray[Any]:
        """The classes that the values of the machines, a column for each, speak for."""
        pairs = self.multiclass == "all-pairs"
        return classes.names[code.decide(values, classes.count, pairs=pairs, break_ties=self.break_ties)]

    def _fit_code(self, X: Any, classes: Classes, weight: Vector) -> Solved:
        """Train a machine per column of the code, and again without each fold if probabilities are wanted."""
        n, M, labels = count(X), self._code(classes.count), classes.labels
        rows, columns = np.flatnonzero(weight).astype(np.int32), M.shape[1]
        self._check_feasible(labels[rows], weight[rows], classes.weights[labels[rows]], M, classes.names)
        folds = self._folds(labels[rows]) if self.probability else []
        parts = [rows, *(rows[train] for train, _ in folds)]
        kernel, gram = self._bind(X, weight)
        last = self._last_coefficients(n, columns)
        size = cache(lambda: float(gram.diagonal().max()))
        functions: dict[int, Function] = {}

        def work(k: int, solve: Solve) -> Solution:
            part, column = divmod(k, columns)
            machine = self._column_machine(M[:, column], parts[part], classes, weight)
            start = None if last is None or part > 0 else machine.start(last[:, column])
            solution = solve(machine.problem, start)
            functions[k] = Function.of(*machine.function(solution, n, size))
            if part == 0:
                self._note_solution(column, machine.problem, solution)
            return solution.summary()

        sizes = [np.bincount(labels[part], minlength=classes.count) @ (M != 0) for part in parts]
        jobs = [
            Job(members, partial(work, k), optional=k >= columns)
            for k, members in enumerate(np.concatenate(sizes).tolist())
        ]
        training = self._training(sum(job.size for job in jobs[:columns]), n)
        solved = training.run(jobs, gram)
        self._check_separable(solved.solutions, M, classes.names)
        self.classes_ = classes.names
        self._keep_columns(X, kernel, labels, *self._dual([functions[k] for k in range(columns)], labels))
        self.class_weight_ = classes.weights
        self._keep_prices(X, weight, classes.weights[labels[self.support_]])
        self._keep_certificate(solved, columns)
        self.n_iter_ = np.array([each.iterations for each in solved.solutions[:columns]], dtype=np.int32)
        self.probA_ = self.probB_ = np.empty(0)
        if folds and solved.interruption is None:
            values = np.empty((rows.size, classes.count - 1 if self._has_pairs else columns))
            for fold, (_, test) in enumerate(folds, start=1):
                machines = [functions[k] for k in range(fold * columns, (fold + 1) * columns)]
                self._write_values(values, gram, rows, test, machines, labels)
            self._calibrate(values, labels[rows], weight[rows])
        return solved

    def _write_values(
        self,
        values: NDArray[np.float64],
        gram: Any,
        rows: NDArray[np.int32],
        which: NDArray[np.integer],
        functions: Sequence[Function],
        labels: NDArray[np.integer],
    ) -> None:
        """The values of the functions at some of the rows; of all pairs only those of a row's own class."""
        dual, intercepts = self._dual(functions, labels)
        support = _by_class(dual, labels)
        coefficients = self._expand_classes(dual[:, support], labels[support])
        points, k = support.astype(np.int32), len(self.classes_)
        for some in np.array_split(which, 1 + which.size * len(functions) // PART_ENTRIES):
            found = product(gram, rows[some], points, coefficients, self.n_jobs) + intercepts
            values[some] = code.own_pairs(found, labels[rows[some]], k) if self._has_pairs else found

    def _code(self, k: int) -> code.Code:
        if k == 2:
            return code.two_classes()
        return code.all_pairs(k) if self.multiclass == "all-pairs" else code.one_vs_all(k)

    def _column_machine(
        self,
        column: NDArray[np.int8],
        part: NDArray[np.integer],
        classes: Classes,
        weight: Vector,
    ) -> TwoClassMachine:
        """The machine of one column of the code on these rows of the Gram."""
        y = column.take(classes.labels.take(part))
        if not y.all():
            member = y != 0
            part, y = part[member], y[member]
        labels = classes.labels.take(part)
        return self._machine(y.astype(np.float64), weight[part], classes.weights.take(labels), part)

    def _check_feasible(
        self,
        labels: NDArray[np.integer],
        weight: Vector,
        class_weight: Vector,
        M: code.Code,
        classes: NDArray,
    ) -> None:
        """Sub-classes whose problem may be infeasible say so here."""

    def _check_separable(self, solutions: Any, M: code.Code, classes: NDArray) -> None:
        """Sub-classes whose problem may be unbounded say so here."""

    def _keep_columns(
        self,
        X: Any,
        kernel: Any,
        labels: NDArray[np.integer],
        dual: NDArray[np.float64],
        intercepts: Vector,
    ) -> None:
        """Store the support vectors, class by class, with their coefficients."""
        support = _by_class(dual, labels)
        self.n_support_ = np.bincount(labels[support], minlength=len(self.classes_)).astype(np.int32)
        self._keep(X, kernel, support)
        self._store_dual(dual[:, support])
        self.intercept_ = intercepts

    @property
    def _has_pairs(self) -> bool:
        """Whether the fit was by all pairs of several classes, whatever `multiclass` has become since."""
        return self._shares_vectors or 2 <= len(self.classes_) - 1 == self.dual_coef_.shape[0]

    def _dual(
        self, functions: Sequence[Function], labels: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], Vector]:
        """Coefficients of all points, in rows as in `dual_coef_`, and the intercept of each machine."""
        k = len(self.classes_)
        columns = (function.everywhere() for function in functions)
        pairs = k > 2 and self.multiclass == "all-pairs"
        dual = code.compress_pairs(columns, labels, k) if pairs else np.stack(list(columns))
        return dual, np.array([function.intercept for function in functions])

    def _expand(self, dual: NDArray[np.float64]) -> Any:
        return self._expand_classes(dual, np.repeat(np.arange(len(self.classes_)), self.n_support_))

    def _expand_classes(self, dual: NDArray[np.float64], labels: NDArray[np.integer]) -> Any:
        """The columns of coefficients of points with these labels."""
        if self._has_pairs and not self._shares_vectors:
            return code.expand_pairs(dual, labels, len(self.classes_))
        return np.ascontiguousarray(dual.T)

    def decision_function(self, X: Any) -> NDArray[np.float64]:
        """Decision values.

        Parameters
        ----------
        X : {array-like, sparse matrix} of shape (n_samples, n_features), or list of objects
            For a precomputed kernel: the kernel of these samples with all training samples, or with the
            support vectors (in the order of `support_`) alone.

        Returns
        -------
        values : array of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_pairs)
            Two classes: positive for the second. Several, one-vs-all or ``decision_function_shape="ovr"``: a
            score per class. Otherwise a column per pair (i, j), positive for class i.
        """
        return self._by_parts(X, lambda values: self._shaped(values, len(self.classes_), self._has_pairs))

    def _shaped(self, values: NDArray[np.float64], k: int, pairs: bool) -> NDArray[np.float64]:
        """The values of the machines, a column for each, as `decision_function` gives them."""
        if k == 2:
            return values.ravel()
        if pairs and self.decision_function_shape == "ovr":
            return code.score_classes(values, k)
        return values

    def _by_parts(
        self, X: Any, read: Callable[[NDArray[np.float64]], NDArray[Any]], *, signs: bool = False
    ) -> NDArray[Any]:
        """What `read` makes of the values at X, or of their signs alone.

        Some rows at a time: many pairs of classes need much room.
        """
        check_is_fitted(self)
        X = sample.read_prediction(self, X)
        f, n, size = self._expansion(X), count(X), max(1, PART_ENTRIES // self.intercept_.size)
        values = f.decisions if signs else f
        if n <= size:
            return read(values(X, self.n_jobs))
        parts = (X[begin : begin + size] for begin in range(0, n, size))
        return np.concatenate([read(values(part, self.n_jobs)) for part in parts])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X, see `decision_function`."""
        check_is_fitted(self)
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        votes = len(self.classes_) == 2 or (self._has_pairs and not self.break_ties)
        return self.classes_[self._by_parts(X, self._decide, signs=votes)]

    def _decide(self, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Index of the predicted class."""
        return code.decide(values, len(self.classes_), pairs=self._has_pairs, break_ties=self.break_ties)

    @available_if(_has_probability)
    def predict_proba(self, X: Any) -> NDArray[np.float64]:
        """Probabilities of the classes, columns as in `classes_`; the most probable is what `predict` names.

        Parameters
        ----------
        X : as in `decision_function`

        Returns
        -------
        P : array of shape (n_samples, n_classes)
        """
        check_is_fitted(self)
        if self.probA_.size == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False, or not to the end"
            )
        return self._by_parts(X, self._probabilities)

    def _probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        return calibration.agree_with(self._sigmoids().predict_proba(values), self._decide(values))

    @available_if(_has_probability)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def _folds(self, labels: NDArray[np.integer]) -> list[Any]:
        seed = None if self.random_state is None else check_random_state(self.random_state)
        return calibration.cross_fit_folds(labels, FOLDS, seed)

    def _calibrate(self, unseen: NDArray[np.float64], labels: NDArray[np.integer], weight: Vector) -> None:
        """Fit the sigmoids to values of points that the machines behind them have not seen."""
        sigmoids = self._new_sigmoids()
        (sigmoids.fit_compressed if self._has_pairs else sigmoids.fit)(unseen, labels, weight)
        self.probA_ = sigmoids.A_
        self.probB_ = -sigmoids.B_ if len(self.classes_) == 2 else sigmoids.B_

    def _new_sigmoids(self) -> Any:
        k = len(self.classes_)
        return calibration.PairwiseSigmoids() if k == 2 or self._has_pairs else calibration.OneVsAllSigmoids()

    def _sigmoids(self) -> Any:
        """The fitted sigmoids; as in scikit-learn, `probB_` of two classes is that of the first one."""
        sigmoids = self._new_sigmoids()
        sigmoids.A_ = self.probA_
        sigmoids.B_ = -self.probB_ if len(self.classes_) == 2 else self.probB_
        sigmoids.n_classes_ = len(self.classes_)
        return sigmoids


def _by_class(dual: NDArray[np.float64], labels: NDArray[np.integer]) -> NDArray[np.intp]:
    """The points with a coefficient, class by class."""
    support = np.flatnonzero(dual.any(axis=0))
    return support[np.argsort(labels[support], kind="stable")]


def class_weights(class_weight: Any, classes: NDArray, y: NDArray) -> Vector:
    """The factor of each class, from the parameter of that name and the labels y."""
    if class_weight is None:
        return np.ones(len(classes))
    weights = compute_class_weight(class_weight, classes=classes, y=y)
    bad = ~(np.isfinite(weights) & (weights > 0))
    if bad.any():
        name = classes.tolist()[int(np.argmax(bad))]
        raise ValueError(f"class_weight must be positive and finite, but that of class {name!r} is not.")
    return np.asarray(weights, dtype=np.float64)
