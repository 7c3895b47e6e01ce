"""What SVC and NuSVC share: several classes by two-class problems, votes and probabilities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.exceptions import NotFittedError
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from widemargin import calibration
from widemargin.codes import ColumnSigmoids, Scheme, choose_scheme
from widemargin.codes.pairs import compress_pairs, expand_pairs, own_pairs
from widemargin.codes.scored import ScoredClassifier
from widemargin.estimators import parameters, sample
from widemargin.estimators.base import KernelMachine, all_or_nothing
from widemargin.estimators.classes import Classes, CodedClasses, RowsByClass, class_weights
from widemargin.estimators.function import Function
from widemargin.estimators.training import Job, Solve, Solved
from widemargin.estimators.two_class_machine import TwoClassMachine
from widemargin.expansion import product
from widemargin.kernels.points import count
from widemargin.losses import Loss
from widemargin.problems import Vector
from widemargin.solvers import Solution

Code = NDArray[np.int8]

PART_ENTRIES = 2**21
"""Values of an expansion held at a time by a prediction."""

FOLDS = 5
"""Every point is calibrated by machines trained on the other four fifths of the data."""


def _has_probability(estimator: Any) -> bool:
    if not estimator.probability:
        raise AttributeError("predict_proba is not available when probability=False")
    return True


class KernelClassifier(ScoredClassifier, KernelMachine):
    """A classifier made of two-class machines on one Gram; a sub-class says of which (`_machine`)."""

    _rules: ClassVar[dict[str, parameters.Rule]] = KernelMachine._rules | {
        "probability": parameters.boolean,
        "class_weight": parameters.none | parameters.one_of("balanced") | parameters.mapping,
        "decision_function_shape": parameters.one_of("ovr", "ovo"),
        "multiclass": parameters.code,
        "decoding": parameters.decoding,
        "break_ties": parameters.boolean,
    }

    _shares_vectors = False
    """Whether every support vector has a coefficient for every pair of classes, as after `compress`."""

    def _machine(
        self, y: Vector, weight: Vector, class_weight: Vector, rows: NDArray[np.integer]
    ) -> TwoClassMachine:
        """The machine for labels y in {-1, +1} of these rows, with the weights of points and classes."""
        raise NotImplementedError

    def fit(self, X: Any, y: Any = None, sample_weight: ArrayLike | None = None) -> Any:
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

    def _read_targets(self, y: ArrayLike, part: NDArray[np.integer] | None = None) -> CodedClasses:
        """The classes of all points, balanced (if they are to be) by how often they occur in this part."""
        names, labels = sample.read_classes(y)
        weights = np.ones(len(names))
        Classes(names, labels, weights).check_count()
        if self.class_weight is not None:
            seen = names[labels] if part is None else names[labels[part]]
            weights = class_weights(self.class_weight, names, seen)
        return CodedClasses(names, labels, weights, self._choose_scheme(names))

    def _choose_scheme(self, names: NDArray[Any]) -> Scheme:
        return choose_scheme(
            self.multiclass,
            self.decoding,
            names,
            loss=self._own_loss(),
            random_state=0 if self.random_state is None else self.random_state,
            probabilities=self.probability,
        )

    def _own_loss(self) -> Loss:
        """The loss that the machines are trained with."""
        raise NotImplementedError

    def _machines(
        self, classes: CodedClasses, weight: Vector, rows: NDArray[np.integer]
    ) -> list[TwoClassMachine]:
        """The machines of these rows of the Gram, one for each column of the code."""
        decoding = classes.scheme.decoding
        if decoding.reads_probabilities:
            raise ValueError(
                f"{type(decoding).__name__} decodes probabilities, which are not computed here: take another "
                "decoding, such as 'loss'."
            )
        by_class = RowsByClass(rows, classes)
        return [self._column_machine(column, by_class, classes, weight) for column in classes.scheme.M.T]

    def _answers(self, classes: CodedClasses, values: NDArray[np.float64]) -> NDArray[Any]:
        """The classes that the values of the machines, a column for each, speak for."""
        return classes.names[self._decide(classes.scheme, values)]

    def _fit_code(self, X: Any, classes: CodedClasses, weight: Vector) -> Solved:
        """Train a machine per column of the code, and again without each fold if probabilities are wanted."""
        n, M, labels = count(X), classes.scheme.M, classes.labels
        rows, columns = np.flatnonzero(weight).astype(np.int32), M.shape[1]
        self._check_feasible(labels[rows], weight[rows], classes.weights[labels[rows]], M, classes.names)
        folds = self._folds(classes.names[labels[rows]]) if self.probability else []
        parts = [RowsByClass(part, classes) for part in (rows, *(rows[train] for train, _ in folds))]
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

        sizes = [np.bincount(labels[part.rows], minlength=classes.count) @ (M != 0) for part in parts]
        jobs = [
            Job(members, partial(work, k), optional=k >= columns)
            for k, members in enumerate(np.concatenate(sizes).tolist())
        ]
        training = self._training_on(sum(job.size for job in jobs[:columns]), X)
        solved = training.run(jobs, gram)
        self._check_separable(solved.solutions, M, classes.names)
        self.classes_, self.code_, self.decoding_ = classes.names, M, classes.scheme.decoding
        self._keep_columns(X, kernel, labels, *self._dual([functions[k] for k in range(columns)], labels))
        self.class_weight_ = classes.weights
        self._keep_prices(X, weight, classes.weights[labels[self.support_]])
        self._keep_certificate(solved, columns)
        self.kernel_evaluations_saved_ = max(0, solved.kernel_evaluations_alone - solved.kernel_evaluations)
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
            values[some] = own_pairs(found, labels[rows[some]], k) if self._has_pairs else found

    def _column_machine(
        self,
        column: NDArray[np.int8],
        part: RowsByClass,
        classes: Classes,
        weight: Vector,
    ) -> TwoClassMachine:
        """The machine of one column of the code on these rows of the Gram."""
        rows = part.of(column)
        labels = classes.labels.take(rows)
        y = column.take(labels).astype(np.float64)
        return self._machine(y, weight.take(rows), classes.weights.take(labels), rows)

    def _check_feasible(
        self,
        labels: NDArray[np.integer],
        weight: Vector,
        class_weight: Vector,
        M: Code,
        classes: NDArray,
    ) -> None:
        """Sub-classes whose problem may be infeasible say so here."""

    def _check_separable(self, solutions: Any, M: Code, classes: NDArray) -> None:
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
    def _scheme(self) -> Scheme:
        """How the fit was made, whatever `multiclass` and `decoding` have become since."""
        check_is_fitted(self, "code_")
        return Scheme(self.code_, self.decoding_)

    @property
    def _has_pairs(self) -> bool:
        """Whether the fit was by all pairs of several classes."""
        return self._scheme.has_pairs

    def _dual(
        self, functions: Sequence[Function], labels: NDArray[np.integer]
    ) -> tuple[NDArray[np.float64], Vector]:
        """Coefficients of all points, in rows as in `dual_coef_`, and the intercept of each machine."""
        k = len(self.classes_)
        columns = (function.everywhere() for function in functions)
        dual = compress_pairs(columns, labels, k) if self._has_pairs else np.stack(list(columns))
        return dual, np.array([function.intercept for function in functions])

    def _expand(self, dual: NDArray[np.float64]) -> Any:
        return self._expand_classes(dual, np.repeat(np.arange(len(self.classes_)), self.n_support_))

    def _expand_classes(self, dual: NDArray[np.float64], labels: NDArray[np.integer]) -> Any:
        """The columns of coefficients of points with these labels."""
        if self._has_pairs and not self._shares_vectors:
            return expand_pairs(dual, labels, len(self.classes_))
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
        values : array of shape (n_samples,), (n_samples, n_classes) or (n_samples, n_subproblems)
            Two classes: positive for the second. Several, one-vs-all or ``decision_function_shape="ovr"``: a
            score per class. Otherwise a column per two-class problem, positive for its classes with +1 in
            `code_`: of the pair (i, j) class i.
        """
        return self._by_parts(X, partial(self._shaped, self._scheme))

    def _shaped(self, scheme: Scheme, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """The values of the machines, a column for each, as `decision_function` gives them."""
        if len(scheme.M) > 2 and self.decision_function_shape == "ovo":
            return values
        return scheme.breaking_ties().scores(self._read_values(scheme, values))

    def _read_values(self, scheme: Scheme, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """What the decoding reads: the values, or the probabilities they stand for."""
        if not scheme.decoding.reads_probabilities:
            return values
        self._check_calibrated()
        return self._sigmoids()(values)

    def _by_parts(
        self, X: Any, read: Callable[[NDArray[np.float64]], NDArray[Any]], *, signs: bool = False
    ) -> NDArray[Any]:
        """What `read` makes of the values at X, or of their signs alone.

        Some rows at a time: many pairs of classes need much room.
        """
        X = sample.read_prediction(self, X)
        f, n, size = self._expansion(X), count(X), max(1, PART_ENTRIES // self.intercept_.size)
        values = f.decisions if signs else f
        if n <= size:
            return read(values(X, self.n_jobs))
        parts = (X[begin : begin + size] for begin in range(0, n, size))
        return np.concatenate([read(values(part, self.n_jobs)) for part in parts])

    def predict(self, X: Any) -> NDArray[Any]:
        """The class of each row of X, see `decision_function`."""
        if self.break_ties and self.decision_function_shape == "ovo":
            raise ValueError("break_ties must be False when decision_function_shape is 'ovo'")
        scheme = self._scheme.breaking_ties() if self.break_ties else self._scheme
        decide = partial(self._decide, scheme)
        return self.classes_[self._by_parts(X, decide, signs=scheme.decoding.signs_suffice)]

    def _decide(self, scheme: Scheme, values: NDArray[np.float64]) -> NDArray[np.intp]:
        """Index of the predicted class."""
        scheme = scheme.breaking_ties() if self.break_ties else scheme
        return scheme.decide(self._read_values(scheme, values))

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
        self._check_calibrated()
        return self._by_parts(X, self._probabilities)

    def _check_calibrated(self) -> None:
        if self.probA_.size == 0:
            raise NotFittedError(
                "predict_proba is not available when fitted with probability=False, or not to the end"
            )

    def _probabilities(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        scheme = self._scheme
        P = scheme.coupling.probabilities(self._sigmoids()(values), scheme.M)
        return calibration.agree_with(P, self._decide(scheme, values))

    @available_if(_has_probability)
    def predict_log_proba(self, X: Any) -> NDArray[np.float64]:
        """Logarithms of `predict_proba`."""
        return np.log(self.predict_proba(X))

    def _folds(self, y: NDArray[Any]) -> list[Any]:
        seed = None if self.random_state is None else check_random_state(self.random_state)
        return calibration.cross_fit_folds(y, FOLDS, seed)

    def _calibrate(self, unseen: NDArray[np.float64], labels: NDArray[np.integer], weight: Vector) -> None:
        """Fit the sigmoids to values of points that the machines behind them have not seen."""
        if self._has_pairs:
            pairs = calibration.PairwiseSigmoids().fit_compressed(unseen, labels, weight)
            A, B = pairs.A_, pairs.B_
        else:
            columns = ColumnSigmoids.fitted(unseen, labels, self.code_, weight)
            A, B = columns.A, columns.B
        self.probA_, self.probB_ = A, -B if len(self.classes_) == 2 else B

    def _sigmoids(self) -> ColumnSigmoids:
        """The fitted sigmoids; as in scikit-learn, `probB_` of two classes is that of the first one."""
        return ColumnSigmoids(self.probA_, -self.probB_ if len(self.classes_) == 2 else self.probB_)


def _by_class(dual: NDArray[np.float64], labels: NDArray[np.integer]) -> NDArray[np.intp]:
    """The points with a coefficient, class by class."""
    support = np.flatnonzero(dual.any(axis=0))
    return support[np.argsort(labels[support], kind="stable")]
